package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/sample"
	"forge/internal/testbinary"
)

// traced runs the program under strace and returns the processes it started and the connections it opened.
func (w *world) traced(args ...string) (code int, calls []string) {
	w.t.Helper()
	strace := testbinary.Tool(w.t, "strace", "scripts/install.sh strace")
	log := filepath.Join(w.t.TempDir(), "calls")
	c := w.command(w.t.Context(), args...)
	c.Path, c.Args = strace, append([]string{"strace", "-f", "-qq", "-e", "trace=execve,connect,socket", "-o", log, forge}, args...)
	code, _, _ = execute(w.t, c)
	data, err := os.ReadFile(log)
	require.NoError(w.t, err)
	for line := range strings.Lines(string(data)) {
		if strings.Contains(line, "execve(") || strings.Contains(line, "connect(") || strings.Contains(line, "socket(") {
			calls = append(calls, strings.TrimSpace(line))
		}
	}
	require.NotEmpty(w.t, calls)
	require.Contains(w.t, calls[0], forge)
	return code, calls[1:]
}

// Before a folder is trusted, no process is started and no connection is opened, whatever is asked for
// and whatever model would have to be searched for. --yes is no trust.
func TestUntrustedFolder_StartsNoProcess(t *testing.T) {
	t.Parallel()
	search := []string{"FORGE_BASE_URL", "FORGE_MODEL", "OPENAI_API_KEY"}
	for name, c := range sample.OfMap(1, map[string]struct {
		args []string
		env  []string
		code int
	}{
		"run":                        {[]string{"run", "add Add"}, nil, 3},
		"run --yes":                  {[]string{"run", "--yes", "add Add"}, nil, 3},
		"run --json":                 {[]string{"run", "--yes", "--json", "add Add"}, nil, 3},
		"run, a model to find":       {[]string{"run", "--yes", "add Add"}, search, 3},
		"undo":                       {[]string{"undo", "--yes"}, nil, 1},
		"redo":                       {[]string{"redo", "--yes"}, nil, 1},
		"resume":                     {[]string{"resume", "--yes"}, nil, 1},
		"runs":                       {[]string{"runs"}, nil, 0},
		"log":                        {[]string{"log"}, nil, 1},
		"checkpoints":                {[]string{"checkpoints"}, nil, 0},
		"gc":                         {[]string{"gc"}, nil, 0},
		"memory":                     {[]string{"memory", "list"}, nil, 0},
		"spec":                       {[]string{"spec"}, nil, 1},
		"project":                    {[]string{"project"}, nil, 0},
		"projects":                   {[]string{"projects"}, nil, 0},
		"sessions":                   {[]string{"sessions"}, nil, 0},
		"a flag that makes no sense": {[]string{"run", "--trust", "--recipe", "fly", "x"}, nil, 2},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor, nil)
			folders["a repository that runs programs"](w)
			w.environ = changed(w.environ, c.env)
			before := fingerprint(t, w.root)
			code, calls := w.traced(c.args...)
			require.Equal(t, c.code, code)
			require.Empty(t, calls)
			require.Zero(t, w.journal.requests("orchestrator"))
			require.Equal(t, before, fingerprint(t, w.root))
		})
	}
}

// The twin: in a trusted folder, strace does see both.
func TestUntrustedFolder_StraceSeesATrustedOnesProcesses(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: done, reason: It is there already.}}}", sumModule())
	code, calls := w.traced("run", "--trust", "--yes", "--recipe", "implement", "is there a function for this?")
	require.Zero(t, code)
	all := strings.Join(calls, "\n")
	require.Contains(t, all, "execve(")
	require.Contains(t, all, "connect(")
}
