package worst

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// trap is a server of this machine that no run may reach.
type trap struct {
	port  string
	count atomic.Int64 // of requests
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	made := &trap{}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { made.count.Add(1) }))
	t.Cleanup(server.Close)
	made.port = strings.TrimPrefix(server.URL, "http://127.0.0.1:")
	return made
}

// lingering is the mode in which this program stays until it is ended.
const lingering = "linger"

// leaves starts a process that stays in a folder.
func leaves(t *testing.T, folder string) {
	t.Helper()
	c := exec.Command(os.Args[0], lingering)
	c.Dir = folder
	input, err := c.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, c.Start())
	t.Cleanup(func() { _ = input.Close(); _ = c.Wait() })
}

// connect reaches the server of the episode.
func (w *world) connect() {
	answered, err := http.Get("http://127.0.0.1:" + w.trap.port)
	require.NoError(w.t, err)
	_ = answered.Body.Close()
}
