package history

import (
	"context"
	"encoding/json"
	"slices"

	"forge/engine/flow"
	"forge/engine/proposal"
	"forge/engine/shadow"
	"forge/patch"
)

// Decision is what has become of the proposal of a run. Its values are a file format, and go over the wire.
type Decision string

// The decisions. A run without a proposal has none, and neither has a run of a version of Forge that did not keep them.
const (
	Waiting  Decision = "waiting"  // the user has decided nothing yet
	Applied  Decision = "applied"  // all of it is in the folder
	Partial  Decision = "partial"  // a part of it is in the folder
	Declined Decision = "declined" // the user rejected all of it
	Undone   Decision = "undone"   // it was applied, and nothing of it is in effect any more
)

// Decline records that the user wants nothing of the proposal of a run, or of its undo. What was applied of it before still counts.
func (l *Ledger) Decline(ctx context.Context, root string, p *proposal.Proposal) {
	l.decide(ctx, root, p.RunID, func(s Summary, effect []string, accepted bool) Decision {
		switch {
		case len(effect) > 0 && s.Decision != Waiting:
			return s.Decision
		case len(effect) > 0: // the run was resumed, and offers its proposal again
			return Partial
		case accepted:
			return Undone
		}
		return Declined
	})
}

// applied records what an entry of the ledger has made of the proposal of its run. p is the proposal as it is now, nil if the entry is of a
// process that has died.
func (l *Ledger) applied(ctx context.Context, root string, entry shadow.Entry, p *proposal.Proposal) {
	l.decide(ctx, root, entry.RunID, func(s Summary, effect []string, _ bool) Decision {
		switch {
		case len(effect) == 0:
			return Undone
		case len(effect) < s.Files, p != nil && someLeft(p, entry):
			return Partial
		}
		return Applied
	})
}

// someLeft reports whether hunks of a file that an entry changes were not accepted.
func someLeft(p *proposal.Proposal, entry shadow.Entry) bool {
	return slices.ContainsFunc(entry.Changes.Files, func(c patch.FileChange) bool {
		i := slices.IndexFunc(p.Files, func(f proposal.File) bool { return f.Change.Path == c.Path })
		return i >= 0 && slices.ContainsFunc(p.Files[i].Hunks, func(h proposal.Hunk) bool { return h.State != proposal.Accepted })
	})
}

// decided records what the decisions of an editor mean for a list: hunks that were left out, or the whole proposal.
func (l *Ledger) decided(ctx context.Context, root, run string, d proposal.Decisions) {
	states := map[proposal.State]bool{}
	for _, f := range d.Files {
		for _, h := range f.Hunks {
			states[h.State] = true
		}
	}
	l.decide(ctx, root, run, func(s Summary, effect []string, accepted bool) Decision {
		switch {
		case len(effect) > 0 && len(states) > 1:
			return Partial
		case len(effect) == 0 && !accepted && len(states) == 1 && states[proposal.Rejected]:
			return Declined
		case len(effect) == 0 && !accepted && s.Files > 0:
			return Waiting
		}
		return s.Decision
	})
}

// decide writes a decision into the summary of the run that a change is of, so that lists need not read the ledger. made gets the
// summary, the files that are changed now, and whether any ever were. It reports no error: the ledger is correct, and a list
// without the decision is no reason to say that a change was not applied.
func (l *Ledger) decide(ctx context.Context, root, of string, made func(s Summary, effect []string, accepted bool) Decision) {
	id, _ := RunOf(of)
	p, err := l.state.Project(root)
	if err != nil {
		return
	}
	store, err := p.Known()
	if err != nil || store == nil {
		return
	}
	run, err := store.Run(ctx, id)
	var s Summary
	if err != nil || run.State == flow.Running || json.Unmarshal(run.Summary, &s) != nil {
		return
	}
	var checkpoints []Checkpoint // of an untrusted folder there are none
	if trusted, err := l.state.Trusted(root); err != nil || trusted {
		if checkpoints, err = l.recorded(ctx, root); err != nil {
			return
		}
	}
	accepted := slices.ContainsFunc(checkpoints, func(c Checkpoint) bool { of, _ := RunOf(c.RunID); return of == id })
	s.Decision = made(s, InEffect(checkpoints, id), accepted)
	if text, err := json.Marshal(s); err == nil {
		_ = store.Summarize(ctx, id, text)
	}
}
