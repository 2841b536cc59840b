// Package javascript runs the gates for JavaScript with the real tools, on projects made for it and on a package of others with its
// tests. It needs Node.js and the npm packages of its package-lock.json: FORGE_TEST_TOOLS names the folder that has node_modules, else
// they are beside this file.
package javascript

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript"
	"forge/engine/sandbox"
	"forge/engine/shadow"
	"forge/engine/workspace"
	"forge/internal/testkit"
	"forge/patch"
)

// modules is the folder of installed packages.
func modules(t *testing.T) string {
	t.Helper()
	for _, dir := range []string{os.Getenv("FORGE_TEST_TOOLS"), "."} {
		found, err := filepath.Abs(filepath.Join(dir, "node_modules"))
		require.NoError(t, err)
		if _, err := os.Stat(filepath.Join(found, "process-warning")); dir != "" && err == nil {
			return found
		}
	}
	t.Fatal("npm packages are missing: npm --prefix test/projects/javascript ci --ignore-scripts")
	return ""
}

func machine() sandbox.Runner { return sandbox.New(sandbox.Options{Environ: os.Environ()}) }

// project is a user's folder, with packages that are installed, and a scratch tree of it.
type project struct {
	root string
	tree *shadow.Tree
}

// eslint10 has the newer of the two versions of eslint in the place of the older one.
const eslint10 = "eslint10"

// open makes a project of files, with some of the packages, and checks it out.
func open(t *testing.T, files map[string]string, packages ...string) project {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	if _, has := files[".gitignore"]; !has {
		require.NoError(t, os.WriteFile(filepath.Join(root, ".gitignore"), []byte("node_modules\n"), 0o600))
	}
	install(t, root, packages...)
	repo, err := shadow.Open(t.Context(), machine(), t.TempDir(), root)
	require.NoError(t, err)
	snapshot, err := repo.Snapshots.Take(t.Context(), workspace.Snapshot{Root: root})
	require.NoError(t, err)
	tree, err := repo.Trees.Checkout(t.Context(), snapshot)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tree.Close()) })
	return project{root, tree}
}

// install makes a node_modules of links, as pnpm does.
func install(t *testing.T, root string, packages ...string) {
	t.Helper()
	all, here := modules(t), filepath.Join(root, "node_modules")
	require.NoError(t, os.MkdirAll(filepath.Join(here, ".bin"), 0o755))
	for _, name := range packages {
		from := name
		if name == eslint10 {
			name = "eslint"
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(here, filepath.FromSlash(name))), 0o755))
		require.NoError(t, os.Symlink(filepath.Join(all, filepath.FromSlash(from)), filepath.Join(here, filepath.FromSlash(name))))
		for program, script := range programs[name] {
			require.NoError(t, os.Symlink("../"+name+"/"+script, filepath.Join(here, ".bin", program)))
		}
	}
}

// programs are what packages have in node_modules/.bin.
var programs = map[string]map[string]string{
	"ava":        {"ava": "entrypoints/cli.mjs"},
	"tape":       {"tape": "bin/tape"},
	"uvu":        {"uvu": "bin.js"},
	"eslint":     {"eslint": "bin/eslint.js"},
	"jest":       {"jest": "bin/jest.js"},
	"mocha":      {"mocha": "bin/mocha.js"},
	"prettier":   {"prettier": "bin/prettier.cjs"},
	"typescript": {"tsc": "bin/tsc"},
	"vitest":     {"vitest": "vitest.mjs"},
}

// check runs all gates of the project in a folder of its tree, or those that are named.
func (p project) check(t *testing.T, dir string, only ...string) map[string]gate.Report {
	t.Helper()
	language := javascript.Language(machine(), t.TempDir())
	tree := gate.InDir(p.tree, dir)
	names := language.Select(t.Context(), tree)
	reports := map[string]gate.Report{}
	for _, g := range language.Gates {
		if slices.Contains(names, g.Name()) && (len(only) == 0 || slices.Contains(only, g.Name())) {
			reports[g.Name()] = g.Run(t.Context(), tree)
			t.Logf("%s: %v, %s", g.Name(), reports[g.Name()].Verdict, reports[g.Name()].Summary)
		}
	}
	return reports
}

