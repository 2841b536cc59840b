package checks

import (
	"context"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/sandbox"
	"forge/engine/state"
)

// asked is a machine that has every tool, and keeps what was started.
type asked struct {
	mu       sync.Mutex
	commands []string
}

func (a *asked) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.commands = append(a.commands, strings.Join(c.Argv, " ")+" in "+c.Dir)
	return sandbox.Result{}, nil
}

// Gates that need the same program ask for it once together. The next run asks again: the program may have been removed.
func TestPreflight_AsksOnceForEachProgram(t *testing.T) {
	t.Parallel()
	runner := &asked{}
	c := New(Options{
		State: state.New(state.Options{Dir: t.TempDir(), Now: time.Now}), Runner: sandbox.New(sandbox.Options{Environ: os.Environ()}),
		Languages: languages(runner, t.TempDir()), Settings: func(context.Context, string) Settings { return Settings{} }, Now: time.Now,
	}).Of(t.Context(), "")
	tree := treeOf(t, "-- one/go.mod --\nmodule one\n-- two/go.mod --\nmodule two\n")
	gates := []string{"gofmt (one)", "go vet (one)", "go build (one)", "go test (one)", "go test (two)"}
	once := []string{"gofmt in " + tree.dir + "/one", "go list -m in " + tree.dir + "/one", "go list -m in " + tree.dir + "/two"}
	require.Empty(t, c.Preflight(t.Context(), tree, gates))
	require.ElementsMatch(t, once, runner.commands)
	require.Empty(t, c.Preflight(t.Context(), tree, gates))
	require.ElementsMatch(t, append(once, once...), runner.commands)
}
