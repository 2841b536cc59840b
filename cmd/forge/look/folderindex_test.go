package look

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"forge/cmd/forge/terminal"
	"forge/engine/atlas"
)

// slow is an index that is complete after a while.
type slow struct {
	shelf
	takes time.Duration
}

func (s slow) Wait(ctx context.Context) error {
	select {
	case <-time.After(s.takes):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (slow) Status() atlas.Status { return atlas.Status{Indexed: 3, Total: 7} }

// Progress is for people: one line, taken away when it is over, and none for what takes no time.
func TestIndex_ProgressOfAnIndex(t *testing.T) {
	t.Parallel()
	const line, gone = "\r\x1b[K[forge] reading the folder: 3 of 7 files", "\r\x1b[K"
	for name, test := range map[string]struct {
		person bool
		takes  time.Duration
		want   string
	}{
		"the user waits":   {true, 250 * time.Millisecond, line + line + gone},
		"it takes no time": {true, time.Millisecond, ""},
		"no terminal":      {false, time.Hour, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var out strings.Builder
				show := progressOf(terminal.Terminal{Err: &out, Interactive: test.person})
				require.NoError(t, awaitComplete(t.Context(), slow{newShelf(), test.takes}, show))
				require.Equal(t, test.want, out.String())
			})
		})
	}
}

func TestIndex_WaitingIsCancelled(t *testing.T) {
	t.Parallel()
	for _, person := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var out strings.Builder
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			err := awaitComplete(ctx, slow{newShelf(), time.Hour}, progressOf(terminal.Terminal{Err: &out, Interactive: person}))
			require.ErrorIs(t, err, context.DeadlineExceeded)
			require.Equal(t, person, strings.HasSuffix(out.String(), "\r\x1b[K"), "the line is taken away")
		})
	}
}
