package javascript

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
)

func TestScope_HasRunnersFindRelatedTests(t *testing.T) {
	t.Parallel()
	near := gate.Scope{Changed: []string{"a.js", "README.md"}, Reach: gate.ReachNear}
	for manifest, want := range map[string]string{
		`{"scripts": {"test": "vitest run --coverage"}}`:                                                              "related --run --includeTaskLocation --no-coverage --reporter=json --no-color ./a.js",
		`{"scripts": {"test": "jest --silent"}}`:                                                                      "--silent --coverage=false --json --testLocationInResults --ci --no-color --findRelatedTests ./a.js",
		`{"devDependencies": {"jest": "29"}}`:                                                                         "--coverage=false --json --testLocationInResults --ci --no-color --findRelatedTests ./a.js",
		`{"scripts": {"test": "vitest run --bail 1 --changed --reporter dot"}}`:                                       "related --run --includeTaskLocation --no-coverage --reporter=json --no-color ./a.js",
		`{"scripts": {"test": "yarn unit --silent", "unit": "tsc && yarn jest -i", "jest": "jest --watchAll false"}}`: "-i --silent --coverage=false --json --testLocationInResults --ci --no-color --findRelatedTests ./a.js",
		`{"scripts": {"test": "npm run unit --silent -- -i", "unit": "jest | cat"}}`:                                  "--coverage=false --json --testLocationInResults --ci --no-color --findRelatedTests ./a.js",
		`{"scripts": {"test": "jest --config x.json"}}`:                                                               "--config x.json --coverage=false --json --testLocationInResults --ci --no-color",
		`{"scripts": {"test": "mocha"}}`:                                                                              "--no-color",
	} {
		p := withPrograms(t, manifest, "vitest", "jest", "mocha")
		suites := readScript(p).suitesIn(near)
		require.Len(t, suites, 1)
		_, told := (testrun.Seal{}).Placed(suites[0].argv[1:])
		require.Equal(t, strings.ReplaceAll(want, " --includeTaskLocation", ""), strings.Join(told, " "), manifest)
	}
	p := withPrograms(t, `{"scripts": {"test": "jest"}}`, "jest")
	all := readScript(p).suites()[0].argv
	for _, scope := range []gate.Scope{
		{}, {Changed: []string{"a.js"}}, {Changed: []string{"package.json"}, Reach: gate.ReachNear}, {Changed: []string{"gone.js"}, Reach: gate.ReachNear}, {Changed: []string{"__snapshots__/a.snap"}, Reach: gate.ReachNear},
	} {
		require.Equal(t, all, readScript(p).suitesIn(scope)[0].argv, "%+v", scope)
	}
}

// What imports a missing file takes its place, and a file of tests that is missing concerns no other one.
func TestScope_CountsMissingFilesOnBothSides(t *testing.T) {
	t.Parallel()
	s := readScript(open(t, map[string]string{
		"package.json": `{"scripts": {"test": "jest"}}`, "bin:jest": "", "a.js": "", "user.js": "require('./gone')", "test/b.test.js": "",
	}))
	for changed, want := range map[string]string{
		"a.js new.js test/new.test.js": "a.js", "a.js gone.js": "a.js user.js", "gone.js user.js": "user.js", "test/new.test.js new.js": "idle", "new.js": "whole",
	} {
		require.Equal(t, want, s.chosen(gate.Scope{Changed: strings.Fields(changed), Reach: gate.ReachWide}), changed)
	}
}

func TestConcerned_LeavesOutOtherProjects(t *testing.T) {
	t.Parallel()
	tree := write(t, map[string]string{
		"package.json":         `{"workspaces": ["ui", "lib"]}`,
		"ui/package.json":      `{"name": "ui", "scripts": {"format": "prettier -c src"}, "dependencies": {"lib": "*"}}`,
		"ui/src/a.ts":          "",
		"lib/package.json":     `{"name": "lib"}`,
		"other/package.json":   `{"name": "other"}`,
		"other/a.ts":           "",
		"cmd/promtool/tsdb.go": "",
		"ui/README.md":         "",
	})
	for file, want := range map[string]string{
		"cmd/promtool/tsdb.go": "", "docs/x.md": "", "other/a.ts": "", "ui/README.md": "",
		"ui/src/a.ts": "prettier eslint node tsc script test", "ui/a.ts": "eslint node tsc script test", "lib/b.ts": "eslint tsc script test",
		"tsconfig.json": "prettier eslint node tsc script test", "ui/package.json": "prettier eslint node tsc script test",
		"ui/src/x.css": "prettier test",
	} {
		var concerned []string
		for _, g := range Language(canned{}, t.TempDir()).Gates {
			if gate.Concerned(gate.In("ui", g), tree, []string{file}) {
				concerned = append(concerned, strings.TrimPrefix(strings.TrimSuffix(g.Name(), " syntax"), "javascript "))
			}
		}
		require.ElementsMatch(t, strings.Fields(want), concerned, file)
	}
}