// apply makes changes to files of the tree.
func (p project) apply(t *testing.T, files map[string]string) {
	t.Helper()
	var set patch.ChangeSet
	for _, name := range slices.Sorted(maps.Keys(files)) {
		set.Files = append(set.Files, patch.FileChange{Kind: patch.Update, Path: name, After: files[name]})
	}
	require.NoError(t, p.tree.Apply(set))
}

func verdicts(reports map[string]gate.Report) map[string]string {
	all := map[string]string{}
	for name, r := range reports {
		all[name] = r.Verdict.String()
	}
	return all
}

// typed is a project in TypeScript with every gate.
var typed = map[string]string{
	"package.json":     "{\n  \"type\": \"module\",\n  \"scripts\": {\n    \"test\": \"vitest run\"\n  }\n}\n",
	"tsconfig.json":    "{\n  \"compilerOptions\": {\n    \"strict\": true,\n    \"module\": \"nodenext\",\n    \"types\": [],\n    \"skipLibCheck\": true\n  },\n  \"include\": [\"src\"]\n}\n",
	"eslint.config.js": "export default [{ rules: { eqeqeq: \"error\", \"no-console\": \"warn\" } }];\n",
	".prettierrc":      "{}\n",
	"src/add.ts":       "export function add(a: number, b: number): number {\n  return a + b;\n}\n",
	"src/add.test.ts": "import { expect, test } from \"vitest\";\nimport { add } from \"./add.js\";\n\ntest(\"adds\", () => {\n  expect(add(1, 2)).toBe(3);\n});\n" +
		"\ntest.skip(\"later\", () => {});\n",
	"lib.js": "export const same = (a, b) => a === b;\n",
}

// Every gate passes on a sound project, and each fails on a tree that is wrong in its way only, at the place where it is wrong.
func TestJavaScriptGates_EachFindsItsFault(t *testing.T) {
	t.Parallel()
	p := open(t, typed, "typescript", eslint10, "prettier", "vitest")
	reports := p.check(t, "")
	require.Equal(t, map[string]string{"prettier": "pass", "eslint": "pass", "tsc": "pass", "javascript test": "pass"}, verdicts(reports))
	require.Equal(t, []string{"src/add.test.ts > adds"}, reports["javascript test"].PassedTests)
	require.Equal(t, 1, reports["javascript test"].Executed, "a skipped test is not executed")
	changes, err := p.tree.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, changes.Files, "gates change nothing that is kept")

	for name, test := range testkit.SampleMap(0, map[string]struct {
		files map[string]string
		gate  string
		want  gate.Finding
	}{
		"format": {map[string]string{"lib.js": "export const same = (a, b) => a === b;\nexport const x  = 1;\n"}, "prettier", gate.Finding{Path: "lib.js", Line: 2, Rule: "prettier"}},
		"lint":   {map[string]string{"lib.js": "export const same = (a, b) => a == b;\n"}, "eslint", gate.Finding{Path: "lib.js", Line: 1, Column: 33, Rule: "eslint/eqeqeq"}},
		"types":  {map[string]string{"src/more.ts": "export const more: number = \"text\";\n"}, "tsc", gate.Finding{Path: "src/more.ts", Line: 1, Column: 14, Rule: "tsc/TS2322"}},
		"tests": {
			map[string]string{"src/add.ts": "export function add(a: number, b: number): number {\n  return a - b;\n}\n"}, "javascript test",
			gate.Finding{Path: "src/add.test.ts", Line: 5, Column: 21, Rule: "test", Test: "src/add.test.ts > adds"},
		},
		"process.exit in the code": {
			map[string]string{"src/add.ts": "process.exit(0);\nexport function add(a: number, b: number): number {\n  return a - b;\n}\n"}, "javascript test",
			gate.Finding{Path: "src/add.ts", Line: 1, Column: 9, Rule: "load"},
		},
	}, "format", "lint", "types", "tests") {
		require.NoError(t, p.tree.Reset(t.Context()))
		p.apply(t, test.files)
		report := p.check(t, "", test.gate)[test.gate]
		require.Equal(t, gate.Fail, report.Verdict, "%s: %s", name, report.Output)
		got := report.Findings[0]
		got.Message, got.Severity = "", 0
		require.Equal(t, test.want, got, name)
	}
}

