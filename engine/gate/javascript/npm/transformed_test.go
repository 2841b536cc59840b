package npm

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// copyOf is a scratch tree.
type copyOf struct{ dir, origin string }

func (c copyOf) Dir() string    { return c.dir }
func (c copyOf) Origin() string { return c.origin }

// folderFor is where jest keeps what it transforms in a copy of a folder with some files.
func folderFor(t *testing.T, kept, origin string, files map[string]string) string {
	t.Helper()
	tree := copyOf{t.TempDir(), origin}
	for name, text := range files {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(tree.dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(tree.dir, name), []byte(text), 0o600))
	}
	p, err := Open(tree)
	require.NoError(t, err)
	return p.Transformed(kept, tree)
}

func TestTransformed_IsKeptForTheSettingsOfAFolder(t *testing.T) {
	t.Parallel()
	kept, origin := filepath.Join(t.TempDir(), "jest"), t.TempDir()
	plain := map[string]string{"package.json": `{"jest": {"transform": {".ts": "ts-jest"}}}`, "babel.config.js": "module.exports = { presets: ['@babel/preset-env'] };", "a.js": "1"}
	first := folderFor(t, kept, origin, plain)
	require.DirExists(t, first)
	plain["a.js"] = "2"
	require.Equal(t, first, folderFor(t, kept, origin, plain), "code is no setting")
	require.NotEqual(t, first, folderFor(t, kept, t.TempDir(), plain), "another folder")
	plain["babel.config.js"] += "\n"
	require.NotEqual(t, first, folderFor(t, kept, origin, plain), "other settings")
	require.NoError(t, os.Mkdir(filepath.Join(origin, "node_modules"), 0o755))
	second := folderFor(t, kept, origin, plain)
	require.NoError(t, os.WriteFile(filepath.Join(origin, "node_modules", ".package-lock.json"), nil, 0o600))
	require.NotEqual(t, second, folderFor(t, kept, origin, plain), "other packages")
	old := time.Now().Add(-2 * transformedFor)
	require.NoError(t, os.Chtimes(first, old, old))
	folderFor(t, kept, origin, plain)
	require.NoDirExists(t, first)
	require.DirExists(t, second)
	require.Empty(t, folderFor(t, "", origin, plain))
	require.Empty(t, folderFor(t, kept, "", plain))
}

// jest does not see that code of the project which transforms files has changed.
func TestTransformed_IsNotKeptWhereTheProjectsCodeTransforms(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"a transformer":               {"package.json": `{"jest": {"transform": {"\\.css$": "<rootDir>/css.js"}}}`},
		"a transformer in a file":     {"package.json": `{}`, "jest.config.js": "module.exports = {\n  transform: {\n    '\\.ts$': 'ts-jest',\n    '\\.css$': './css.js',\n  },\n};"},
		"a preset":                    {"package.json": `{"jest": {"preset": "./preset"}}`},
		"a plugin of Babel":           {"package.json": `{"babel": {"plugins": ["./plugin"]}}`},
		"a plugin of Babel in a file": {"package.json": `{}`, ".babelrc.js": "module.exports = { plugins: [require('../plugin')] };"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, folderFor(t, t.TempDir(), t.TempDir(), files))
		})
	}
	require.True(t, transformsItself("package.json", []byte(`{"jest": }`)), "it cannot be parsed")
	paths := map[string]string{"package.json": `{"jest": {"moduleNameMapper": {"^~/(.*)$": "<rootDir>/src/$1"}, "setupFiles": ["./setup.js"]}}`}
	require.NotEmpty(t, folderFor(t, t.TempDir(), t.TempDir(), paths), "only what transforms counts")
}
