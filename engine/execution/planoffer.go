package execution

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// offerPlan writes a plan that the user is asked about to a file of Forge's own, unless it is there: the user may have changed it.
func (l *Execution) offerPlan(_ context.Context, o step.PlanOffer) (string, error) {
	name := l.project.PlanFile(l.Run.ID, o.Draft)
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return name, nil
	}
	if err != nil {
		return "", fmt.Errorf("write the plan: %w", err)
	}
	_, err = file.WriteString(o.Text)
	return name, errors.Join(err, file.Close())
}

// offeredPlan reads the plan that the user was asked about. A file that the user has removed says what it said before.
func (l *Execution) offeredPlan(_ context.Context, o step.PlanOffer) (string, error) {
	file, err := os.Open(l.project.PlanFile(l.Run.ID, o.Draft))
	if errors.Is(err, fs.ErrNotExist) {
		return o.Text, nil
	}
	if err != nil {
		return "", fmt.Errorf("read the plan: %w", err)
	}
	defer func() { _ = file.Close() }()                               // it was only read
	text, err := io.ReadAll(io.LimitReader(file, work.MaxPlanFile+1)) // a larger one is reported as too large
	return string(text), err
}
