package spend_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/spend"
)

// Whatever a run waits for a batch does not count, and everything else does.
func TestAllowance_PausesWhileARunWaitsForABatch(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := errors.New("late")
		ctx, a, cancel := spend.AllowTime(t.Context(), time.Hour, late)
		defer cancel()
		began := time.Now()
		time.Sleep(30 * time.Minute) //nolint:forbidigo // of the bubble's clock
		first := a.Pause()
		time.Sleep(time.Hour) //nolint:forbidigo // of the bubble's clock
		second := a.Pause()
		first()
		time.Sleep(24 * time.Hour) //nolint:forbidigo // of the bubble's clock
		second()
		require.NoError(t, ctx.Err())
		<-ctx.Done()
		require.Equal(t, 26*time.Hour, time.Since(began))
	})
}

// The twin: without a wait it ends in time, and with its reason.
func TestAllowance_EndsInTime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		late := errors.New("late")
		began := time.Now()
		ctx, a, cancel := spend.AllowTime(t.Context(), time.Hour, late)
		defer cancel()
		<-ctx.Done()
		require.Equal(t, time.Hour, time.Since(began))
		a.Pause()()
		require.Error(t, ctx.Err())
	})
}
