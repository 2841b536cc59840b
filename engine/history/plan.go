package history

import (
	"context"

	"forge/engine/event"
)

// Plans returns what the latest plans took that succeeded in a folder, the newest first, at most so many.
func (h *History) Plans(ctx context.Context, root string, most int) (took []event.PlanEffort, err error) {
	runs, err := h.Runs(ctx, root)
	for _, run := range runs {
		if run.Plan.Took > 0 && len(took) < most {
			took = append(took, run.Plan)
		}
	}
	return took, err
}
