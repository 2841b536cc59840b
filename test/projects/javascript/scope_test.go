package javascript

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript"
	"forge/internal/testkit"
)

// judge has the gate of tests look at what a change of files concerns.
func (p project) judge(t *testing.T, reach gate.Reach, changed ...string) gate.Report {
	t.Helper()
	all := javascript.Language(machine(), t.TempDir()).Gates
	at := slices.IndexFunc(all, func(g gate.Gate) bool { return g.Name() == "javascript test" })
	return gate.RunIn(t.Context(), all[at], p.tree, gate.Scope{Changed: changed, Reach: reach})
}

// scopedProject has a test of each of three files, of which b imports a. More files look like tests and are none of the suite's.
func scopedProject(script, head, body string, more map[string]string) map[string]string {
	files := map[string]string{
		"package.json": `{"name": "three", "exports": "./lib/a.js", "scripts": {"test": "` + script + `"}}`,
		"lib/a.js":     "exports.a = 1;\n", "lib/b.js": "exports.b = require('./a').a + 1;\n", "lib/c.js": "exports.c = 3;\n",
		"test/data.txt": "1\n", "setup.js": "\n", "other/stray.test.js": "throw new Error('not of the suite');\nrequire('../lib/a');\n",
	}
	for _, name := range []string{"a", "b", "c"} {
		text := strings.NewReplacer("NAME", name, "FILE", "../lib/"+name).Replace(head + body)
		files["test/"+name+".test.js"] = text
	}
	files["test/self.test.js"] = strings.NewReplacer("NAME", "a", "FILE", "three", "holds", "holds by its own name").Replace(head + body)
	for name, text := range more {
		if files[name] = text; text == "" {
			delete(files, name)
		}
	}
	return files
}

