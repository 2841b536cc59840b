package gate

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// suiteOf is a suite of the tests a, b and c as it is with a change and without it: what fails in each. Of those in flaky the second execution passes.
type suiteOf struct {
	with, without, flaky []string
	broken               bool // it does not compile with the change
	stuck                bool // it does not end without it
	asked                []string
}

func (s *suiteOf) run(with bool, scope Scope) (Report, error) {
	s.asked = append(s.asked, fmt.Sprint(with, scope.Only, scope.Files))
	fails := s.without
	if with {
		fails = s.with
	}
	tests := scope.Only
	if scope.All() {
		tests = []string{"a", "b", "c"}
	}
	r := Report{Gate: "suite", Tests: true, Verdict: Pass}
	switch {
	case s.stuck && !with:
		return Report{Gate: "suite", Tests: true, Verdict: Error, Summary: "it did not end"}, nil
	case s.broken && with:
		return Report{Gate: "suite", Tests: true, Verdict: Fail, Findings: []Finding{{Path: "a", Line: 1, Message: "it does not compile"}}}, nil
	}
	for _, test := range tests {
		r.Executed++
		if has(fails, test) && (scope.All() || !has(s.flaky, test)) {
			r.Verdict, r.Findings = Fail, append(r.Findings, Finding{Path: "t", Line: 1, Test: test, Message: "it fails"})
			continue
		}
		r.Passed, r.PassedTests = r.Passed+1, append(r.PassedTests, test)
	}
	return r, nil
}

func has(tests []string, test string) bool {
	for _, t := range tests {
		if t == test {
			return true
		}
	}
	return false
}

func TestWhole_ChargesNewRepeatedFailures(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		suite   suiteOf
		verdict Verdict
		charged []string
		known   int
		flaky   []string
		asked   []string
	}{
		"all pass":            {suiteOf{}, Pass, nil, 0, nil, []string{"true [] false"}},
		"one is new":          {suiteOf{with: []string{"b"}}, Fail, []string{"b"}, 0, nil, []string{"true [] false", "false [b] true", "true [b] false"}},
		"one failed before":   {suiteOf{with: []string{"b"}, without: []string{"b"}}, Pass, nil, 1, nil, []string{"true [] false", "false [b] true"}},
		"one of each":         {suiteOf{with: []string{"b", "c"}, without: []string{"b"}}, Fail, []string{"c"}, 1, nil, []string{"true [] false", "false [b c] true", "true [c] false"}},
		"one is flaky":        {suiteOf{with: []string{"b"}, flaky: []string{"b"}}, Pass, nil, 0, []string{"b"}, []string{"true [] false", "false [b] true", "true [b] false"}},
		"it does not compile": {suiteOf{broken: true}, Fail, []string{"", ""}, 0, nil, []string{"true [] false", "false [] false"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := Whole(c.suite.run)
			require.NoError(t, err)
			require.Equal(t, c.verdict, r.Verdict, r.Summary)
			var charged []string
			for _, f := range r.Findings {
				charged = append(charged, f.Test)
			}
			require.Equal(t, c.charged, charged)
			require.Equal(t, c.known, r.Known)
			require.Equal(t, c.flaky, r.Flaky)
			require.Equal(t, c.asked, c.suite.asked)
		})
	}
}

// Results that cannot be compared decide nothing, and a trial that breaks is no verdict.
func TestWhole_WithoutAnAnswerOfTheTreeBefore(t *testing.T) {
	t.Parallel()
	stuck := suiteOf{with: []string{"b"}, stuck: true}
	r, err := Whole(stuck.run)
	require.NoError(t, err)
	require.False(t, r.Decides(), r.Summary)
	require.Equal(t, []string{"true [] false", "false [b] true", "false [] false"}, stuck.asked, "the tests themselves, then everything")

	broken := errors.New("there is no tree")
	_, err = Whole(func(bool, Scope) (Report, error) { return Report{}, broken })
	require.ErrorIs(t, err, broken)
}
