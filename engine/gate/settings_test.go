package gate

import (
	"path"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestIsSettings(t *testing.T) {
	t.Parallel()
	for _, pattern := range settings {
		_, err := path.Match(pattern, "x")
		require.NoError(t, err, pattern)
	}
	for _, name := range []string{"eslint.config.js", "web/.eslintrc.json", "tsconfig.build.json", "ruff.toml", "core/.cargo/config.toml", ".golangci.yml", "a/b/.shellcheckrc"} {
		require.True(t, IsSettings(name), name)
	}
	for _, name := range []string{"package.json", "pyproject.toml", "Cargo.toml", "go.mod", "src/config.toml", "eslint.go", "ruff.toml/a.py", "jest.ts"} {
		require.False(t, IsSettings(name), name)
	}
}
