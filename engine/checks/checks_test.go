package checks

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/gate"
	"forge/engine/gate/general"
	"forge/engine/gate/rust"
	"forge/engine/sandbox"
	"forge/engine/state"
	"forge/engine/step"
)

// plainTree is a folder as a tree.
type plainTree struct {
	activity.Tree
	dir   string
	paths []string
}

func (p plainTree) Dir() string                            { return p.dir }
func (p plainTree) List(context.Context) ([]string, error) { return p.paths, nil }
func (p plainTree) ReadFile(name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(p.dir, name))
}
func treeOf(t *testing.T, archive string) plainTree {
	t.Helper()
	p := plainTree{dir: t.TempDir()}
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(p.dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
		p.paths = append(p.paths, f.Name)
	}
	slices.Sort(p.paths)
	return p
}

// there is a runner on a machine that has every tool; nothing is done.
type there struct{}

func (there) Run(context.Context, sandbox.Command) (sandbox.Result, error) {
	return sandbox.Result{}, nil
}

// elsewhere stands in for a language whose gates depend on what is installed.
func elsewhere() gate.Language {
	return gate.Language{
		Name: "python", Mark: "pyproject.toml", Gates: []gate.Gate{brokenGate{"pytest", "x"}, brokenGate{"mypy", "x"}}, Suite: "pytest",
		Roots: func(paths []string, _ func(string) ([]byte, error)) (found []string) {
			for _, p := range paths {
				if filepath.Base(p) == "pyproject.toml" {
					found = append(found, filepath.ToSlash(filepath.Dir(p)))
				}
			}
			return found
		},
		Select: func(context.Context, gate.Tree) []string { return []string{"pytest", "mypy"} },
		IsTest: func(p string) bool { return filepath.Base(p) == "test_a.py" },
	}
}

const monorepo = "-- api/go.mod --\nmodule m\n-- core/Cargo.toml --\n[package]\n-- ml/pyproject.toml --\n-- build.sh --\n-- README --\n"

func checksWith(t *testing.T, c Settings) Checking {
	t.Helper()
	known := slices.DeleteFunc(languages(there{}, t.TempDir()), func(l gate.Language) bool { return l.Name == elsewhere().Name })
	all := New(Options{
		State: state.New(state.Options{Dir: t.TempDir(), Now: time.Now}), Runner: sandbox.New(sandbox.Options{Environ: os.Environ()}),
		Languages: append(known, elsewhere()), Settings: func(context.Context, string) Settings { return c }, Now: time.Now,
	})
	return all.Of(t.Context(), "")
}

// A tree of four languages is four projects at once, each with its own gates; the cheap ones of all come first.
func TestChecks_FourLanguages(t *testing.T) {
	t.Parallel()
	c := checksWith(t, Settings{})
	units, err := c.Units(t.Context(), treeOf(t, monorepo))
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]step.Unit{
		{Language: "go", Dir: "api", Gates: goGates(c)},
		{Language: "rust", Dir: "core", Gates: []string{"cargo fmt", "cargo check", "cargo clippy", "cargo test"}},
		{Language: "shell", Gates: []string{"sh -n", "shellcheck"}},
		{Language: "python", Dir: "ml", Gates: []string{"pytest", "mypy"}},
	}, units))
	p := c.Project(units)
	require.Equal(t, []string{"gofmt (api)", "cargo fmt (core)"}, p.Gates[:2])
	require.Equal(t, "cargo test (core)", p.Gates[len(p.Gates)-1])
	require.Len(t, p.Suites, 3)
	require.True(t, p.IsTest("api/a_test.go"))
	require.True(t, p.IsTest("core/tests/a.rs"))
	require.False(t, p.IsTest("tests/a.rs"), "in no project of Rust")
	for _, name := range p.Gates {
		require.Equal(t, name, c.Gate(name).Name())
	}
	require.Contains(t, p.Known, "rust (Cargo.toml)")
}