// Tests in one runner each: a test that passes, one that fails, one that ends the process, and no tests at all.
func TestJavaScriptRunners_ReportPassFailAndExit(t *testing.T) {
	t.Parallel()
	for name, runner := range testkit.SampleMap(0, map[string]struct {
		manifest, packages string
		file, test, wrong  string
	}{
		"jest":  {`{"scripts": {"test": "jest"}}`, "jest", "a.test.js", "test('x', () => { expect(require('./code').two).toBe(2) });\n", "1"},
		"mocha": {`{"scripts": {"test": "mocha"}}`, "mocha", "test/a.js", "it('x', () => { require('assert').equal(require('../code').two, 2) });\n", "1"},
		"node":  {`{"scripts": {"test": "node --test test/*.js"}}`, "", "test/a.js", "require('node:test')('x', () => { require('assert').equal(require('../code').two, 2) });\n", "1"},
	}, "jest") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := open(t, map[string]string{"package.json": runner.manifest, "code.js": "exports.two = 2;\n", runner.file: runner.test}, strings.Fields(runner.packages)...)
			run := func(files map[string]string) gate.Report {
				require.NoError(t, p.tree.Reset(t.Context()))
				p.apply(t, files)
				return p.check(t, "")["javascript test"]
			}
			sound := run(nil)
			require.Equal(t, gate.Pass, sound.Verdict, sound.Output)
			require.Equal(t, []string{runner.file + " > x"}, sound.PassedTests)
			wrong := run(map[string]string{"code.js": "exports.two = 1;\n"})
			require.Equal(t, gate.Fail, wrong.Verdict)
			require.Equal(t, runner.file+" > x", wrong.Findings[0].Test)
			require.Equal(t, runner.file, wrong.Findings[0].Path)
			require.Equal(t, 1, wrong.Findings[0].Line)
			red, reason := javascript.Red(sound, wrong)
			require.True(t, red, reason)
			require.Equal(t, gate.Fail, run(map[string]string{"code.js": "process.exit(0);\n"}).Verdict, "a module ends the process")
			require.Equal(t, gate.Fail, run(map[string]string{runner.file: "process.exit(0);\n" + runner.test}).Verdict, "the test ends the process")
			absent := run(map[string]string{runner.file: strings.Replace(runner.test, "/code'", "/none'", 1)})
			require.Equal(t, gate.Fail, absent.Verdict)
			red, reason = javascript.Red(sound, absent)
			require.True(t, red, reason)
		})
	}
}

func TestJavaScriptSyntax_ChecksEveryModuleKind(t *testing.T) {
	t.Parallel()
	p := open(t, map[string]string{
		"package.json": "{}", "a.js": "#!/usr/bin/env node\nconst x = require('y');\nreturn x;\n", "b.js": "import x from 'y';\nawait x;\n", "c.mjs": "export default 1;\n",
		"d.cjs": "module.exports = 1;\n", "in/package.json": `{"type": "module"}`, "in/e.js": "export {};\n", "test/fixtures/bad.js": "function {\n",
	})
	sound := p.check(t, "")["node syntax"]
	require.Equal(t, gate.Pass, sound.Verdict, sound.Output)
	require.Equal(t, 5, sound.Executed)
	for name, test := range testkit.SampleMap(2, map[string]struct {
		path, text   string
		line, column int
	}{
		"a script":                     {"a.js", "const a = 1;\nlet let = ;\n", 2, 5},
		"a module by what it says":     {"b.js", "import x from 'y';\nexport const b = ;\n", 2, 18},
		"a module by its name":         {"c.mjs", "export default 1 2;\n", 1, 18},
		"a module by its package.json": {"in/e.js", "export const a = 1;\nexport const a = 2;\n", 2, 14},
		"a script by its name":         {"d.cjs", "export default 1;\n", 1, 1},
	}) {
		require.NoError(t, p.tree.Reset(t.Context()))
		p.apply(t, map[string]string{test.path: test.text})
		report := p.check(t, "")["node syntax"]
		require.Equal(t, gate.Fail, report.Verdict, name)
		require.Len(t, report.Findings, 1, name)
		require.Equal(t, []any{test.path, test.line, test.column}, []any{report.Findings[0].Path, report.Findings[0].Line, report.Findings[0].Column}, "%s: %s", name, report.Findings[0].Message)
	}
}

