package proposal

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// decided is a proposal of one file, with the file.
type decided struct {
	p   *Proposal
	now string
}

func (d *decided) current(string) (Current, error) { return Current{Text: d.now, Exists: true}, nil }

func (d *decided) accept(t *testing.T, ids ...string) {
	t.Helper()
	plans, err := d.p.Plan(ids, d.current)
	require.NoError(t, err)
	require.Empty(t, plans[0].Conflicts)
	d.now = plans[0].Want
	d.p.Confirm(plans[0], Current{Text: d.now, Exists: true})
}

// acceptLine accepts one line of the proposed text, from 0.
func (d *decided) acceptLine(t *testing.T, line int) {
	t.Helper()
	ids, err := d.p.SelectLines(Lines{Path: "f", Start: line, End: line + 1}, d.current)
	require.NoError(t, err)
	d.accept(t, ids...)
}

func (d *decided) becomes(text string) {
	d.now = text
	d.p.Settle("f", Current{Text: text, Exists: true})
}

// An undo of several steps brings back the lines under two hunks that touch. The lines under one of them explain the text only together
// with those under the other.
func TestSettle_LinesThatComeBackUnderTwoHunks(t *testing.T) {
	t.Parallel()
	d := decided{now: "1\n2\n3\n4\n5\n6\n7\nlast\n"}
	d.p = propose(patch.FileChange{Kind: patch.Update, Path: "f", Before: d.now, After: "A\nB\nC\nD\n7\nlast\n"})
	d.accept(t, "f1h1")
	accepted := d.now
	require.NoError(t, d.p.Amend("f", "A\nD\n7\nlast\n", d.current))
	for h := range d.p.hunks() {
		if h.State == Pending {
			d.accept(t, h.ID)
		}
	}
	d.becomes("A\nD\n7\nlast\nmine\n")
	require.NoError(t, d.p.Amend("f", "A\nown\nown too\nlast\nmine\n", d.current))
	d.acceptLine(t, 2)
	require.Equal(t, "A\nD\nown too\nlast\nmine\n", d.now)

	d.becomes(accepted + "mine\n")
	f := d.p.Files[0]
	require.Equal(t, accepted, f.with(f.in(Accepted)), "nothing of what came back counts as typed")
	text, _, err := d.p.Proposed("f", d.current)
	require.NoError(t, err)
	require.Equal(t, "A\nown\nown too\nlast\nmine\n", text)
}