// goGates are those of Go that this machine selects.
func goGates(c Checking) []string {
	l, _ := c.language("go")
	return l.Select(context.Background(), plainTree{})
}

func TestChecks_WaivedGatesAreLeftOut(t *testing.T) {
	t.Parallel()
	c := checksWith(t, Settings{Waived: []string{"mypy", "cargo clippy (core)", "gofmt (web)"}})
	units, err := c.Units(t.Context(), treeOf(t, monorepo))
	require.NoError(t, err)
	p := c.Project(units)
	require.Equal(t, []string{"cargo clippy (core)", "mypy (ml)"}, p.Waived)
	require.NotContains(t, p.Gates, "mypy (ml)")
	require.NotContains(t, p.Gates, "cargo clippy (core)")
	require.Contains(t, p.Gates, "gofmt (api)", "waived in another folder only")
}

func TestChecks_OwnGates(t *testing.T) {
	t.Parallel()
	c := checksWith(t, Settings{Own: []OwnGate{
		{Name: "licences", Argv: []string{"true"}, Stage: "format", Checks: 1},
		{Name: "broken", Argv: []string{"./x"}},
		{Name: "gofmt", Argv: []string{"true"}, Checks: 1},
	}})
	units, err := c.Units(t.Context(), treeOf(t, "-- README --\n"))
	require.NoError(t, err)
	require.Equal(t, []string{"licences", "broken", "settings: gofmt"}, units[0].Gates)
	require.Equal(t, "licences", c.Project(units).Gates[0])
	tree := treeOf(t, "-- a --\n")
	require.Equal(t, gate.Pass, c.Gate("licences").Run(t.Context(), tree).Verdict)
	require.Equal(t, gate.Error, c.Gate("broken").Run(t.Context(), tree).Verdict, "it is not left out")
	require.Contains(t, c.Gate("settings: gofmt").Run(t.Context(), tree).Summary, "give yours another one")
	require.NotEqual(t, gate.Pass, c.Gate("gofmt").Run(t.Context(), tree).Verdict, "the one of Forge's own is what it was")
}

// slow notes the time that its commands have.
type slow struct{ limit *time.Duration }

func (s slow) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	*s.limit = c.Timeout
	return sandbox.Result{}, nil
}

func TestChecks_TimeoutsOfTheUser(t *testing.T) {
	t.Parallel()
	var limit time.Duration
	tree := treeOf(t, "-- a.sh --\n")
	c := Checking{languages: []gate.Language{general.ShellLanguage(slow{&limit})}}
	c.Gate("sh -n").Run(t.Context(), tree)
	usual := limit
	c.set.Timeouts = map[string]time.Duration{"sh -n": 42 * time.Minute}
	g := c.Gate("sh -n")
	require.Equal(t, gate.StageLint, gate.StageOf(g))
	require.True(t, gate.OnlyReads(g))
	g.Run(t.Context(), tree)
	require.Equal(t, 42*time.Minute, limit)
	require.NotEqual(t, usual, limit)
}

// Build results are in Forge's own folder, and not in the tree.
func TestLanguages_BuildsLieInTheState(t *testing.T) {
	t.Parallel()
	build := t.TempDir()
	l := rust.Language(metadata{}, filepath.Join(build, "rust"))
	tree := treeOf(t, "-- Cargo.toml --\n[package]\n")
	for _, g := range l.Gates {
		g.Run(t.Context(), tree)
	}
	entries, err := os.ReadDir(filepath.Join(build, "rust"))
	require.NoError(t, err)
	require.Len(t, entries, 1)
}

type metadata struct{}

func (metadata) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	text := []byte(`{"packages":[{"id":"i","name":"m","manifest_path":"DIR/Cargo.toml","targets":[]}]}`)
	return sandbox.Result{Stdout: bytes.ReplaceAll(text, []byte("DIR"), []byte(c.Dir))}, nil
}
