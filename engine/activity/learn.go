package activity

import (
	"context"

	"forge/engine/step"
)

// learn keeps what gates said of an attempt. What cannot be kept is not learned: the user is notified, and the run goes on.
func (k Kit) learn(ctx context.Context, c step.LearnCall) (step.Learned, error) {
	if k.Learn == nil {
		return step.Learned{}, nil
	}
	learned, err := k.Learn(ctx, c)
	if err != nil && k.Notice != nil {
		k.Notice("what an attempt has taught could not be kept: " + err.Error())
	}
	return learned, nil
}
