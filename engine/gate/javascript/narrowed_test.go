package javascript

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
)

// scripted is a project with a script, programs that are installed, and three files of tests among others; lib/b.js imports lib/a.js.
func scripted(t *testing.T, script string, more map[string]string) testScript {
	t.Helper()
	files := map[string]string{
		"package.json": fmt.Sprintf(`{"name": "three", "main": "lib/a.js", "scripts": {"test": %q}}`, script),
		"lib/a.js":     "", "lib/b.js": "require('./a')", "lib/alone.js": "", "lib/data.json": "{}", "lib/c.js": "require('./data.json')", "README.md": "",
		"test/a.js": "require('..')", "test/b.js": "require('../lib/b')", "test/more/c.js": "require('../../lib/c')", "test/more/d.ts": "import '../../lib/b.js'",
		"test/setup.js": "require('../lib/c')", "test/fixtures/x.js": "", "test/fixtures/read.txt": "", "other/a.js": "require('../lib/a')",
		"test/reads.js": "read(__dirname, 'fixtures/read.txt')",
	}
	for name, text := range more {
		files[name] = text
	}
	for _, r := range append(runnerNames(), "tsx", "tsc") {
		files["bin:"+r] = ""
	}
	return readScript(open(t, files))
}

// told are the arguments of the suites of a scope, as a user would write them.
func (t testScript) told(scope gate.Scope) string {
	var all []string
	for i, s := range t.suitesIn(scope) {
		if i == 0 && strings.HasPrefix(t.project.Scripts["test"], "tsc") {
			all = append(all, s.made[0].program)
		}
		_, told := (testrun.Seal{}).Placed(s.argv[1:])
		if s.idle {
			told = []string{"idle"}
		}
		all = append(all, strings.Join(told, " "))
	}
	return strings.Join(all, " && ")
}

// chosen are the files that the suites of a scope are given, or "whole", or "idle".
func (t testScript) chosen(scope gate.Scope) string {
	told := t.told(scope)
	switch {
	case told == t.told(gate.Scope{}):
		return "whole"
	case told == "idle":
		return told
	}
	var files []string
	for word := range strings.FieldsSeq(told) {
		if file, is := strings.CutPrefix(word, "./"); is {
			files = append(files, file)
		}
	}
	return strings.Join(files, " ")
}

