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

// Ledger is the ledger of every folder of the user. It holds nothing open itself.
type Ledger struct{ state *state.State }

// NewLedger returns the ledgers that a state holds.
func NewLedger(s *state.State) *Ledger { return &Ledger{s} }

// Repo returns the shadow repository of a folder in which nothing is left half done.
func (l *Ledger) Repo(ctx context.Context, root string) (*shadow.Repo, error) {
	if err := l.Recover(ctx, root); err != nil {
		return nil, err
	}
	return l.state.Repo(ctx, root)
}

// entry is what was accepted of a proposal just now, as the ledger has it.
func (l *Ledger) entry(p *proposal.Proposal, accepted patch.ChangeSet) shadow.Entry {
	entry := shadow.Entry{RunID: p.RunID, Title: p.Title, Time: l.state.Now(), Changes: accepted}
	if undone, ok := strings.CutPrefix(p.RunID, undoPrefix); ok {
		entry.Undoes = undone
	}
	return entry
}

// notify passes on what a recovery has done.
func (l *Ledger) notify(notices []workspace.Notice) {
	for _, n := range notices {
		l.state.Notify(n.Text)
	}
}
