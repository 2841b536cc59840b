package javascript

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// installed makes a project whose node_modules leads out of the tree.
func withPrograms(t *testing.T, manifest string, programs ...string) *project {
	t.Helper()
	tree := write(t, map[string]string{"package.json": manifest, "a.js": ""})
	elsewhere := t.TempDir()
	for _, name := range programs {
		require.NoError(t, os.WriteFile(filepath.Join(elsewhere, name), nil, 0o755)) //nolint:gosec // a program
	}
	require.NoError(t, os.MkdirAll(filepath.Join(tree.Dir(), "node_modules"), 0o755))
	require.NoError(t, os.Symlink(elsewhere, filepath.Join(tree.Dir(), "node_modules", ".bin")))
	p, err := open(tree)
	require.NoError(t, err)
	return p
}

func TestLeftOut_NamesStepsOfTheScriptTest(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string][]string{
		`{"scripts": {"test": "xo && node --import=tsx/esm --test test/*.ts && tsc -p . && tsd && del-cli dist"}}`:            {"xo", "tsd"},
		`{"scripts": {"pretest": "npm run build", "build": "rollup -c", "test": "npm run lint && vitest run", "lint": "xo"}}`: {"rollup", "xo"},
		`{"scripts": {"test": "cross-env CI=1 c8 mocha", "lint": "xo"}}`:                                                      nil,
		`{"scripts": {"test": "eslint . && jest"}}`:                                                                           nil,
		`{"scripts": {"test": "not-installed && jest"}}`:                                                                      nil,
	} {
		require.Equal(t, want, withPrograms(t, manifest, "xo", "tsd", "rollup", "vitest", "jest", "eslint", "mocha", "c8", "tsc").leftOut(), manifest)
	}
	p := withPrograms(t, `{"scripts": {"test": "xo && jest"}}`, "xo")
	require.Equal(t, "1 test passed; not run: xo (of the script test)", p.andLeftOut("1 test passed"))
}

func TestIsFormatted_IsWhatTheProjectsCommandFormats(t *testing.T) {
	t.Parallel()
	for manifest, files := range map[string]map[string]bool{
		`{"scripts": {"lint": "prettier -c src test"}}`:                                     {"src/a.js": true, "test/x/b.ts": true, "README.md": false, "srcs/a.js": false},
		`{"scripts": {"fmt": "prettier --config .x.json --write '**/*.{js,ts}' !dist/**"}}`: {"a.js": true, "x/y.ts": true, "README.md": false, "dist/a.js": false},
		`{"scripts": {"fmt": "prettier --write ."}}`:                                        {"README.md": true},
		`{"devDependencies": {"prettier": "3"}}`:                                            {"README.md": true, "a.js": true},
	} {
		p := withPrograms(t, manifest)
		for file, want := range files {
			require.Equal(t, want, p.isFormatted(file), manifest+" "+file)
		}
	}
}