// A package of a workspace is the tree's, also if another package finds it through node_modules: with the package on the user's disk
// the test would pass.
func TestJavaScriptWorkspace_UsesThePackagesOfTheTree(t *testing.T) {
	t.Parallel()
	p := open(t, map[string]string{
		"package.json": `{"workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}}`, ".gitignore": "node_modules/\n",
		"packages/lib/package.json": `{"name": "@ours/lib", "main": "lib.js"}`, "packages/lib/lib.js": "exports.two = 2;\n",
		"packages/app/package.json": `{"name": "app", "scripts": {"test": "mocha"}}`,
		"packages/app/test/a.js":    "it('x', () => { require('assert').equal(require('@ours/lib').two, 2) });\n",
		"node_modules/@ours/.keep":  "",
	}, "mocha")
	require.NoError(t, os.Symlink("../../packages/lib", filepath.Join(p.root, "node_modules", "@ours", "lib")))
	require.NoError(t, p.tree.Reset(t.Context()))
	files, err := p.tree.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{"", "packages/app"}, javascript.Language(machine(), t.TempDir()).Roots(files, p.tree.ReadFile))
	require.NotContains(t, p.check(t, ""), "javascript test", "its packages have the tests")
	require.Equal(t, gate.Pass, p.check(t, "packages/app")["javascript test"].Verdict)
	p.apply(t, map[string]string{"packages/lib/lib.js": "exports.two = 3;\n"})
	require.Equal(t, gate.Fail, p.check(t, "packages/app")["javascript test"].Verdict)
}

func TestJavaScriptFormat_FormatsTheGivenFiles(t *testing.T) {
	t.Parallel()
	p := open(t, map[string]string{"package.json": `{"prettier": {"semi": false}}`, "a.js": "let  a = 1;\n", "b.js": "let  b = 1;\n", "bad.js": "let {\n"}, "prettier")
	format := javascript.Language(machine(), t.TempDir()).Format
	require.NoError(t, format(t.Context(), p.tree, []string{"a.js", "bad.js", "package.json"}))
	changes, err := p.tree.Changes(t.Context())
	require.NoError(t, err)
	require.Len(t, changes.Files, 2)
	require.Equal(t, patch.FileChange{Kind: patch.Update, Path: "a.js", Before: "let  a = 1;\n", After: "let a = 1\n"}, changes.Files[0])
	require.Equal(t, "package.json", changes.Files[1].Path)

	without := open(t, map[string]string{"package.json": `{"prettier": {}}`, "a.js": "let  a = 1;\n"})
	require.NoError(t, format(t.Context(), without.tree, []string{"a.js"}), "a missing formatter changes nothing")
}

// process-warning by the Fastify team, as it is published: eslint with its own configuration, node --test and jest.
func TestJavaScriptGates_PublishedPackage(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	root := filepath.Join(modules(t), "process-warning")
	require.NoError(t, filepath.WalkDir(root, func(name string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(root, name)
		files[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	p := open(t, files, "eslint", "neostandard", "jest")
	reports := p.check(t, "")
	const untried = "not-run" // its script test ends with tstyche, which is not installed here
	require.Equal(t, map[string]string{"eslint": "pass", "node syntax": "pass", "javascript test": "pass", "javascript script": untried}, verdicts(reports), reports["javascript test"].Output)
	tests := reports["javascript test"]
	require.Greater(t, tests.Executed, 15)
	require.Contains(t, tests.PassedTests, "test/jest.test.js > works with jest")

	require.Contains(t, files["index.js"], "emitted = true")
	p.apply(t, map[string]string{"index.js": strings.Replace(files["index.js"], "emitted = true", "emitted = false;", 1)})
	reports = p.check(t, "")
	require.Equal(t, map[string]string{"eslint": "fail", "node syntax": "pass", "javascript test": "fail", "javascript script": untried}, verdicts(reports))
	for name, report := range reports {
		for _, f := range report.Findings {
			require.NotEmpty(t, f.Path, "%s: %s", name, f.Message)
			require.Positive(t, f.Line, "%s: %s", name, f.Message)
		}
	}
}