// A call gets the chosen files in the place of those that it names itself. A call of which that cannot be told stays as it is.
func TestNarrowed_ReplacesTheFilesOfACall(t *testing.T) {
	t.Parallel()
	wide := gate.Scope{Changed: []string{"lib/b.js"}, Reach: gate.ReachWide}
	for name, c := range map[string]struct {
		script, want string // none: as it is
		more         map[string]string
	}{
		"without files":                   {"mocha", "./test/b.js --no-color", nil},
		"a folder and options":            {"mocha --require test/env --check-leaks --timeout 9000 test/", "--require test/env --check-leaks --timeout 9000 ./test/b.js --no-color", nil},
		"a folder with endings":           {"mocha --recursive --extension ts --extension js test", "--recursive --extension ts --extension js ./test/b.js ./test/more/d.ts --no-color", nil},
		"a pattern":                       {"mocha 'test/**/*.{js,ts}'", "./test/b.js ./test/more/d.ts --no-color", nil},
		"a file without its ending":       {"mocha test/a test/b", "./test/b.js --no-color", nil},
		"--spec, more than once":          {"mocha --spec test/a.js --spec=test/b.js --exit", "--exit ./test/b.js --no-color", nil},
		"a file that is left out":         {"mocha --exclude test/b.js --recursive --extension ts,js", "--exclude test/b.js --recursive --extension ts,js ./test/more/d.ts --no-color", nil},
		"settings":                        {"mocha", "./test/b.js ./test/more/d.ts --no-color", map[string]string{".mocharc.yml": "recursive: true\nextension: [js, ts]\n"}},
		"settings with files":             {"mocha -t 5 test/a.js", "--no-config --no-package --retries=2 -t 5 ./test/b.js --no-color", map[string]string{".mocharc.jsonc": `{"spec": "test/b.js", /* twice */ "retries": 2, "timeout": 9}`}},
		"settings that are code":          {"mocha", "", map[string]string{".mocharc.js": ""}},
		"settings that lead elsewhere":    {"mocha", "", map[string]string{".mocharc.json": `{"extends": "x"}`}},
		"settings in two places":          {"mocha", "", map[string]string{".mocharc.json": `{}`, "package.json": `{"mocha": {}, "scripts": {"test": "mocha"}}`}},
		"settings by a name":              {"mocha --config x.json", "", nil},
		"an unknown option before a word": {"mocha --unknown test", "", nil},
		"a pattern with signs":            {"mocha 'test/!(a).js'", "", nil},
		"a folder outside":                {"mocha ../test", "", nil},
		"two calls":                       {"mocha test/a.js && mocha test/b.js test/reads.js", "./test/b.js --no-color", nil},
		"calls of more than one runner":   {"tsc && mocha test/a.js && ava 'test/b.js' test/reads.js", "tsc && ./test/b.js --tap", nil},
		"through c8":                      {"c8 mocha", "./test/b.js --no-color", nil},
		"a setup that imports it":         {"mocha -r ./test/setup", "", map[string]string{"test/setup.js": "require('../lib/b')"}},
		"a setup in NODE_OPTIONS":         {"NODE_OPTIONS='--import=./test/setup.js' mocha", "", map[string]string{"test/setup.js": "require('../lib/b')"}},
		"ava":                             {"ava --serial", "--serial ./test/b.js --tap", nil},
		"ava of a pattern":                {"ava 'test/*.js' -T 2m", "-T 2m ./test/b.js --tap", nil},
		"ava with settings that are code": {"ava", "", map[string]string{"ava.config.js": ""}},
		"tape":                            {"tape -r ./test/env 'test/*.js' | tap-spec", "-r ./test/env ./test/b.js", nil},
		"tap": {"tap", "./test/b.js ./test/more/d.ts", map[string]string{
			"node_modules/tap/package.json": `{"version": "16.3.0"}`, "package.json": `{"scripts": {"test": "tap"}, "tap": {"timeout": 30, "nyc-arg": ["--exclude", "x/**"]}}`,
		}},
		"tap with a choice of its own": {"tap", "", map[string]string{
			"node_modules/tap/package.json": `{"version": "16.3.0"}`, "package.json": `{"scripts": {"test": "tap"}, "tap": {"files": ["test/a.js"]}}`,
		}},
		"tape that ignores": {"tape -i .gitignore 'test/*.js'", "", nil},
		"uvu":               {"uvu", `. ^(?:test/b\.js|test/more/d\.ts)$`, nil},
		"uvu of a folder":   {"uvu -r esm test '\\.js$'", `-r esm test ^(?:b\.js)$`, nil},
		"uvu that ignores":  {"uvu test -i more", "", nil},
		"node of a pattern": {"node --import ./x.js --test test/*.js", " --import ./x.js ./test/b.js", nil},
		"tsx":               {"tsx --test", " ./test/b.js ./test/more/d.ts", nil},
		"a shard":           {"node --test --test-shard 1/2 test/*.js", "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := scripted(t, c.script, c.more)
			got, all := s.told(wide), s.told(gate.Scope{})
			if c.want == "" {
				require.Equal(t, all, got)
				return
			}
			require.NotEqual(t, all, got)
			require.True(t, strings.HasSuffix(got, c.want), got)
			require.Len(t, s.suitesIn(wide), 1)
			require.True(t, s.suitesIn(wide)[0].part)
		})
	}
}

