package pipeline

import (
	"context"
	"slices"
	"strings"

	"forge/engine/ask"
	"forge/engine/gate"
	"forge/engine/graph"
)

// askAboutTests asks whether the run goes on where there are tests and none can be executed: what comes of it will not be verified, and that
// is worth nothing to some users. A program that is missing was asked about already.
func (qs *questions) askAboutTests(ctx context.Context, n graph.Node) graph.Outcome {
	why := qs.run.gates.untestable()
	if why == "" {
		return graph.Outcome{Status: graph.Done}
	}
	answer, err := qs.ask(ctx, n, ask.Question{
		Kind: ask.Unblock, Title: "No test can be executed here, so a change will not be verified. Go on?", Detail: why, Default: "go on",
		Choices: []ask.Choice{{ID: "go on", Title: "Go on, and show me the change as not verified"}, {ID: "stop", Title: "Stop"}},
	})
	switch {
	case err != nil:
		return unanswered(ctx, err)
	case answer.Choice == "stop":
		return graph.Outcome{Status: graph.Blocked, Reason: "stopped before anything was written: no test can be executed here: " + strings.ReplaceAll(why, "\n", "; ")}
	}
	return graph.Outcome{Status: graph.Done, Reason: "no test can be executed here, so the change will not be verified: " + strings.ReplaceAll(why, "\n", "; ")}
}

// untestable says why none of the suites can execute a test; empty where one can, where there are no tests, and where it may be able to
// once it has less to do.
func (gs *gates) untestable() string {
	if len(gs.run.Project.Suites) == 0 || gs.run.Project.TestFiles == 0 {
		return ""
	}
	var why []string
	for _, s := range gs.run.Project.Suites {
		at := slices.IndexFunc(gs.baseline, func(report gate.Report) bool { return report.Gate == s.Gate })
		if at < 0 {
			return ""
		}
		report := gs.baseline[at]
		if report.Verdict != gate.NotRun || report.Empty || report.Missing != "" || gs.narrow(s.Gate) {
			return ""
		}
		why = append(why, report.Gate+": "+report.Summary)
	}
	return strings.Join(why, "\n")
}
