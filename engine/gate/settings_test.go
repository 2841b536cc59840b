package gate

import (
	"path"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIsSettings_KnowsFilesByTheirNames(t *testing.T) {
	t.Parallel()
	for _, pattern := range settings {
		_, err := path.Match(pattern, "x")
		require.NoError(t, err, pattern)
	}
	for _, name := range []string{"eslint.config.js", "web/.eslintrc.json", "tsconfig.build.json", "ruff.toml", "core/.cargo/config.toml", ".golangci.yml", "a/b/.shellcheckrc", ".pytest.toml", "quiet-1.dist-info/entry_points.txt"} {
		require.True(t, IsSettings(name), name)
	}
	for _, name := range []string{"package.json", "pyproject.toml", "Cargo.toml", "go.mod", "src/config.toml", "eslint.go", "ruff.toml/a.py", "jest.ts", "docs/entry_points.txt"} {
		require.False(t, IsSettings(name), name)
	}
}

func TestIsInstalled_KnowsFoldersOfPackages(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"vendor/modules.txt", "vendor/example.com/check/check.go", "web/node_modules/chai/index.js", ".venv/lib/python3/site-packages/a.py"} {
		require.True(t, IsInstalled(name), name)
	}
	for _, name := range []string{"vendor/vendor.go", "internal/vendor/list.go", "vendor.example.com/a.go", "node_modules.go", "src/venv.py"} {
		require.False(t, IsInstalled(name), name)
	}
}

// Settings hold what replaces the code that is checked, or the tool that checks it, and nothing else.
func TestSettings_SeeReplacementFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		path, before, after string
		same                bool
	}{
		"a folder of a workspace": {"go.work", "go 1.24\nuse .\n", "go 1.24\nuse ./b\n", false},
		"a replaced module":       {"go.mod", "module a\n", "module a\nreplace b => ./b\n", false},
		"another module":          {"go.mod", "module a\n", "module a\nrequire b v1.0.0\n", true},
		"a hook of tests":         {"conftest.py", "A = 1\n", "def pytest_runtest_makereport():\n    pass\n", false},
		"a fixture":               {"conftest.py", "A = 1\n", "@pytest.fixture\ndef a():\n    pass\n", true},
		"Vitest in Vite":          {"vite.config.ts", "export default {}\n", "export default { test: { exclude: ['a'] } }\n", false},
		"Vite alone":              {"vite.config.ts", "export default {}\n", "export default { base: '/' }\n", true},
		"a patched crate":         {"Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n[patch.crates-io]\nb = { path = \"b\" }\n", false},
		"a place of tests":        {"Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n[[test]]\nname = \"b\"\npath = \"c.rs\"\n", false},
		"a place of a program":    {"Cargo.toml", "[package]\nname = \"a\"\n", "[package]\nname = \"a\"\n[[bin]]\nname = \"b\"\npath = \"c.rs\"\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.same, Settings(c.path, c.before) == Settings(c.path, c.after))
		})
	}
	for name, stands := range map[string]bool{"gift/go.mod": true, "go.mod": false, "gift/testdata/a/go.mod": false, "go.work": true, "conftest.py": false} {
		require.Equal(t, stands, Overrides(name, "module gift\n\ngo 1.24\n") != "", name)
	}
}
