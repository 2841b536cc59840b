package memory

import (
	"database/sql"
	"fmt"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestPatterns_ThreeRunsCountThree is the whole loop: what three runs learned under a key has been counted three times, and is
// recalled for the next plan.
func TestPatterns_ThreeRunsCountThree(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	for i, run := range []string{"r1", "r2", "r3"} {
		_, err := p.Learn(ctx, Pattern{
			Category: SuccessPattern, Text: Key(" Bugfix", "engine/step"), Fix: "raise the budget of turns", Context: fmt.Sprint("task number ", i),
			Source: Source{Origin: Model, Run: run, Node: "executor"},
		}, passed(t, run))
		require.NoError(t, err)
		c.add(day)
	}
	found, err := p.FindPattern(ctx, SuccessPattern, "BUGFIX:engine/step")
	require.NoError(t, err)
	require.Equal(t, 3, found.Successes)
	require.InDelta(t, 0.8, found.Confidence, 1e-12)

	view, err := p.View(ctx, ViewQuery{Text: "fix a bug in engine/step: " + Key("bugfix", "engine/step")})
	require.NoError(t, err)
	require.Len(t, view.Patterns, 1)
	require.Equal(t, "raise the budget of turns", view.Patterns[0].Pattern.Fix)

	why, err := p.Why(ctx, found.ID)
	require.NoError(t, err)
	require.Equal(t, "r1", why.Source.Run, "the first source")
	var runs []string
	for _, e := range why.Evidence {
		runs = append(runs, e.Report.Run+" "+e.Report.Gate+" "+e.Verdict)
	}
	require.Equal(t, []string{"r1 go test pass", "r2 go test pass", "r3 go test pass"}, runs)
}

func TestPatterns_AVerdictCountsOnce(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	pattern := Pattern{Category: FailurePattern, Text: "nil map", Source: byModel}
	for range 3 {
		got, err := p.Learn(t.Context(), pattern, failed(t, "r1"))
		require.NoError(t, err)
		require.Equal(t, 1, got.Failures)
	}
	got, err := p.Learn(t.Context(), pattern, passed(t, "r1"))
	require.NoError(t, err)
	require.Equal(t, [2]int{0, 1}, [2]int{got.Successes, got.Failures}, "a gate does not take back what it said of an attempt")
}

// TestPatterns_OnlyVerdictsCount: there is no field, and no value that a caller can make, by which a number gets in.
func TestPatterns_OnlyVerdictsCount(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	boast := Pattern{Category: Convention, Text: "trust me", Source: byModel, Successes: 1000, Confidence: 0.99, Judged: noon}
	saved, err := p.SavePattern(ctx, boast)
	require.NoError(t, err)
	require.Equal(t, 0, saved.Successes)
	require.InDelta(t, 0.5, saved.Confidence, 1e-12)

	_, err = p.Judge(ctx, saved.ID, Verdict{})
	require.ErrorIs(t, err, ErrInvalid, "the zero verdict")
	_, err = p.Learn(ctx, Pattern{Category: Convention, Text: "new", Source: byModel}, Verdict{})
	require.ErrorIs(t, err, ErrInvalid)
	_, err = p.FindPattern(ctx, Convention, "new")
	require.ErrorIs(t, err, ErrNotFound, "what is not judged is not half learned")
	for i := range reflect.TypeFor[Verdict]().NumField() {
		require.False(t, reflect.TypeFor[Verdict]().Field(i).IsExported(), "a verdict is made by Passed and Failed alone")
	}
	for _, r := range []GateReport{{}, {Run: "r", Node: "n", Attempt: 1, Gate: "g"}, {Run: "r", Node: "n", Gate: "g", Executed: 1}, {Node: "n", Attempt: 1, Gate: "g", Executed: 1}} {
		_, err = Passed(r)
		require.ErrorIs(t, err, ErrInvalid, "a gate that executed nothing, or is none, gives no verdict")
		_, err = Failed(r)
		require.ErrorIs(t, err, ErrInvalid)
	}
	err = p.update(ctx, "cheat", func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE evidence SET verdict = 'pass'`)
		return err
	})
	require.NoError(t, err, "there is none yet")
	_, err = p.Judge(ctx, saved.ID, failed(t, "r1"))
	require.NoError(t, err)
	err = p.update(ctx, "cheat", func(tx *sql.Tx) error {
		_, err := tx.Exec(`UPDATE evidence SET verdict = 'pass'`)
		return err
	})
	require.ErrorContains(t, err, "never changed")
}

func TestPatterns_CountsAreThoseOfTheEvidence(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	check := 0
	rapid.Check(t, func(t *rapid.T) {
		check++
		text, successes, failures := fmt.Sprint("pattern ", check), 0, 0
		seen := map[GateReport]bool{}
		for range rapid.IntRange(1, 6).Draw(t, "verdicts") {
			r := GateReport{
				Run: rapid.SampledFrom([]string{"r1", "r2"}).Draw(t, "run"), Node: "n", Attempt: rapid.IntRange(1, 2).Draw(t, "attempt"),
				Gate: rapid.SampledFrom([]string{"vet", "test"}).Draw(t, "gate"), Executed: 1,
			}
			pass := rapid.Bool().Draw(t, "pass")
			v, err := judged(pass, r)
			require.NoError(t, err)
			got, err := p.Learn(ctx, Pattern{Category: Dependency, Text: text, Source: byModel}, v)
			require.NoError(t, err)
			if !seen[r] && pass {
				successes++
			} else if !seen[r] {
				failures++
			}
			seen[r] = true
			require.Equal(t, [2]int{successes, failures}, [2]int{got.Successes, got.Failures})
			require.InDelta(t, Confidence(successes, failures), got.Confidence, 1e-12)
			require.Equal(t, c.now(), got.Judged)
		}
	})
}

func TestPatterns_ConfidenceFadesAndComesBack(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	pattern := Pattern{Category: Convention, Text: "errors are wrapped", Source: byModel}
	_, err := p.Learn(ctx, pattern, passed(t, "r1"))
	require.NoError(t, err)
	confidence := func() float64 {
		got, err := p.FindPattern(ctx, Convention, "errors are wrapped")
		require.NoError(t, err)
		return got.Confidence
	}
	recalled := func() int {
		hits, err := p.Recall(ctx, Query{Text: "errors wrapped", Categories: []Category{Convention}})
		require.NoError(t, err)
		return len(hits)
	}
	c.add(30*day - 1)
	require.InDelta(t, 2./3, confidence(), 1e-12)
	c.add(1)
	require.InDelta(t, 2./3*0.95, confidence(), 1e-12)
	require.Equal(t, 1, recalled())
	c.add(60 * 30 * day)
	require.Less(t, confidence(), HiddenBelow)
	require.Equal(t, 0, recalled(), "hidden, also where nothing else is found")
	_, err = p.GC(ctx, c.now())
	require.NoError(t, err)
	all, err := p.Patterns(ctx)
	require.NoError(t, err)
	require.Len(t, all, 1, "and not deleted")
	_, err = p.Judge(ctx, all[0].ID, passed(t, "r2"))
	require.NoError(t, err)
	require.InDelta(t, 0.75, confidence(), 1e-12)
	require.Equal(t, 1, recalled(), "a verdict brings it back")
}

func TestPatterns_UserConfidenceHoldsUntilAGateContradicts(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	got, err := p.SavePattern(t.Context(), Pattern{Category: TestCommand, Text: "make test", Source: byUser})
	require.NoError(t, err)
	confidences := []float64{got.Confidence}
	for i, v := range []Verdict{passed(t, "r1"), passed(t, "r2"), failed(t, "r3")} {
		got, err = p.Judge(t.Context(), got.ID, v)
		require.NoError(t, err, i)
		confidences = append(confidences, got.Confidence)
	}
	require.InDeltaSlice(t, []float64{0.7, 0.7, 0.75, 0.6}, confidences, 1e-12)
}

func TestPatterns_OnePatternForEachTextOfACategory(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	first, err := p.SavePattern(ctx, Pattern{Category: Convention, Text: "Wrap  Errors", Fix: "use %w", Tags: []string{"Go", "go", " errors"}, Source: byModel})
	require.NoError(t, err)
	second, err := p.SavePattern(ctx, Pattern{Category: Convention, Text: "wrap errors", Context: "engine", Source: byUser})
	require.NoError(t, err)
	require.Equal(t, first.ID, second.ID)
	want := first
	want.Context = "engine"
	require.Empty(t, cmp.Diff(want, second), "what is known stays, the source too")
	require.Equal(t, []string{"errors", "go"}, second.Tags)
	other, err := p.SavePattern(ctx, Pattern{Category: Dependency, Text: "wrap errors", Source: byUser})
	require.NoError(t, err)
	require.NotEqual(t, first.ID, other.ID)
	some, err := p.Patterns(ctx, Dependency)
	require.NoError(t, err)
	require.Len(t, some, 1)
	for _, bad := range []Pattern{{Text: "x", Source: byUser}, {Category: "rumour", Text: "x", Source: byUser}, {Category: Convention, Text: " ", Source: byUser}, {Category: Convention, Text: "x"}} {
		_, err = p.SavePattern(ctx, bad)
		require.ErrorIs(t, err, ErrInvalid)
	}
}
