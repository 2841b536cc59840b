package history

import (
	"context"

	"forge/memory"
)

// Iterations returns the results of the attempts of runs, node by node: of a run, in any folder, or of all runs of the folder if
// none is named; of all nodes if none is named. Runs update them: each attempt is stored as soon as its gates have reported, and
// deleted a day after the run has ended. The error matches ErrNoRun if the run does not exist.
func (h *History) Iterations(ctx context.Context, root, run, node string) ([]memory.Attempt, error) {
	m, err := h.iterated(ctx, root, run)
	if err != nil {
		return nil, err
	}
	return m.Attempts(ctx, run, node)
}

// Errands returns what runs had agents find out: a run, in any folder, or all runs of the folder if none is named. The error matches
// ErrNoRun if the run does not exist.
func (h *History) Errands(ctx context.Context, root, run string) ([]memory.Errand, error) {
	m, err := h.iterated(ctx, root, run)
	if err != nil {
		return nil, err
	}
	return m.Errands(ctx, run)
}

// ResetIterations deletes the attempts of a run, or of one of its nodes, and returns their number. It does not affect a running
// run, which follows its own journal. The error matches ErrNoRun if the run does not exist.
func (h *History) ResetIterations(ctx context.Context, root, run, node string) (int, error) {
	m, err := h.iterated(ctx, root, run)
	if err != nil {
		return 0, err
	}
	return m.ResetAttempts(ctx, run, node)
}

// iterated returns the memory that a run writes to, or that of the folder if no run is named.
func (h *History) iterated(ctx context.Context, root, run string) (*memory.Project, error) {
	if run != "" {
		kept, err := h.Find(ctx, run)
		if err != nil {
			return nil, err
		}
		root = kept.Root
	}
	return h.state.Memory(ctx, root)
}
