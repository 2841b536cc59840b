package history

import (
	"context"
	"strings"

	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/engine/state"
	"forge/engine/workspace"
	"forge/patch"
)

// Ledger is the ledger of every folder of the user. It keeps no files open itself.
type Ledger struct{ state *state.State }

// NewLedger returns the ledger in a state.
func NewLedger(s *state.State) *Ledger { return &Ledger{s} }

// Repo returns the shadow repository of a folder, after all unfinished changes are settled.
func (l *Ledger) Repo(ctx context.Context, root string) (*shadow.Repo, error) {
	if err := l.Recover(ctx, root); err != nil {
		return nil, err
	}
	return l.state.Repo(ctx, root)
}

// entry returns the ledger entry for a change that was just accepted.
func (l *Ledger) entry(p *proposal.Proposal, accepted patch.ChangeSet) shadow.Entry {
	entry := shadow.Entry{RunID: p.RunID, Title: p.Title, Time: l.state.Now(), Changes: accepted}
	if undone, ok := strings.CutPrefix(p.RunID, undoPrefix); ok {
		entry.Undoes = undone
	}
	return entry
}

// notify notifies the user of the results of a recovery.
func (l *Ledger) notify(notices []workspace.Notice) {
	for _, n := range notices {
		l.state.Notify(n.Text)
	}
}
