package pipeline

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/mode"
)

// The model's word for the kind of work counts where the rules are not sure, or the mode is heavy, and costs no call.
func TestOrchestrator_ModelMayNameTheKind(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task, kind string
		mode       mode.Name
		want       []string
	}{
		"not sure":          {"add it", "setup", "", []string{"setup"}},
		"sure":              {"fix the bug", "setup", "", nil},
		"sure, heavy":       {"fix the bug", "setup", mode.Heavy, []string{"setup"}},
		"no such kind":      {"add it", "poetry", "", nil},
		"it says nothing":   {"add it", "", "", nil},
		"it is of one mind": {"add it", "feature", "", []string{"feature"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, `
- {match: {node: orchestrator}, reply: {json: {action: done, reason: nothing to do, kind: "`+c.kind+`"}}}`)
			e.task.Text, e.task.Class = c.task, mode.Classify(mode.Request{Text: c.task})
			e.task.Mode, _ = mode.Lookup(string(c.mode))
			require.Equal(t, event.Blocked, e.run(t).State)
			var told []string
			for _, d := range events[event.TaskClassified](e) {
				require.GreaterOrEqual(t, d.Class.Confidence, 0.75)
				told = append(told, d.Class.Kind)
			}
			require.Equal(t, c.want, told)
			require.Len(t, e.script.Requests(), 1)
		})
	}
}
