package checks

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/gate/tool"
	"forge/engine/permission"
	"forge/engine/sandbox"
	"forge/engine/state"
)

// recorder keeps the environment of the last command.
type recorder struct{ env []string }

func (r *recorder) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	r.env = c.Env
	return sandbox.Result{}, nil
}

// Commands with the user's network have the user's proxies; only a download, which executes no code of the folder, has the passwords in them.
func TestGuarded_ProxiesReachCommandsWithTheNetwork(t *testing.T) {
	t.Parallel()
	set := Settings{Proxies: []string{"HTTPS_PROXY=http://me:p@ss@proxy.example:3128", "http_proxy=me:pass@proxy:1", "ALL_PROXY=socks5://proxy:2", "NO_PROXY=.example"}}
	stripped := []string{"HTTPS_PROXY=http://proxy.example:3128", "http_proxy=proxy:1", "ALL_PROXY=socks5://proxy:2", "NO_PROXY=.example", "A=1"}
	for name, c := range map[string]struct {
		ctx  func(context.Context) context.Context
		want []string
	}{
		"a download":   {tool.Fetching, append(append([]string{}, set.Proxies...), "A=1")},
		"a network":    {networked, stripped},
		"no sandbox":   {unguarded, stripped},
		"a usual gate": {func(ctx context.Context) context.Context { return ctx }, []string{"A=1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := &recorder{}
			g := guarded{
				runner: r, state: state.New(state.Options{Dir: t.TempDir(), Now: time.Now}), now: time.Now,
				settings: func(context.Context, string) Settings { return set },
			}
			_, err := g.Run(c.ctx(t.Context()), sandbox.Command{Argv: []string{"x"}, Dir: t.TempDir(), Env: []string{"A=1"}})
			require.NoError(t, err)
			require.Equal(t, c.want, r.env)
		})
	}
}

// unconfined is a recorder on a system that cannot confine a command.
type unconfined struct{ recorder }

func (u *unconfined) Run(ctx context.Context, c sandbox.Command) (sandbox.Result, error) {
	if c.Jail != nil {
		return sandbox.Result{}, &sandbox.UnconfinedError{Reason: "it has no sandbox"}
	}
	return u.recorder.Run(ctx, c)
}

// Without a sandbox, variables keep the tools themselves offline.
func TestGuarded_OfflineWithoutASandboxDownloadsNothing(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		ctx  func(context.Context) context.Context
		want []string
	}{
		"offline":              {Offline, []string{"A=1", "GOPROXY=off", "GONOPROXY=none", "CARGO_NET_OFFLINE=true"}},
		"a network of its own": {func(ctx context.Context) context.Context { return networked(Offline(ctx)) }, []string{"A=1"}},
		"online":               {func(ctx context.Context) context.Context { return ctx }, []string{"A=1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := &unconfined{}
			g := guarded{
				runner: r, state: state.New(state.Options{Dir: dir, Now: time.Now}), now: time.Now,
				settings: func(context.Context, string) Settings { return Settings{} },
			}
			work := filepath.Join(dir, "shadow", "p", "trees", "t", "work")
			require.NoError(t, os.MkdirAll(work, 0o700))
			require.NoError(t, g.state.PermissionsOf("p").Keep(t.Context(), permission.AnswerUnconfined("/p", "it has no sandbox", "r-1", true, time.Now())))
			_, err := g.Run(c.ctx(tool.Fetching(t.Context())), sandbox.Command{Argv: []string{"go", "list"}, Dir: work, Env: []string{"A=1"}})
			require.NoError(t, err)
			require.Equal(t, c.want, r.env)
		})
	}
}
