package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/lsp/lsptest"
)

// deadMount mounts a file system that nothing answers for, and returns its folder. If it is gone, each access fails, as on a server
// that was disconnected; otherwise each access hangs, as on a server that does not answer.
func deadMount(t *testing.T, gone bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "mount")
	require.NoError(t, os.Mkdir(dir, 0o755))
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("not run: no file system can be made here: %v", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", device.Fd())
	require.NoError(t, syscall.Mount("dead", dir, "fuse", syscall.MS_NOSUID|syscall.MS_NODEV, options))
	t.Cleanup(func() {
		_ = device.Close() // what hangs fails now
		_ = syscall.Unmount(dir, syscall.MNT_DETACH)
	})
	if gone {
		require.NoError(t, device.Close())
	}
	return dir
}

// A folder on a mount that is gone, or that hangs, costs the session nothing: a run in it ends with a message or is not started, which a
// message says; what is typed stays, the server answers about other folders, and it ends when the editor does.
func TestEditor_DeadMountHoldsUpNothingElse(t *testing.T) {
	t.Parallel()
	if !mounting(t) {
		return
	}
	for name, gone := range map[string]bool{"gone": true, "silent": false} {
		t.Run(name, func(t *testing.T) {
			d := newStage(t, t.TempDir()).quick().editor()
			dead := deadMount(t, gone)
			s := d.open(t, never)
			s.Initialize(func(p *protocol.InitializeParams) {
				p.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(dead), Name: "dead"}, {URI: d.uri(""), Name: "sum"}})
			})
			file := uri.File(filepath.Join(dead, "sum.go"))
			s.Open(file, "go", "package sum\n// typed\n")
			s.Open(d.uri("sum.go"), "go", before()["sum.go"])

			said := make(chan error, 1)
			go func() {
				var run api.RunResult
				err := s.execute(api.Run, api.RunArgs{Task: request, Scope: &api.Scope{URI: string(file)}, Wait: true}, &run)
				if err == nil {
					err = fmt.Errorf("%s: %s", run.State, run.Reason)
				}
				said <- err
			}()
			var status api.StatusResult
			require.NoError(t, s.execute(api.Status, api.NoArgs{}, &status))
			var found api.SearchResult
			for begin := time.Now(); len(found.Hits) == 0 && time.Since(begin) < lsptest.Patience; { // a folder that is still read has no hits yet
				require.NoError(t, s.execute(api.Search, api.SearchArgs{Text: "sum", Folder: string(d.uri(""))}, &found))
			}
			require.NotEmpty(t, found.Hits)
			require.Equal(t, "package sum\n// typed\n", s.Text(file))
			require.ErrorContains(t, <-said, map[bool]string{true: "transport endpoint is not connected", false: "did not answer"}[gone])
			begin := time.Now()
			require.Zero(t, s.Shutdown())
			require.False(t, s.life().killed)
			t.Logf("ended after %s", time.Since(begin).Round(time.Millisecond))
		})
	}
}
