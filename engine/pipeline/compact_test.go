package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/mode"
)

// The newest turns are shown whole, and of older ones what happened, once there is much of them. Before that nothing is taken out.
func TestTurns_OldTurnsAreCompacted(t *testing.T) {
	t.Parallel()
	big := func(n int) string { return strings.Repeat(fmt.Sprintf("line of big%d\n", n), 200) }
	var script strings.Builder
	for turn := 1; turn <= 6; turn++ {
		var actions []string
		for n := range 3 {
			actions = append(actions, fmt.Sprintf("{tool: read_file, args: {path: big%d}}", turn*10+n))
		}
		edit := ""
		if turn == 1 {
			edit = "files: [{path: b, action: write, content: one}], "
		}
		script.WriteString(reply(implementing, fmt.Sprintf("explanation: I look at %d., %sactions: [%s]", turn, edit, strings.Join(actions, ", "))))
	}
	script.WriteString(reply(implementing, `explanation: done, files: [{path: b, action: write, content: one two}], done: true`))
	e := newEpisode(t, decideExecutor+writeTests+script.String()+reviewPass)
	e.env.Rounds = -1
	e.inMode(t, mode.Heavy)
	for turn := 1; turn <= 6; turn++ {
		for n := range 3 {
			e.tree.base[fmt.Sprintf("big%d", turn*10+n)] = big(turn*10 + n)
		}
	}
	require.NoError(t, e.tree.Reset(t.Context()))
	result := e.run(t)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	require.NoError(t, e.script.Verify())

	prompts := e.prompts("executor")[1:] // the first is of the tests
	before, last := prompts[2], prompts[6]
	require.NotContains(t, before, "Earlier turns", "there is not much yet")
	require.Contains(t, last, "Earlier turns")
	require.Contains(t, last, "Turn 1: changed b; read_file big10 → ")
	require.Contains(t, last, "Turn 3: read_file big30")
	require.Equal(t, 1, strings.Count(last, "I look at 4."))
	require.NotContains(t, last, "I look at 3.", "what a model thought is not kept")
	for turn, whole := range map[int]bool{2: false, 3: false, 4: true, 5: true, 6: true} {
		require.Equal(t, whole, strings.Contains(last, fmt.Sprintf("Result of read_file big%d", turn*10)), turn)
	}
	for _, line := range strings.Split(last, "\n") {
		if strings.HasPrefix(line, "Turn 1: ") {
			require.LessOrEqual(t, len(line), len("Turn 1: ")+500+len("\n[… cut]"))
		}
	}
	require.Equal(t, result, e.again(t))
}
