package cli

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// forge kill ends a run of another process whose gate has many children in sessions of their own, answers only when the run has ended, and
// leaves no process.
func TestRunsCommand_KillsAGateWithManyChildren(t *testing.T) {
	t.Parallel()
	b := newBreath(t)
	gate := "test -e add.go || exit 0; exec 3>" + b.path + "; for n in $(seq 60); do setsid sleep 1000 & done; printf '!' >&3; wait"
	w := scripted(t, decideExecutor+writeTests+writeRight, sumModule())
	w.settings(fmt.Sprintf("gates: [{name: many, argv: [sh, -c, %q], checks: 1}]\nunguarded: [many]\n", gate)) // its pipe is outside of the tree
	before := fingerprint(t, w.root)
	l := w.start("add Add")
	pipe := b.begun()
	id := lastRun(w)
	require.Equal(t, api.StateResult{RunID: id, State: "cancelled"}, asked[api.StateResult](w, "kill", id))
	code, rest := l.end()
	require.Equal(t, 4, code, rest)
	require.Contains(t, rest, `"type":"run.ended","data":{"state":"cancelled"`)
	b.gone(pipe)
	require.Equal(t, before, fingerprint(t, w.root))
	require.Empty(t, w.trees())
}