// It is the same on both sides of a change: what is missing counts like what is in the tree.
func TestNarrowed_RunsWhatAChangeConcerns(t *testing.T) {
	t.Parallel()
	for changed, want := range map[string]string{
		"lib/a.js":                          "near test/a.js wide test/a.js test/b.js",
		"lib/b.js":                          "near test/b.js wide test/b.js",
		"lib/c.js":                          "near test/more/c.js wide test/more/c.js",
		"lib/alone.js":                      "near whole wide whole",
		"lib/alone.js lib/b.js":             "near test/b.js wide test/b.js",
		"lib/alone.js test/reads.js":        "near test/reads.js wide test/reads.js",
		"lib/data.json":                     "near test/more/c.js wide test/more/c.js",
		"lib/other.json":                    "near whole wide whole",
		"lib/other.json test/a.js":          "near whole wide whole",
		"README.md test/a.js":               "near test/a.js wide test/a.js",
		"README.md":                         "near whole wide whole",
		"package.json test/a.js":            "near whole wide whole",
		"tsconfig.json":                     "near whole wide whole",
		"test/fixtures/read.txt":            "near test/reads.js wide test/reads.js",
		"test/fixtures/new.txt":             "near whole wide whole",
		"test/fixtures/new.txt test/a.js":   "near test/a.js wide whole",
		"test/__snapshots__/a.snap":         "near whole wide whole",
		"test/new.js":                       "near idle wide idle",
		"test/new.js lib/b.js":              "near test/b.js wide test/b.js",
		"test/new.js lib/new.js":            "near idle wide idle",
		"lib/new.js":                        "near whole wide whole",
		"../lib/x.js test/a.js":             "near test/a.js wide test/a.js",
		"../package.json test/a.js":         "near whole wide whole",
		"lib/a.js lib/b.js lib/c.js":        "near test/a.js test/b.js test/more/c.js wide test/a.js test/b.js test/more/c.js",
		"lib/named.js":                      "near test/named.test.js wide test/named.test.js",
		"test/a.js test/b.js test/reads.js": "near test/a.js test/b.js test/reads.js wide test/a.js test/b.js test/reads.js",
	} {
		s := scripted(t, "mocha --recursive --ignore test/setup.js --ignore 'test/fixtures/**' test", map[string]string{"lib/named.js": "", "test/named.test.js": ""})
		var got []string
		for _, reach := range []gate.Reach{gate.ReachNear, gate.ReachWide} {
			got = append(got, map[gate.Reach]string{gate.ReachNear: "near", gate.ReachWide: "wide"}[reach])
			got = append(got, s.chosen(gate.Scope{Changed: strings.Fields(changed), Reach: reach}))
		}
		require.Equal(t, want, strings.Join(got, " "), changed)
	}
}

func open(t *testing.T, files map[string]string) *npm.Project {
	t.Helper()
	p, err := npm.Open(write(t, files))
	require.NoError(t, err)
	return p
}

// Tests of files that only use the changed code are known, so that they need not run without the change.
func TestBeyond_IsWhatANearScopeDoesNotRun(t *testing.T) {
	t.Parallel()
	held := []string{"test/a.js > x", "test/b.js > x", "test/b.js > y", "? > z"}
	for name, tt := range map[string]struct {
		script string
		scope  gate.Scope
		want   []string
	}{
		"a wide scope":              {"mocha test", gate.Scope{Changed: []string{"lib/a.js"}, Reach: gate.ReachWide}, []string{"test/b.js > x", "test/b.js > y"}},
		"with what imports it":      {"mocha test", gate.Scope{Changed: []string{"lib/a.js", "lib/b.js"}, Reach: gate.ReachWide}, nil},
		"a near scope":              {"mocha test", gate.Scope{Changed: []string{"lib/a.js"}, Reach: gate.ReachNear}, nil},
		"everything":                {"mocha test", gate.Scope{}, nil},
		"settings":                  {"mocha test", gate.Scope{Changed: []string{"lib/a.js", "package.json"}, Reach: gate.ReachWide}, nil},
		"a runner follows imports":  {"jest", gate.Scope{Changed: []string{"lib/a.js"}, Reach: gate.ReachWide}, nil},
		"another program beside it": {"mocha test && karma start", gate.Scope{Changed: []string{"lib/a.js"}, Reach: gate.ReachWide}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, scripted(t, tt.script, nil).beyond(held, tt.scope))
		})
	}
}
