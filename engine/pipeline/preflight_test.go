package pipeline

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/step"
)

// Missing tools of a required gate are found and asked about before a model is, in one question. Only if no required gate can run, no
// answer is to stop.
func TestPreflight_AsksBeforeMoney(t *testing.T) {
	t.Parallel()
	pytest := gate.Missing{Program: "pytest", Install: "python -m pip install pytest"}
	for name, test := range map[string]struct {
		lacking []string
		answers []string // empty: the default
		state   event.State
		asked   int
		looks   int
	}{
		"nothing is missing":              {nil, nil, event.Succeeded, 0, 1},
		"one of two, no user":             {[]string{"lint"}, nil, event.Succeeded, 1, 1},
		"one of two, stopped":             {[]string{"lint"}, []string{"stop"}, event.Blocked, 1, 1},
		"all, no user":                    {[]string{"lint", "test"}, nil, event.Blocked, 1, 1},
		"all, and installed in between":   {[]string{"lint", "test"}, []string{"again", "go on"}, event.Succeeded, 2, 2},
		"all, and never installed":        {[]string{"lint", "test"}, []string{"again", "again", "again", "again", "again"}, event.Blocked, 5, 5},
		"a package of all, no user":       {[]string{"lint package", "test package"}, nil, event.Succeeded, 1, 1},
		"a package of all, stopped":       {[]string{"lint package", "test package"}, []string{"stop"}, event.Blocked, 1, 1},
		"a package of a linter":           {[]string{"style package"}, nil, event.Succeeded, 0, 1},
		"a linter that decides sometimes": {[]string{"style"}, nil, event.Succeeded, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, decideExecutor+writeTests+writeRight+reviewPass)
			pass := gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1}
			e.check(reporting("lint", pass), reporting("style", pass))
			e.env.Project.Weights = map[string]gate.Weight{"style": gate.WhenGreen}
			looks, asked := 0, 0
			e.kit.Preflight = func(_ context.Context, _ gate.Tree, gates []string) (lacks []step.Lack) {
				looks++
				for _, g := range gates {
					for _, lacking := range test.lacking {
						if name, partly := strings.CutSuffix(lacking, " package"); g == name {
							lack := step.Lack{Gate: g, Missing: pytest}
							lack.Partly = partly
							lacks = append(lacks, lack)
						}
					}
				}
				return lacks
			}
			e.kit.Asker = event.AskerFunc(func(_ context.Context, q event.Question) (event.Answer, error) {
				require.Empty(t, e.script.Requests(), "the question comes first")
				require.Equal(t, "pytest is not installed; `python -m pip install pytest` installs it", q.Detail)
				asked++
				if len(test.answers) < asked {
					return event.Answer{Choice: q.Default}, nil
				}
				return event.Answer{Choice: test.answers[asked-1]}, nil
			})
			result := e.run(t)
			require.Equal(t, test.state, result.State, result.Reason)
			require.Equal(t, test.asked, asked)
			require.Equal(t, test.looks, looks)
			if test.state == event.Blocked {
				require.Contains(t, result.Reason, "stopped before a model was called: ")
				if test.looks == 1 {
					require.Contains(t, result.Reason, ": lint")
				}
				require.Empty(t, e.script.Requests())
			}
			require.Equal(t, result, e.again(t))
			require.Equal(t, test.looks, looks, "a replayed run looks at nothing again")
		})
	}
}
