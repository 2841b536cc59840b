package golang

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestStateOf_DecidesTheListing(t *testing.T) {
	t.Parallel()
	const text = "// Package a is one.\npackage a\n\nimport \"fmt\"\n\n//go:embed x.txt\nvar x string\n\nfunc f() { fmt.Println(x) }\n"
	for name, c := range map[string]struct {
		file, text string
		same       bool
	}{
		"another body":            {"a.go", "// Package a is one.\npackage a\n\nimport \"fmt\"\n\n//go:embed x.txt\nvar x string\n\nfunc f() { fmt.Print(x, x) }\n", true},
		"a body that is broken":   {"a.go", "// Package a is one.\npackage a\n\nimport \"fmt\"\n\n//go:embed x.txt\nvar x string\n\nfunc f() { fmt.\n", true},
		"another text":            {"x.txt", "other\n", true},
		"another import":          {"a.go", "// Package a is one.\npackage a\n\nimport \"log\"\n\n//go:embed x.txt\nvar x string\n\nfunc f() { log.Println(x) }\n", false},
		"another constraint":      {"a.go", "//go:build windows\n\n" + text, false},
		"another package":         {"a.go", "package b\n\nimport \"fmt\"\n\n//go:embed x.txt\nvar x string\n\nfunc f() { fmt.Println(x) }\n", false},
		"something else embedded": {"a.go", "// Package a is one.\npackage a\n\nimport \"fmt\"\n\n//go:embed y.txt\nvar x string\n\nfunc f() { fmt.Println(x) }\n", false},
		"imports that are broken": {"a.go", "package a\n\nimport fmt\n", false},
		"a new file":              {"b.go", "package a\n", false},
		"a new text":              {"y.txt", "y\n", false}, // a pattern may embed it
		"another module":          {"go.mod", "module example.com/n\n", false},
		"what is vendored":        {"vendor/modules.txt", "# example.com/x v1.0.1\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put := func(file, text string) {
				file = filepath.Join(dir, filepath.FromSlash(file))
				require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o700))
				require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
			}
			put("a.go", text)
			put("x.txt", "x\n")
			put("go.mod", "module example.com/m\n")
			put("vendor/modules.txt", "# example.com/x v1.0.0\n")
			var l listings
			before := l.stateOf(dir)
			require.Equal(t, before, l.stateOf(dir))
			put(c.file, c.text)
			later := time.Now().Add(time.Second)
			require.NoError(t, os.Chtimes(filepath.Join(dir, filepath.FromSlash(c.file)), later, later))
			require.Equal(t, c.same, before == l.stateOf(dir))
		})
	}
}
