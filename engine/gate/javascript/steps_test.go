package javascript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate/javascript/npm"
)

// installed makes a project whose node_modules leads out of the tree.
func withPrograms(t *testing.T, manifest string, programs ...string) *npm.Project {
	t.Helper()
	tree := write(t, map[string]string{"package.json": manifest, "a.js": ""})
	elsewhere := t.TempDir()
	for _, name := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(elsewhere, name), nil, 0o755)) //nolint:gosec // a program
	}
	require.NoError(t, os.MkdirAll(filepath.Join(tree.Dir(), "node_modules"), 0o755))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(tree.Dir(), "node_modules", ".bin")))
	p, err := npm.Open(tree)
	require.NoError(t, err)
	return p
}

// Every command of the script "test" is something to some gate, and none is passed over in silence.
func TestSteps_ClassifyCommands(t *testing.T) {
	t.Parallel()
	kinds := map[stepKind]string{stepTests: "tests", stepStrange: "strange", stepCheck: "check", stepBuild: "build", stepOutside: "outside", stepShell: "shell"}
	for manifest, want := range map[string]string{
		`{"scripts": {"test": "xo && node --import=tsx/esm --test test/*.ts && tsc -p . && tsd && del-cli dist"}}`:                                "check xo, tests node, build tsc, check tsd",
		`{"scripts": {"pretest": "npm run build", "build": "rollup -c", "test": "npm run lint && vitest run", "lint": "xo"}}`:                     "build rollup, check xo, tests vitest",
		`{"scripts": {"test": "cross-env CI=1 c8 mocha", "lint": "xo"}}`:                                                                          "tests mocha",
		`{"scripts": {"test": "eslint . && jest"}}`:                                                                                               "tests jest",
		`{"scripts": {"test": "tsc --noEmit && jest"}}`:                                                                                           "check tsc, tests jest",
		`{"scripts": {"test": "tsc --noEmit -p other.json && jest"}}`:                                                                             "check tsc, tests jest",
		`{"scripts": {"test": "xo && tsc --noEmit && NODE_OPTIONS='--import=tsx/esm' ava"}}`:                                                      "check xo, check tsc, tests ava",
		`{"scripts": {"test": "npm run tests-only", "tests-only": "nyc tape 'test/**/*.js'", "posttest": "npx npm@'>=10.2' audit --production"}}`: "tests tape, outside npx",
		`{"scripts": {"test": "tape test/*.js | tap-spec"}}`:                                                                                      "tests tape",
		`{"scripts": {"test": "tape test/*.js | sort"}}`:                                                                                          "shell tape",
		`{"scripts": {"test": "run-s test:*", "test:a": "uvu -r esm test", "test:b": "node x.test.js"}}`:                                          "tests uvu, strange node",
		`{"scripts": {"test": "node build.js && bun test"}}`:                                                                                      "build node, strange bun",
		`{"scripts": {"test": "wireit"}}`:                                                                                                         "strange wireit",
		`{"scripts": {"test": "jest && size-limit"}}`:                                                                                             "tests jest, check size-limit",
		`{"scripts": {"test": "jest && node check.js"}}`:                                                                                          "tests jest, check node",
		`{"scripts": {"test": "cd lib && jest"}}`:                                                                                                 "shell cd, tests jest",
		`{"scripts": {"test": "npx mocha --reporter tap"}}`:                                                                                       "tests mocha",
		`{"scripts": {"test": "node node_modules/.bin/jasmine"}}`:                                                                                 "strange node",
		`{"scripts": {"test": "npm run build --workspaces && jest", "build": "x"}}`:                                                               "build npm, tests jest",
		`{"scripts": {"test": "eclint check $(git ls-files) && jest"}}`:                                                                           "shell eclint, tests jest",
		`{"scripts": {"test": "yarn build && jest", "build": "rollup -c"}}`:                                                                       "build rollup, tests jest",
		`{"scripts": {"test": "yarn lint && pnpm unit", "lint": "xo", "unit": "mocha"}}`:                                                          "check xo, tests mocha",
		`{"scripts": {"test": "yarn install && bun build x.js && jest", "install": "xo", "build": "xo"}}`:                                         "outside yarn, outside bun, tests jest",
		`{"scripts": {"test": "yarn tsc && pnpm rollup -c && jest"}}`:                                                                             "build tsc, build rollup, tests jest",
		`{"scripts": {"test": "env-cmd -f .env.test jest"}}`:                                                                                      "tests jest",
		`{"scripts": {"test": "tsc && ts-mocha test/*.ts && xo"}}`:                                                                                "build tsc, strange ts-mocha, check xo",
		`{"scripts": {"test": "vue-cli-service test:unit"}}`:                                                                                      "build vue-cli-service",
		`{"scripts": {"test": "rollup -c"}}`:                                                                                                      "check rollup",
		`{"workspaces": ["a"], "scripts": {"test": "node all.js"}}`:                                                                               "check node",
		`{"scripts": {"test": "node all.js"}}`:                                                                                                    "strange node",
		`{"scripts": {"test": "echo hi && exit 0"}}`:                                                                                              "",
	} {
		p := withPrograms(t, manifest, "xo", "tsd", "rollup", "vitest", "jest", "eslint", "mocha", "c8", "tsc", "nyc", "size-limit", "uvu", "tape", "ts-mocha")
		var got []string
		for _, s := range readScript(p).steps {
			if s.kind != stepNothing {
				got = append(got, kinds[s.kind]+" "+s.program)
			}
		}
		require.Equal(t, want, strings.Join(got, ", "), manifest)
	}
	p := withPrograms(t, `{"scripts": {"test": "npm audit && jest"}}`, "jest")
	require.Equal(t, "1 test passed; not run: npm (of the script test)", readScript(p).andLeftOut("1 test passed"))
}

func TestIsFormatted_MatchesTheProjectsCommand(t *testing.T) {
	t.Parallel()
	for manifest, files := range map[string]map[string]bool{
		`{"scripts": {"lint": "prettier -c src test"}}`:                                     {"src/a.js": true, "test/x/b.ts": true, "README.md": false, "srcs/a.js": false},
		`{"scripts": {"fmt": "prettier --config .x.json --write '**/*.{js,ts}' !dist/**"}}`: {"a.js": true, "x/y.ts": true, "README.md": false, "dist/a.js": false},
		`{"scripts": {"fmt": "prettier --write ."}}`:                                        {"README.md": true},
		`{"devDependencies": {"prettier": "3"}}`:                                            {"README.md": true, "a.js": true},
	} {
		p := withPrograms(t, manifest)
		for file, want := range files {
			require.Equal(t, want, isFormatted(p, file), manifest+" "+file)
		}
	}
}
