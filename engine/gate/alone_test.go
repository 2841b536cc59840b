package gate

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAlone_BeginsWithTheTestsThemselves(t *testing.T) {
	t.Parallel()
	wide := Scope{Changed: []string{"a"}, Reach: ReachWide}
	tests := []string{"a", "b"}
	require.Equal(t, []Scope{
		{Changed: []string{"a"}, Reach: ReachWide, Only: tests}, {Changed: []string{"a"}, Reach: ReachWide, Only: tests, Files: true}, wide,
	}, Alone(wide, tests))
	require.Equal(t, []Scope{wide}, Alone(wide, nil))
	many := make([]string, maxAlone+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	require.Equal(t, []Scope{wide}, Alone(wide, many), "so many do not fail by chance")
	require.False(t, Alone(Scope{}, tests)[0].All(), "a gate that runs tests alone must hear of it")
}

func TestConclusive_OnlyWhereEachTestWasExecuted(t *testing.T) {
	t.Parallel()
	tests := []string{"a", "b"}
	require.True(t, Conclusive(Report{Verdict: Pass, PassedTests: []string{"a", "b", "c"}}, tests))
	require.True(t, Conclusive(Report{Verdict: Fail}, tests))
	require.False(t, Conclusive(Report{Verdict: Pass, PassedTests: []string{"a"}}, tests))
	require.False(t, Conclusive(Report{Verdict: NotRun}, tests))
	require.False(t, Conclusive(Report{Verdict: Error}, tests))
}
