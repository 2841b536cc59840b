package atlas

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestFollower_NoticesChanges(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var times []time.Duration
		begin := time.Now()
		f := newFollower(func(context.Context) error {
			times = append(times, time.Since(begin))
			return errors.New("never mind")
		}, time.Minute)
		ctx, stop := context.WithCancel(t.Context())
		go f.run(ctx)
		synctest.Wait()
		require.Equal(t, []time.Duration{0}, times, "once by itself")

		for range 100 {
			f.raise()
		}
		<-time.After(time.Hour)
		synctest.Wait()
		require.Equal(t, []time.Duration{0, time.Minute}, times, "a hundred signals are one, after the pause")

		require.EqualError(t, f.now(ctx), "never mind")
		require.Equal(t, []time.Duration{0, time.Minute, time.Hour}, times, "who asks for it does not wait")
		f.raise()
		<-time.After(time.Second)
		synctest.Wait()
		require.Len(t, times, 4, "the pause was over long ago")
		stop()
		synctest.Wait()
	})
}

func TestFollower_HasOneAtATime(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		f := newFollower(func(context.Context) error { <-release; return nil }, 0)
		go f.now(t.Context()) //nolint:errcheck // it succeeds
		synctest.Wait()
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		require.ErrorIs(t, f.now(ctx), context.DeadlineExceeded, "it is somebody else's turn")
		close(release)
		require.NoError(t, f.now(t.Context()))
	})
}
