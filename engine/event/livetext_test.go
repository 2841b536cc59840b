package event_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/event"
)

var call = event.Call{Node: "executor", Attempt: 1}

func TestLiveText_DeliversText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s event.LiveText
		var heard []event.Delta
		var following sync.WaitGroup
		following.Go(func() {
			for d := range s.Follow(t.Context()) {
				heard = append(heard, d)
			}
		})
		s.Say(call, "Hel")
		synctest.Wait()
		s.Say(call, "lo")
		synctest.Wait()
		s.Say(call, "") // the call is made again
		s.Say(call, "He")
		synctest.Wait()
		s.Fall(call)
		s.Say(call, "another")
		synctest.Wait()
		s.End()
		following.Wait()
		require.Empty(t, cmp.Diff([]event.Delta{
			{Call: call, At: 0, Text: "Hel"}, {Call: call, At: 3, Text: "lo"}, {Call: call, At: 0, Text: "He"}, {Call: call, At: 0, Text: "another"},
		}, heard))
	})
}

func TestLiveText_AFollowerEndsWithItsContext(t *testing.T) {
	t.Parallel()
	var s event.LiveText
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	s.Say(call, "a")
	for d := range s.Follow(ctx) {
		require.Equal(t, "a", d.Text)
		cancel()
	}
}

// However pieces come, and however slow a follower is: what it hears, put together, is the beginning of something that was
// said, and all of it where it was given the time.
func TestLiveText_LosesNoText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var s event.LiveText
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "日本", "longer ", ""}), 1, 30).Draw(t, "pieces")
		last := "." // what ends the speech is of the last utterance
		for _, piece := range slices.Backward(pieces) {
			if piece == "" {
				break
			}
			last = piece + last
		}
		go func() {
			for _, piece := range append(pieces, ".") {
				s.Say(call, piece)
			}
		}()
		heard := ""
		for d := range s.Follow(context.Background()) {
			if d.At == 0 {
				heard = ""
			}
			if len(heard) != d.At {
				t.Fatalf("%d bytes were heard, and the next piece begins at %d", len(heard), d.At)
			}
			heard += d.Text
			if strings.HasSuffix(heard, ".") {
				s.End()
			}
		}
		if heard != last {
			t.Fatalf("heard %q, said %q", heard, last)
		}
	})
}
