package golang

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/sandbox"
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

// asked runs what is installed, and keeps the commands.
type asked struct {
	sandbox.Runner
	commands []string
}

func (a *asked) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	a.commands = append(a.commands, strings.Join(c.Argv, " "))
	return a.Runner.Run(ctx, c)
}

// copied is a tree that copies a folder of the user.
type copied struct {
	dir
	origin string
}

func (c copied) Origin() string { return c.origin }

func TestPackages_AreListedOnceForTreesWithTheSameFiles(t *testing.T) {
	t.Parallel()
	runner := &asked{Runner: machine()}
	tools := toolsFor(runner)
	tools.known = &listings{}
	packagesOf := func(root, body string) (dirs []string) {
		tree := copied{write(t, "-- a.go --\npackage a\n\n"+body+"-- b/b.go --\npackage b\n"), root}
		all, _ := tools.packages(t.Context(), tree, []string{"./..."})
		for _, p := range all {
			require.Equal(t, tree.Dir(), p.moduleDir)
			rel, err := filepath.Rel(tree.Dir(), p.dir)
			require.NoError(t, err)
			dirs = append(dirs, rel)
		}
		return dirs
	}
	for _, body := range []string{"", "const A = 1\n", "const A = 2\n"} {
		require.Equal(t, []string{".", "b"}, packagesOf("/user/one", body), "in the second and third tree, by its own paths")
		require.Len(t, runner.commands, 1)
	}
	packagesOf("/user/one", "import _ \"fmt\"\n")
	require.Len(t, runner.commands, 2, "the twin: it imports something else")
	packagesOf("/user/two", "")
	require.Len(t, runner.commands, 3, "the twin: another folder")
}

// full is a machine on which go list prints more than is read.
type full struct{ sandbox.Runner }

func (f full) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	result, err := f.Runner.Run(ctx, c)
	if c.Argv[1] == "list" && len(result.Stdout) > 0 {
		result.Stdout, result.Truncated = result.Stdout[:bytes.Index(result.Stdout, []byte("\n}\n"))+3], true
	}
	return result, err
}

// No gate would check a package behind the end of a listing.
func TestPackages_AreNoPartOfAListing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		runner sandbox.Runner
		want   int
	}{"whole": {machine(), 2}, "more than is read": {full{machine()}, 0}} {
		tools, tree := toolsFor(c.runner), write(t, "-- a.go --\npackage a\n-- b/b.go --\npackage b\n")
		require.Len(t, tools.listPackages(t.Context(), tree, []string{"./..."}), c.want, name)
	}
	cut := toolsFor(says("{\"ImportPath\": \"m\"}\n{\"ImportPath\": \"m/b"))
	require.Empty(t, cut.listPackages(t.Context(), write(t, code), nil), "it has no end")
}

// says is a machine on which each program prints the same.
type says string

func (s says) Run(context.Context, sandbox.Command) (sandbox.Result, error) {
	return sandbox.Result{Stdout: []byte(s)}, nil
}

func TestVersions_AskTheCompilerOfCOnlyIfGoUsesIt(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]bool{"CGO_ENABLED=0": false, "CGO_ENABLED=1": true} {
		runner := &asked{Runner: machine()}
		tools := toolsFor(runner, setting, "CC=cc-of-the-test")
		require.NotEmpty(t, tools.versions(t.Context(), write(t, code)))
		require.Equal(t, want, slices.Contains(runner.commands, "cc-of-the-test --version"), setting)
	}
}
