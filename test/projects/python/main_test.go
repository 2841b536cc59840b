// Package python_test checks Python projects with the real tools, in the versions of requirements.txt. FORGE_TEST_TOOLS names the folder of
// the virtual environment in which they are installed, or the one above it; scripts/test.sh makes it.
package python_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/python"
	"forge/engine/sandbox"
)

// environment is the virtual environment with the tools.
var environment string

func TestMain(m *testing.M) {
	tools := os.Getenv("FORGE_TEST_TOOLS")
	for _, dir := range []string{tools, filepath.Join(tools, "python")} {
		if _, err := os.Stat(filepath.Join(dir, "pyvenv.cfg")); err == nil && tools != "" {
			environment, _ = filepath.Abs(dir)
		}
	}
	if environment == "" {
		fmt.Fprintf(os.Stderr, "FORGE_TEST_TOOLS=%q is no folder with a virtual environment: run scripts/test.sh projects\n", tools)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// dir is a tree for tests.
type dir string

func (d dir) Dir() string { return string(d) }

// write makes a tree of a txtar archive, in which the tools are installed.
func write(t *testing.T, archive string) dir {
	t.Helper()
	d := bare(t, archive)
	lend(t, d)
	return d
}

// bare makes a tree in which nothing is installed.
func bare(t *testing.T, archive string) dir {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	return dir(root)
}

// lend makes what is installed visible in a tree, as a scratch tree has it.
func lend(t *testing.T, d dir) {
	t.Helper()
	require.NoError(t, os.Symlink(environment, filepath.Join(d.Dir(), ".venv")))
}

// machine runs what is really installed; without a network.
func machine() sandbox.Runner {
	return sandbox.New(sandbox.Options{Environ: append(os.Environ(), "PIP_NO_INDEX=1")})
}

// run runs the named gate on a tree, and checks what holds for every report.
func run(t *testing.T, name string, tree gate.Tree) gate.Report {
	t.Helper()
	return runWith(t.Context(), t, machine(), name, tree)
}

func runWith(ctx context.Context, t *testing.T, runner sandbox.Runner, name string, tree gate.Tree) gate.Report {
	t.Helper()
	for _, g := range python.Language(runner).Gates {
		if g.Name() == name {
			before := listing(t, tree)
			report := g.Run(ctx, tree)
			require.Equal(t, name, report.Gate)
			require.NotEmpty(t, report.Summary)
			require.LessOrEqual(t, len([]rune(report.Summary)), 200)
			require.LessOrEqual(t, report.Passed, report.Executed)
			require.Equal(t, before, listing(t, tree), "the gate wrote into the tree")
			return report
		}
	}
	t.Fatalf("no gate %q", name)
	return gate.Report{}
}

// listing is every file of a tree, and what is in it.
func listing(t *testing.T, tree gate.Tree) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(tree.Dir(), func(path string, entry os.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			text, err := os.ReadFile(path)
			files[path] = string(text)
			return err
		}
		files[path] = ""
		return err
	}))
	return files
}

// show writes findings as lines, the first line of each message.
func show(findings []gate.Finding) string {
	var out strings.Builder
	for _, f := range findings {
		message, _, _ := strings.Cut(f.Message, "\n")
		at := f.Path
		for _, n := range []int{f.Line, f.Column} {
			if n > 0 {
				at += fmt.Sprintf(":%d", n)
			}
		}
		if f.Test != "" {
			message = "{" + f.Test + "} " + message
		}
		if f.Severity != gate.SeverityError {
			message = "(warning) " + message
		}
		fmt.Fprintf(&out, "%s [%s] %s\n", at, f.Rule, message)
	}
	return out.String()
}
