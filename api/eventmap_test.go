package api_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/llm"
)

func TestEventOf(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		data event.Data
		want any
	}{
		"run.started": {
			event.RunStarted{Task: "t", Folder: "/some/a b", Model: "m"},
			api.RunStarted{Task: "t", Folder: "file:///some/a%20b", Model: "m"},
		},
		"run.resumed": {
			event.RunResumed{Model: "m", Stuck: []event.Attempt{{Node: "x", Number: 2}}, MoreAttempts: true},
			api.RunResumed{Model: "m", Stuck: []api.Attempt{{Node: "x", Number: 2}}, MoreAttempts: true},
		},
		"skipped": {
			event.FilesSkipped{Base: "b", Files: []event.Skipped{{Path: "p", Reason: "r"}}},
			api.FilesSkipped{Base: "b", Files: []api.SkippedFile{{Path: "p", Reason: "r"}}},
		},
		"redacted": {
			event.SecretsRedacted{Secrets: []event.Redacted{{Name: "KEY", Count: 2}, {Name: "jwt", Count: 1}}},
			api.SecretsRedacted{Count: 3, Secrets: []api.RedactedSecret{{Name: "KEY", Count: 2}, {Name: "jwt", Count: 1}}},
		},
		"of tomorrow": {event.Unknown{Name: "of tomorrow", Raw: json.RawMessage(`{"a":1}`)}, json.RawMessage(`{"a":1}`)},
		"graph": {
			event.GraphBuilt{
				Nodes: []graph.Node{{ID: "x", Kind: "k", Status: graph.Skipped}},
				Edges: []graph.Edge{{From: "x", To: "y", Type: graph.ReviewFail}}, Attempts: 3,
			},
			api.Graph{
				Nodes: []api.Node{{ID: "x", Kind: "k", Status: "SKIPPED"}},
				Edges: []api.Edge{{From: "x", To: "y", Type: "review_fail"}}, Attempts: 3,
			},
		},
		"graph.grown": {
			event.GraphGrown{
				Nodes: []graph.Node{{ID: "pay/review", Kind: "review"}}, Edges: []graph.Edge{{From: "a", To: "pay/review", Type: graph.Normal}},
			},
			api.GraphGrown{
				Nodes: []api.Node{{ID: "pay/review", Kind: "review", Status: "PENDING"}}, Edges: []api.Edge{{From: "a", To: "pay/review", Type: "normal"}},
			},
		},
		"planned": {
			event.Planned{Parts: []event.PlannedPart{{ID: "pay", Title: "t", Tier: 2, Files: []string{"p.go"}, DependsOn: []string{"tax"}, Risk: "low"}}, Minutes: 7},
			api.Planned{
				Parts: []api.PlannedPart{{ID: "pay", Title: "t", Tier: 2, Files: []string{"p.go"}, DependsOn: []string{"tax"}, Risk: "low"}},
				Notes: []string{}, Minutes: 7,
			},
		},
		"node": {
			event.NodeChanged{Node: graph.Node{ID: "x", Status: graph.Blocked, Attempt: 2, Reason: "red"}},
			api.Node{ID: "x", Status: "BLOCKED", Attempt: 2, Reason: "red"},
		},
		"model": {
			event.ModelCalled{Node: "x", Attempt: 1, Round: 2, Model: "m", Input: 3, Output: 4, Elapsed: 1500 * time.Microsecond, Failure: "f", StandIn: "n"},
			api.ModelCall{Node: "x", Attempt: 1, Round: 2, Model: "m", Input: 3, Output: 4, ElapsedMS: 1, Failure: "f", StandIn: "n", Cost: api.Cost{Text: "$0.00"}},
		},
		"tool": {
			event.ToolUsed{Node: "x", Attempt: 1, Tool: "read_file", Args: "{}", Failed: true, Cut: true, Bytes: 2},
			api.ToolUsed{Node: "x", Attempt: 1, Tool: "read_file", Args: "{}", Failed: true, Cut: true, Bytes: 2},
		},
		"batch": {
			event.BatchWaiting{
				Node: "x", Attempt: 2, Model: "m", Provider: "p", Batch: "b-1", State: "submitted", Items: 3, Since: time.Unix(4, 0), Trouble: "t",
			},
			api.BatchWaiting{
				Node: "x", Attempt: 2, Model: "m", Provider: "p", Batch: "b-1", State: "submitted", Items: 3, Since: "1970-01-01T00:00:04.000Z", Trouble: "t",
			},
		},
		"warming": {event.ModelWarming{Node: "x", Attempt: 2, Model: "m"}, api.ModelWarming{Node: "x", Attempt: 2, Model: "m"}},
		"warmed": {
			event.ModelWarmed{Node: "x", Attempt: 2, Model: "m", Elapsed: 1500 * time.Microsecond, Failure: "f"},
			api.ModelWarmed{Node: "x", Attempt: 2, Model: "m", ElapsedMS: 1, Failure: "f"},
		},
		"spent": {
			event.Spent{
				Tokens: 10, Usage: llm.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, Cost: llm.Cost{MicroUSD: 70_000, Unpriced: true},
				Held: 5, LimitTokens: 100, LimitMicroUSD: 2_500_000,
			},
			api.Spent{
				Tokens: 10, InputTokens: 1, OutputTokens: 2, CacheReadTokens: 3, CacheWriteTokens: 4, HeldTokens: 5,
				Cost: api.Cost{USD: 0.07, UnknownPrice: true, Text: "$0.07 + unknown price"}, LimitTokens: 100, LimitUSD: 2.5,
			},
		},
		"gate.started": {
			event.GateStarted{Node: "x", Attempt: 1, Gate: "go vet", Index: 2, Of: 4},
			api.GateStarted{Node: "x", Attempt: 1, Gate: "go vet", Index: 2, Of: 4},
		},
		"gate.finished": {
			event.GateFinished{Node: "x", Attempt: 1, Report: gate.Report{
				Gate: "go vet", Verdict: gate.Fail, Findings: []gate.Finding{{Path: "a.go", Line: 3, Severity: gate.SeverityWarning, Message: "m"}},
			}},
			api.GateFinished{Node: "x", Attempt: 1, Gate: api.Gate{
				Name: "go vet", Verdict: "fail", Weight: "required", Findings: []api.Finding{{Path: "a.go", Line: 3, Severity: "warning", Message: "m"}},
			}},
		},
		"review": {
			event.Reviewed{Node: "review", Attempt: 1, Report: gate.Report{
				Gate: "review", Verdict: gate.Fail, Output: "left out",
				Findings: []gate.Finding{{Path: "a.go", Line: 3, EndLine: 5, Severity: gate.SeverityError, Rule: "test", Message: "m"}},
			}},
			api.Reviewed{Node: "review", Attempt: 1, Note: "left out", Review: api.Gate{
				Name: "review", Verdict: "fail", Weight: "required", Findings: []api.Finding{{Path: "a.go", Line: 3, EndLine: 5, Severity: "error", Rule: "test", Message: "m"}},
			}},
		},
		"answer":     {event.AnswerReady{Text: "# A", Path: "/s/r.md"}, api.AnswerReady{Text: "# A", Path: "/s/r.md"}},
		"spec":       {event.SpecKept{Version: 2, Changelog: "c"}, api.SpecKept{Version: 2, Changelog: "c"}},
		"classified": {event.TaskClassified{Class: event.Class{Kind: "setup", Confidence: 0.75, Scope: "."}}, api.Class{Kind: "setup", Confidence: 0.75, Scope: "."}},
		"attempt": {
			event.AttemptJudged{Attempt: 2, Of: 3, Passed: 3, Total: 4, Score: 0.75, Velocity: 0.25, Failures: []string{"a"}, Stagnation: "oscillation", Recommendation: "ESCALATE"},
			api.AttemptJudged{Attempt: 2, Of: 3, Passed: 3, Total: 4, Score: 0.75, Velocity: 0.25, Failures: []string{"a"}, Stagnation: "oscillation", Recommendation: "ESCALATE"},
		},
		"diagnosis": {
			event.Diagnosed{Attempt: 3, Class: "stuck", Rule: "x", Reason: "r", RootCause: "c", Strategy: "s"},
			api.Diagnosed{Attempt: 3, Class: "stuck", Rule: "x", Reason: "r", RootCause: "c", Strategy: "s", MustRead: []string{}},
		},
		"learned": {
			event.Learned{Attempt: 1, Patterns: []event.LearnedPattern{{Category: "success_pattern", Text: "fix:pay", Successes: 3, Confidence: 0.8}}},
			api.Learned{Attempt: 1, Patterns: []api.LearnedPattern{{Category: "success_pattern", Text: "fix:pay", Successes: 3, Confidence: 0.8}}},
		},
		"ask": {
			event.Asked{Question: ask.Question{ID: "q", Kind: ask.Approve, Title: "t", Choices: []ask.Choice{{ID: "no", Title: "No"}}, Default: "no", FreeText: "why"}},
			api.Ask{AskID: "q", Kind: "approve", Title: "t", Choices: []api.Choice{{ID: "no", Title: "No"}}, Default: "no", FreeText: "why"},
		},
		"answered":  {event.Answered{QuestionID: "q", Choice: "no", Text: "less"}, api.Answered{AskID: "q", Choice: "no", Text: "less"}},
		"proposal":  {event.ProposalReady{ProposalID: "p", Files: 1, Hunks: 2}, api.ProposalReady{ProposalID: "p", Files: 1, Hunks: 2}},
		"run.ended": {event.RunEnded{State: event.Blocked, Reason: "r"}, api.RunEnded{State: "blocked", Reason: "r"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			at := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
			got := api.EventOf(event.Event{RunID: "r", Seq: 7, Time: at, Data: tc.data})
			want := api.Event{RunID: "r", Seq: 7, TS: "2030-01-02T03:04:05.000Z", Type: name, Data: tc.want}
			require.Empty(t, cmp.Diff(want, got))
		})
	}
}

// An event nobody mapped must not pass for one without content.
type strange struct{}

func (strange) Type() string { return "strange" }

func TestEventOfUnknownIsABug(t *testing.T) {
	t.Parallel()
	require.Panics(t, func() { api.EventOf(event.Event{Data: strange{}}) })
}

// Lists are lists on the wire, also when empty: a client must not have to guard against null.
func TestEmptyListsAreNotNull(t *testing.T) {
	t.Parallel()
	for _, data := range []event.Data{event.GraphBuilt{}, event.GraphGrown{}, event.Planned{Parts: []event.PlannedPart{{}}}, event.GateFinished{}, event.AttemptJudged{}, event.Diagnosed{}, event.Learned{}, event.Asked{}} {
		text, err := json.Marshal(api.EventOf(event.Event{Data: data}))
		require.NoError(t, err)
		require.NotContains(t, string(text), "null")
	}
	text, err := json.Marshal(api.EventsOf(nil))
	require.NoError(t, err)
	require.Equal(t, "[]", string(text))
}
