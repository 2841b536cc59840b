package history

import (
	"context"
	"encoding/json"
	"fmt"

	"forge/engine/event"
	"forge/engine/proposal"
)

// offersKept is how many proposals, newest first, a folder offers.
const offersKept = 50

// Offers lists the ended runs of a folder with a change that the user may still want to decide about, the newest first: those that were
// not undone.
func (h *History) Offers(ctx context.Context, root string) ([]Run, error) {
	runs, err := h.Runs(ctx, root)
	if err != nil {
		return nil, err
	}
	var undone map[string]bool // nil until it is needed
	var offers []Run
	for _, run := range runs {
		if run.Foreign || run.Files == 0 || run.State != event.Succeeded && run.Unverified == "" || len(offers) == offersKept {
			continue
		}
		if undone == nil {
			if undone, err = h.undone(ctx, root); err != nil {
				return nil, err
			}
		}
		if !undone[run.ID] {
			offers = append(offers, run)
		}
	}
	return offers, nil
}

// undone returns the runs of a folder whose changes were undone, and not redone.
func (h *History) undone(ctx context.Context, root string) (map[string]bool, error) {
	entries, err := h.ledger.Checkpoints(ctx, root)
	runs := map[string]bool{}
	for _, entry := range entries { // newest first
		if entry.Undoes != "" && !runs[entry.RunID] {
			runs[entry.Undoes] = true
		}
	}
	return runs, err
}

// Decided returns what the user has decided about the proposal of a run; the zero value if they have decided nothing. The error matches
// ErrNoRun if the run does not exist.
func (h *History) Decided(ctx context.Context, run string) (d proposal.Decisions, err error) {
	p, _, _, err := h.Locate(ctx, run)
	if err != nil {
		return d, err
	}
	kept, err := p.Decisions(run)
	if err != nil || kept == nil {
		return d, err
	}
	if err := json.Unmarshal(kept, &d); err != nil {
		return d, fmt.Errorf("read what was decided about run %s: %w", run, err)
	}
	return d, nil
}

// KeepDecided keeps what the user has decided about the proposal of a run. The error matches ErrNoRun if the run does not exist.
func (h *History) KeepDecided(ctx context.Context, run string, d proposal.Decisions) error {
	p, _, row, err := h.Locate(ctx, run)
	if err != nil {
		return err
	}
	document, err := json.Marshal(d)
	if err != nil {
		return fmt.Errorf("encode what was decided about run %s: %w", run, err)
	}
	if err := p.KeepDecisions(run, document); err != nil {
		return err
	}
	h.ledger.decided(ctx, row.Folder, run, d)
	return nil
}