// A narrowed suite executes the files of tests that import what has changed, of those that the script means, and no other one.
func TestScope_RunsTheTestsThatAChangeConcerns(t *testing.T) {
	t.Parallel()
	const equal = "require('assert').equal(require('FILE').NAME, {a: 1, b: 2, c: 3}.NAME)"
	const mocha, node = "it('NAME holds', () => { " + equal + " });\n", "require('node:test')('NAME holds', () => { " + equal + " });\n"
	const ava, tape = "require('ava')('NAME holds', t => { " + equal + "; t.pass() });\n", "require('tape')('NAME holds', t => { t.equal(require('FILE').NAME, {a: 1, b: 2, c: 3}.NAME); t.end() });\n"
	const uvu = "const { test } = require('uvu'); test('NAME holds', () => { " + equal + " }); test.run();\n"
	for name, test := range testkit.SampleMap(0, map[string]struct {
		program, script, body string
		more                  map[string]string
	}{
		"mocha":                     {"mocha", "mocha", mocha, nil},
		"mocha of a folder":         {"mocha", "mocha --require ./setup.js --reporter spec --check-leaks test/", mocha, nil},
		"mocha of folders":          {"mocha", "mocha --timeout 9000 test other", mocha, map[string]string{".mocharc.yml": "recursive: true\nignore:\n  - other/**\n"}},
		"mocha of a pattern":        {"mocha", "mocha --timeout 9000 'test/**/*.test.js'", mocha, nil},
		"mocha of --spec":           {"mocha", "mocha --spec test/*.js --exit", mocha, nil},
		"mocha of settings":         {"mocha", "mocha", mocha, map[string]string{".mocharc.json": `{"spec": ["test/*.test.js"], "timeout": 9000, /* loaded first */ "require": "./setup.js"}`}},
		"mocha of its package.json": {"mocha", "mocha --timeout 8000", mocha, map[string]string{"package.json": `{"name": "three", "exports": "./lib/a.js", "mocha": {"spec": "test", "timeout": 9000}, "scripts": {"test": "mocha -t 8000"}}`}},
		"ava":                       {"ava", "ava 'test/**'", ava, map[string]string{"other/a.test.js": "\n"}},
		"ava of settings":           {"ava", "ava --serial", ava, map[string]string{"package.json": `{"name": "three", "exports": "./lib/a.js", "ava": {"files": ["test/*.js"]}, "scripts": {"test": "ava --serial"}}`}},
		"tape":                      {"tape", "tape -r ./setup.js 'test/*.js'", tape, nil},
		"uvu":                       {"uvu", "uvu test", uvu, nil},
		"uvu of a pattern":          {"uvu", "uvu test 'test.js$'", uvu, nil},
		"node":                      {"", "node --test", node, map[string]string{"other/stray.test.js": ""}},
		"node of files":             {"", "node --require ./setup.js --test test/*.test.js", node, nil},
		"node of a folder":          {"", "node --test test", node, nil},
	}, "mocha of settings") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, scopedProject(test.script, "", test.body, test.more), slices.DeleteFunc([]string{test.program}, func(s string) bool { return s == "" })...)
			whole := p.judge(t, gate.ReachAll)
			require.Equal(t, gate.Pass, whole.Verdict, "%s\n%s", whole.Summary, whole.Output)
			require.Equal(t, 4, whole.Executed, whole.Output)
			wide := p.judge(t, gate.ReachWide, "lib/a.js")
			require.Len(t, wide.PassedTests, 3)
			if test.program == "tape" { // which does not print the files of tests
				require.Empty(t, wide.PassedBeyond)
			} else {
				require.Len(t, wide.PassedBeyond, 1, "%v", wide.PassedTests)
				require.Contains(t, wide.PassedBeyond[0], "test/b.test.js")
			}
			require.Empty(t, whole.PassedBeyond)
			require.Empty(t, p.judge(t, gate.ReachNear, "lib/a.js").PassedBeyond)
			p.apply(t, map[string]string{"lib/a.js": "exports.a = 4;\n"})
			for _, c := range []struct {
				reach            gate.Reach
				changed          string
				executed, failed int
			}{
				{gate.ReachNear, "lib/a.js", 2, 2}, {gate.ReachWide, "lib/a.js", 3, 3}, {gate.ReachNear, "test/c.test.js", 1, 0}, {gate.ReachWide, "test/new.test.js", 0, 0},
			} {
				report := p.judge(t, c.reach, c.changed)
				require.Equal(t, c.executed, report.Executed, "%s: %s\n%s\n%v", c.changed, report.Summary, report.Output, report.Command)
				require.Len(t, report.Findings, c.failed, "%s: %v", c.changed, report.Findings)
				require.True(t, report.Part, c.changed)
				require.Equal(t, c.executed == 0, report.Empty, c.changed)
				for _, name := range append(failing(report), report.PassedTests...) {
					require.Contains(t, whole.PassedTests, name, "a test has one name")
				}
			}
		})
	}
}

// failing are the names of the tests that failed.
func failing(report gate.Report) (names []string) {
	for _, f := range report.Findings {
		names = append(names, f.Test)
	}
	return names
}

// A file that a change makes or deletes is missing on one side of it. There, too, the tests that it concerns are executed, and no others: what is
// executed on both sides is compared.
func TestScope_IsTheSameWhereAChangedFileIsMissing(t *testing.T) {
	t.Parallel()
	body := "it('NAME holds', () => { expect(require('FILE').NAME).toBe({a: 1, b: 2, c: 3}.NAME) });\n"
	p := open(t, scopedProject("jest", "", body, map[string]string{"test/self.test.js": "", "other/stray.test.js": "", "test/gone.test.js": "it('is gone', () => require('../lib/gone'));\n"}), "jest")
	require.Equal(t, 4, p.judge(t, gate.ReachAll).Executed)
	for changed, want := range map[string]int{"lib/c.js": 1, "lib/c.js test/new.test.js lib/new.js": 1, "lib/c.js lib/gone.js": 2, "test/new.test.js": 0, "lib/new.js": 4} {
		report := p.judge(t, gate.ReachWide, strings.Fields(changed)...)
		require.Equal(t, want, report.Executed, "%s: %s\n%s", changed, report.Summary, report.Output)
		require.Equal(t, want < 4, report.Part, changed)
	}
}
