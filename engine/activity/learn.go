package activity

import (
	"context"

	"forge/engine/step"
)

// learn keeps the gates' verdicts on an attempt. If that fails, it notifies the user, and the run continues.
func (k Kit) learn(ctx context.Context, c step.LearnCall) (step.Learned, error) {
	if k.Learn == nil {
		return step.Learned{}, nil
	}
	learned, err := k.Learn(ctx, c)
	if err != nil && k.Notice != nil {
		k.Notice("the lessons of an attempt could not be kept: " + err.Error())
	}
	return learned, nil
}