// A change of a package that the project uses concerns all tests of the project, and one of another package none.
func TestScope_CountsPackagesOutsideOfTheProject(t *testing.T) {
	t.Parallel()
	for runner, whole := range map[string]string{"jest": "jest", "vitest run": "vitest"} {
		tree := write(t, map[string]string{
			"package.json": `{"workspaces": ["*"]}`, "lib/package.json": `{"name": "lib"}`, "lib/a.js": "", "other/package.json": `{"name": "other"}`, "other/a.js": "",
			"app/package.json": `{"scripts": {"test": "` + runner + `"}, "dependencies": {"lib": "*"}}`, "app/a.js": "", "bin:" + whole: "",
		})
		p, err := npm.Open(gate.InDir(tree, "app"))
		require.NoError(t, err)
		script := readScript(p)
		for changed, want := range map[string]bool{"a.js ../lib/a.js": true, "a.js ../other/a.js": false, "a.js": false} {
			suites := script.suitesIn(gate.Scope{Changed: strings.Fields(changed), Reach: gate.ReachWide})
			require.Len(t, suites, 1)
			require.Equal(t, want, !suites[0].part, runner+" "+changed)
			require.NotContains(t, strings.Join(suites[0].argv, " "), "../other", changed)
		}
	}
}

// A package is concerned by another one that it uses through a third one of their workspace.
func TestConcerned_FollowsThePackagesOfTheWorkspace(t *testing.T) {
	t.Parallel()
	for root, want := range map[string]bool{
		`{"workspaces": ["packages/*"]}`: true, `{"workspaces": {"packages": ["./packages/{app,ui}/"]}}`: true, `pnpm`: true, `{}`: false,
	} {
		files := map[string]string{
			"package.json": root, "packages/app/package.json": `{"name": "app", "scripts": {"test": "jest"}, "dependencies": {"@us/ui": "*"}}`,
			"packages/ui/package.json": `{"name": "@us/ui", "devDependencies": {"utils": "*", "app": "*"}}`, "packages/utils/package.json": `{"name": "utils"}`,
			"packages/alone/package.json": `{"name": "alone", "dependencies": {"utils": "*"}}`,
		}
		if root == "pnpm" {
			files["package.json"], files["pnpm-workspace.yaml"] = `{}`, "packages:\n  - 'packages/**'\n"
		}
		tree := write(t, files)
		for _, name := range []string{nameTypes, nameTest} {
			g := gate.In("packages/app", gateNamed(t, canned{}, name))
			require.Equal(t, want, gate.Concerned(g, tree, []string{"packages/utils/src/a.ts"}), "%s %s", name, root)
			require.True(t, gate.Concerned(g, tree, []string{"packages/ui/src/a.ts"}))
			require.False(t, gate.Concerned(g, tree, []string{"packages/alone/src/a.ts"}))
		}
	}
}

// A script that starts jest several times has new tests run only where it may run them, to see them fail.
func TestNear_LeavesOutStartsOfJestForOtherFiles(t *testing.T) {
	t.Parallel()
	tests := gate.Scope{Changed: []string{"test/new.test.js"}, Reach: gate.ReachNear}
	for script, want := range map[string]int{
		"jest test/timezone.test --silent && jest test/zone && jest": 1,
		"jest test/new.test && jest":                                 2,
		"jest TEST/NEW && jest":                                      2,
		"jest --config test/timezone.test && jest":                   2,
		"jest --silent test/timezone.test && jest":                   2,
		"jest --ci=false test/timezone.test && jest":                 1,
		"jest 'test/(?!new)' && jest":                                2,
		"jest test/timezone.test":                                    1,
	} {
		script, err := json.Marshal(script)
		require.NoError(t, err)
		p := open(t, map[string]string{"package.json": `{"scripts": {"test": ` + string(script) + `}}`, "bin:jest": "", "a.js": "", "test/new.test.js": "", "test/timezone.test.js": ""})
		require.Len(t, readScript(p).suitesIn(tests), want, string(script))
		wide := tests
		wide.Reach = gate.ReachWide
		require.Len(t, readScript(p).suitesIn(wide), len(readScript(p).suites()), string(script))
		code := gate.Scope{Changed: []string{"a.js", "test/new.test.js"}, Reach: gate.ReachNear}
		require.Len(t, readScript(p).suitesIn(code), len(readScript(p).suites()), string(script))
	}
}
