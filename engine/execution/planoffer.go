package execution

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/history"
	"forge/engine/plan"
	"forge/engine/state"
	"forge/engine/step"
)

// plans performs the activities of a run with a plan: it returns how long earlier plans took, and writes and reads files with drafts.
type plans struct {
	history *history.History
	project *state.Project
	root    string
	run     string
}

// add adds the workers of plans to those of a run.
func (f plans) add(workers map[string]flow.Worker) {
	activity.Add(workers, step.ActivityPlans, func(ctx context.Context, most int) ([]event.PlanEffort, error) {
		return f.history.Plans(ctx, f.root, most)
	}, flow.Worker{Repeatable: true})
	activity.Add(workers, step.ActivityOffer, f.offer, flow.Worker{Repeatable: true})
	activity.Add(workers, step.ActivityOffered, f.offered, flow.Worker{Repeatable: true})
}

// offer writes a plan that the user is asked about to a file in Forge's own folder, and returns its path. It does not overwrite an existing
// file: the user may have changed it.
func (f plans) offer(_ context.Context, o step.PlanOffer) (string, error) {
	if err := f.project.OfferPlan(f.run, o.Draft, o.Text); err != nil {
		return "", fmt.Errorf("write the plan: %w", err)
	}
	return f.project.PlanFile(f.run, o.Draft), nil
}

// offered reads the plan that the user was asked about. If the user has removed the file, it returns the text that was written.
func (f plans) offered(_ context.Context, o step.PlanOffer) (string, error) {
	file, err := os.Open(f.project.PlanFile(f.run, o.Draft))
	if errors.Is(err, fs.ErrNotExist) {
		return o.Text, nil
	}
	if err != nil {
		return "", fmt.Errorf("read the plan: %w", err)
	}
	defer func() { _ = file.Close() }()                           // it was only read
	text, err := io.ReadAll(io.LimitReader(file, plan.MaxFile+1)) // a larger one is reported as too large
	return string(text), err
}
