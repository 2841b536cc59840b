package overseer

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// attempts makes attempts out of scores in quarters and of what failed.
func attempts(of ...any) (all []Attempt) {
	for i := 0; i < len(of); i += 2 {
		all = append(all, Attempt{Passed: of[i].(int), Total: 4, Failures: of[i+1].([]string)})
	}
	return all
}

func TestStagnation_Assess(t *testing.T) {
	t.Parallel()
	set := func(ids ...string) []string { return ids }
	type flags struct{ same, oscillating, plateau bool }
	for name, test := range map[string]struct {
		attempts []Attempt
		want     flags
		then     Recommendation
	}{
		"nothing yet":                       {nil, flags{}, RecommendRetry},
		"all passed":                        {attempts(4, set()), flags{}, RecommendPass},
		"all passed after the same failure": {attempts(2, set("a"), 2, set("a"), 4, set()), flags{}, RecommendPass},
		"nothing was checked":               {[]Attempt{{Total: 0}}, flags{}, RecommendRetry},
		"nothing was checked, three times":  {[]Attempt{{}, {}, {}}, flags{plateau: true}, RecommendEscalate},
		"first failure":                     {attempts(2, set("a")), flags{}, RecommendRetry},
		"the same failures":                 {attempts(2, set("a", "b"), 2, set("b", "a", "a")), flags{same: true}, RecommendEscalate},
		"fewer failures":                    {attempts(2, set("a", "b"), 3, set("a")), flags{}, RecommendRetry},
		"back two":                          {attempts(2, set("a"), 2, set("b"), 2, set("a")), flags{oscillating: true}, RecommendEscalate},
		"back four":                         {attempts(1, set("a"), 1, set("b"), 1, set("c"), 1, set("d"), 1, set("a")), flags{oscillating: true}, RecommendEscalate},
		"back five is forgotten":            {attempts(1, set("a"), 1, set("b"), 1, set("c"), 1, set("d"), 1, set("e"), 1, set("a")), flags{}, RecommendRetry},
		"steady":                            {attempts(1, set("a", "b", "c"), 2, set("a", "b"), 3, set("a")), flags{}, RecommendRetry},
		"score stands, failures differ":     {attempts(1, set("a", "b", "c"), 2, set("a", "b"), 3, set("a"), 3, set("d")), flags{}, RecommendRetry},
		"only more fails":                   {attempts(3, set("a"), 2, set("a", "b"), 1, set("a", "b", "c")), flags{plateau: true}, RecommendEscalate},
		"better, then more fails":           {attempts(1, set("a"), 2, set("a", "b"), 1, set("a", "b", "c")), flags{}, RecommendRetry},
		"worse, but another is resolved":    {attempts(3, set("a"), 2, set("b", "c"), 1, set("b", "c", "d")), flags{}, RecommendRetry},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Assess(test.attempts)
			require.Equal(t, test.want, flags{got.Same, got.Oscillating, got.Plateau})
			require.Equal(t, got.Same || got.Oscillating || got.Plateau, got.Stagnant)
			require.Equal(t, test.then, got.Recommendation)
		})
	}
}

func TestStagnation_Velocity(t *testing.T) {
	t.Parallel()
	none := []string(nil)
	for name, test := range map[string]struct {
		attempts []Attempt
		want     float64
	}{
		"two scores":        {attempts(0, none, 4, none), 0},
		"three":             {attempts(0, none, 1, none, 4, none), 0.5},
		"four":              {attempts(1, none, 0, none, 1, none, 4, none), 0.25},
		"window of four":    {attempts(4, none, 1, none, 0, none, 1, none, 4, none), 0.25},
		"it can be falling": {attempts(4, none, 3, none, 0, none), -0.5},
	} {
		require.InDelta(t, test.want, Assess(test.attempts).Velocity, 1e-12, name)
	}
}

// TestStagnation_SteadyImprovementNeverEscalates: attempts of which each resolves something, and breaks nothing that was
// resolved, continue, whatever else comes to light.
func TestStagnation_SteadyImprovementNeverEscalates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		next := 0
		fresh := func(n int) (ids []string) {
			for range n {
				next++
				ids = append(ids, fmt.Sprint("failure ", next))
			}
			return ids
		}
		failing := fresh(rapid.IntRange(1, 6).Draw(t, "failures"))
		var all []Attempt
		for n := 1; len(failing) > 0 && n < 20; n++ {
			all = append(all, Attempt{Passed: 1, Total: 1 + len(failing), Failures: failing})
			require.NotEqual(t, RecommendEscalate, Assess(all).Recommendation, all)
			resolved := rapid.IntRange(1, len(failing)).Draw(t, "resolved")
			failing = append(fresh(rapid.IntRange(0, 2).Draw(t, "new")), failing[resolved:]...)
		}
	})
}

func TestStagnation_FailureIDsSurviveEdits(t *testing.T) {
	t.Parallel()
	id := Failure{Gate: "go build", File: "a.go", Symbol: "Sum", Class: "a.go:12:5: undefined: x"}.ID()
	for class, want := range map[string]bool{
		"a.go:13:7: undefined: x": true, "a.go:9:1:  undefined:  x": true, "a.go:12:5: undefined: y": false, "b.go:12:5: undefined: x": false,
	} {
		got := Failure{Gate: "go build", File: "a.go", Symbol: "Sum", Class: class}.ID()
		require.Equal(t, want, id == got, class)
	}
	for _, pair := range [][2]string{
		{"panic at 0xc000012080 after 1.25s", "panic at 0xc0000aa000 after 0.80s"},
		{"error TS2304 (12,5): no name x", "error TS2304 (7,1): no name x"},
		{"SyntaxError, line 12, column 3", "SyntaxError, line 9, column 14"},
	} {
		require.Equal(t, Normalise(pair[0]), Normalise(pair[1]))
	}
	require.NotEqual(t, Normalise("error TS2304"), Normalise("error TS2305"), "the number of a rule is no position")
	require.NotEqual(t, Normalise("want 3, got 4"), Normalise("want 3, got 5"), "nor is a value")
	require.NotEqual(t, Failure{Gate: "a|b"}.ID(), Failure{Gate: "a", File: "b"}.ID())
}
