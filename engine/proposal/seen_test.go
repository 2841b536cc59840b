package proposal

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// An undo can bring back each text that the user's decisions made, however many there were: their version is proposed for it still.
func TestSettle_UndoOfManyDecisionsKeepsTheUsersVersion(t *testing.T) {
	t.Parallel()
	for _, decisions := range []int{33, 100} {
		var before, after, own strings.Builder
		for i := range decisions {
			fmt.Fprintf(&before, "line %d\nsame %d\n", i, i)
			fmt.Fprintf(&after, "new %d\nsame %d\n", i, i)
			fmt.Fprintf(&own, "own %d\n", i)
		}
		change := patch.FileChange{Kind: patch.Update, Path: "f", Before: before.String(), After: after.String()}
		p, texts := propose(change), []string{before.String()}
		for i := range decisions {
			plan := planOne(t, p, []string{fmt.Sprintf("f1h%d", i+1)}, texts[i])
			p.Confirm(plan, Current{Text: plan.Want, Exists: true})
			texts = append(texts, plan.Want)
		}
		require.NoError(t, p.Amend("f", own.String(), files(map[string]string{"f": texts[decisions]})))
		raw, err := json.Marshal(p.Decisions())
		require.NoError(t, err)
		for i, now := range slices.Backward(texts) {
			var d Decisions
			require.NoError(t, json.Unmarshal(raw, &d))
			stored := propose(change) // Forge starts again, and the editor undoes several steps at once
			stored.Decide(d)
			for _, p := range []*Proposal{p, stored} {
				p.Settle("f", Current{Text: now, Exists: true})
				proposed, _, err := p.Proposed("f", files(map[string]string{"f": now}))
				require.NoError(t, err)
				require.Equal(t, own.String(), proposed, "%d of %d decisions are undone", decisions-i, decisions)
			}
		}
	}
}
