package memory

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/overseer"
)

// attempts makes attempts out of scores in quarters and of what failed.
func attempts(of ...any) (all []Attempt) {
	for i := 0; i < len(of); i += 2 {
		all = append(all, Attempt{Run: "r", Node: "n", Attempt: i/2 + 1, Passed: of[i].(int), Total: 4, Failures: of[i+1].([]string), Source: byModel})
	}
	return all
}

func TestIteration_AttemptsAreKeptForEachNode(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	var last Assessment
	for _, a := range attempts(1, []string{"a", "b", "c"}, 2, []string{"b", "a"}, 3, []string{"a"}, 3, []string{"d"}) {
		var err error
		last, err = p.RecordAttempt(ctx, a)
		require.NoError(t, err)
	}
	require.Equal(t, Assessment{Score: 0.75, Velocity: last.Velocity, Recommendation: overseer.RecommendRetry}, last)
	require.InDelta(t, 0.5/3, last.Velocity, 1e-12)
	_, err := p.RecordAttempt(ctx, Attempt{Run: "r", Node: "other", Attempt: 1, Total: 1, Failures: []string{"d"}, Source: byModel})
	require.NoError(t, err)

	again, err := p.RecordAttempt(ctx, attempts(1, []string{"x"}, 2, []string{"a", "b"})[1])
	require.NoError(t, err)
	require.False(t, again.Same, "what a resumed run reports again is not a second attempt")
	got, err := p.Attempts(ctx, "r", "n")
	require.NoError(t, err)
	require.Len(t, got, 4)
	require.Equal(t, []string{"a", "b"}, got[1].Failures)
	require.Equal(t, "n", got[1].Source.Node)
	all, err := p.Attempts(ctx, "r", "")
	require.NoError(t, err)
	require.Len(t, all, 5)

	n, err := p.ResetAttempts(ctx, "r", "n")
	require.NoError(t, err)
	require.Equal(t, 4, n)
	got, err = p.Attempts(ctx, "r", "")
	require.NoError(t, err)
	require.Len(t, got, 1)
	for _, bad := range []Attempt{{}, {Run: "r", Node: "n", Attempt: 1, Passed: 2, Total: 1, Source: byModel}, {Run: "r", Node: "n", Attempt: 1, Total: 1}} {
		_, err = p.RecordAttempt(ctx, bad)
		require.ErrorIs(t, err, ErrInvalid)
	}
}

func TestIteration_ConfidenceAndDecay(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 0.5, Confidence(0, 0), 1e-12)
	require.InDelta(t, 0.8, Confidence(3, 0), 1e-12)
	require.InDelta(t, 0.2, Confidence(0, 3), 1e-12)
	require.InDelta(t, 0.5, Decay(0.5, fadePeriod-1), 1e-12)
	require.InDelta(t, 0.475, Decay(0.5, fadePeriod), 1e-12)
	require.InDelta(t, 0.5*0.95*0.95, Decay(0.5, 2*fadePeriod+day), 1e-12)
	require.InDelta(t, 0.5, Decay(0.5, -fadePeriod), 1e-12, "a clock that was set back gives nothing")
	rapid.Check(t, func(t *rapid.T) {
		s, f := rapid.IntRange(0, 1e6).Draw(t, "s"), rapid.IntRange(0, 1e6).Draw(t, "f")
		c := Confidence(s, f)
		require.True(t, c > 0 && c < 1)
		require.Greater(t, Confidence(s+1, f), c)
		require.Less(t, Confidence(s, f+1), c)
		require.InDelta(t, 1, Confidence(s, f)+Confidence(f, s), 1e-9)
		n, m := rapid.Int64Range(0, 3000).Draw(t, "n"), rapid.Int64Range(0, 3000).Draw(t, "m")
		d := Decay(c, days(n))
		require.True(t, d >= 0 && d <= c)
		require.GreaterOrEqual(t, d, Decay(c, days(n+m)), "it never rises by itself")
		require.InDelta(t, c*math.Pow(0.95, float64(n/30)), d, 1e-9)
	})
}

func days(n int64) time.Duration { return time.Duration(n) * day }
