package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/api"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/llm"
)

var update = flag.Bool("update", false, "rewrite testdata/events.jsonl, docs/commands.md and the types of the extension")

// Clients rely on the JSON of events: a change of it shows as a change of testdata/events.jsonl.
func TestEventOf_WritesTheJSONThatClientsKnow(t *testing.T) {
	t.Parallel()
	const golden = "testdata/events.jsonl"
	var got bytes.Buffer
	for i, d := range wireSamples {
		text, err := json.Marshal(api.EventOf(event.Event{RunID: "r", Seq: i + 1, Time: time.Date(2030, 1, 2, 3, 4, 5, 6_000_000, time.UTC), Data: d}))
		require.NoError(t, err)
		require.NotContains(t, string(text), "null", "lists are lists also when they are empty")
		got.Write(append(text, '\n'))
	}
	if *update {
		require.NoError(t, os.WriteFile(golden, got.Bytes(), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got.String())
}

func TestEventOf_HasASampleOfEachType(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, d := range wireSamples {
		seen[d.Type()] = true
	}
	for _, d := range event.Types() {
		require.True(t, seen[d.Type()], d.Type())
	}
}

// A field without a name for the wire would be missing there and in the documentation.
func TestTypes_NameAllFieldsForTheWire(t *testing.T) {
	t.Parallel()
	question := reflect.TypeFor[event.Question]() // api.Ask is its form
	var check func(typ reflect.Type)
	check = func(typ reflect.Type) {
		for typ.Kind() == reflect.Slice {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || typ.PkgPath() != reflect.TypeFor[event.Event]().PkgPath() || typ == question {
			return
		}
		for i := range typ.NumField() {
			f := typ.Field(i)
			require.NotEmpty(t, f.Tag.Get("wire")+f.Tag.Get("json"), "%s.%s", typ, f.Name)
			check(f.Type)
		}
	}
	for _, d := range event.Types() {
		check(reflect.TypeOf(d))
	}
}

func TestEventsOf_IsAListOfNone(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(api.EventsOf(nil))
	require.NoError(t, err)
	require.Equal(t, "[]", string(text))
}

// wireSamples has one event of each type with every kind of field set, and one with as little as there can be.
var wireSamples = []event.Data{
	event.RunStarted{Task: "t", Folder: "/some/a b", Model: "m", Class: event.Class{Kind: "bugfix", Confidence: 0.6, Certainty: "sure", Scope: "pay", RequiresTests: true}, Way: event.Way{Recipe: "fix", Mode: "debug", Profile: "tooluse"}},
	event.RunStarted{},
	event.RunResumed{Model: "m", Stuck: []event.Attempt{{Node: "x", Number: 2}}, MoreAttempts: true, Judge: []event.Attempt{{Node: "y", Number: 1}}},
	event.RunResumed{},
	event.FilesSkipped{Base: "b", Files: []event.Skipped{{Path: "p", Reason: "r"}}},
	event.WorkIncluded{Base: "b", From: "working", Uncommitted: []string{"a.go"}, More: 2, Unsaved: []string{"b.go"}},
	event.WorkIncluded{},
	event.RedactedSecrets([]event.Redacted{{Name: "KEY", Count: 2}, {Name: "jwt", Count: 1}}),
	event.Unknown{Name: "of tomorrow", Raw: json.RawMessage(`{"a":1}`)},
	event.GraphBuilt{Base: "b", Nodes: []graph.Node{{ID: "x", Kind: "k", Status: graph.Skipped}}, Edges: []graph.Edge{{From: "x", To: "y", Type: graph.ReviewFail}}, Attempts: 3},
	event.GraphBuilt{},
	event.GraphGrown{Nodes: []graph.Node{{ID: "pay/review", Kind: "review"}}, Edges: []graph.Edge{{From: "a", To: "pay/review", Type: graph.Normal}}},
	event.Planned{Parts: []event.PlannedPart{{ID: "pay", Title: "t", Tier: 2, Files: []string{"p.go"}, DependsOn: []string{"tax"}, Risk: "low"}, {}}, Minutes: 7, Degraded: "no plan", Revised: "r"},
	event.FilesMerged{Node: "x", Files: []event.MergedFile{{Path: "a.go", Parts: []string{"pay", "tax"}, How: event.MergedText}}},
	event.NodeChanged{Node: graph.Node{ID: "x", Kind: "k", Status: graph.Blocked, Attempt: 2, Reason: "red", Signal: graph.Retryable}},
	event.ModelCalled{
		Node: "x", Attempt: 1, Round: 2, Model: "m", Input: 3, Output: 4, CacheRead: 5, CacheWrite: 6, Cost: llm.Cost{MicroUSD: 70_000}, Cached: true,
		Elapsed: 1500 * time.Microsecond, Failure: "f", Kind: llm.KindBudget, Again: time.Second, StandIn: "n",
		Manifest: llm.Manifest{Hash: "h", Tokens: 1, Budget: 2, Parts: []llm.Part{{Kind: "role", Name: "R", Source: "s", Tokens: 1, Cut: true, Data: true, Stable: true}}},
	},
	event.ModelCalled{},
	event.ToolUsed{Node: "x", Attempt: 1, Tool: "read_file", Args: "{}", Failed: true, Cut: true, Bytes: 2, Refused: "critical", Reason: "it is"},
	event.ErrandReported{ID: "sub_0123456789ab", Node: "delegate-1/subagent", Attempt: 1, Agent: "explorer", Task: "Why?", State: event.ErrandFailed, Rounds: 3, Tokens: 20, Result: "r"},
	event.ErrandReported{},
	event.BatchWaiting{Node: "x", Attempt: 2, Model: "m", Provider: "p", Batch: "b-1", State: "submitted", Items: 3, Since: time.Unix(4, 0), Trouble: "t"},
	event.BatchWaiting{},
	event.ModelWarming{Node: "x", Attempt: 2, Model: "m"},
	event.ModelWarmed{Node: "x", Attempt: 2, Model: "m", Elapsed: 1500 * time.Microsecond, Failure: "f"},
	event.Spent{Tokens: 10, Usage: llm.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4}, Cost: llm.Cost{MicroUSD: 70_000, Unpriced: true}, Held: 5, LimitTokens: 100, LimitMicroUSD: 2_500_000},
	event.Spent{},
	event.GateStarted{Node: "x", Attempt: 1, Gate: "go vet", Index: 2, Of: 4},
	event.GateFinished{Node: "x", Attempt: 1, Report: gate.Report{
		Gate: "go vet", Verdict: gate.Fail, Findings: []gate.Finding{{Path: "a.go", Line: 3, Severity: gate.SeverityWarning, Message: "m"}, {}}, Elapsed: time.Second,
	}},
	event.GateFinished{},
	event.ReviewOf("review", 1, gate.Report{
		Gate: "review", Verdict: gate.Fail, Output: "left out",
		Findings: []gate.Finding{{Path: "a.go", Line: 3, EndLine: 5, Severity: gate.SeverityError, Rule: "test", Message: "m"}},
	}),
	event.AnswerReady{Text: "# A", Path: "/s/r.md"},
	event.SpecKept{Version: 2, Changelog: "c"},
	event.TaskClassified{Class: event.Class{Kind: "setup", Confidence: 0.75, Scope: "."}},
	event.WorkReported{Part: "pay", Node: "pay/executor", Attempt: 1, State: event.WorkDoneWithConcerns, Reason: "r", Concerns: []string{"c"}, Tools: []event.ToolCount{{Tool: "grep", Used: 2, Failed: 1}}},
	event.WorkReported{},
	event.AttemptJudged{Part: "pay", Attempt: 2, Of: 3, Passed: 3, Total: 4, Score: 0.75, Velocity: 0.25, Failures: []string{"a"}, Stagnation: "oscillation", Recommendation: "ESCALATE"},
	event.AttemptJudged{},
	event.Diagnosed{Part: "pay", Attempt: 3, Class: "stuck", Rule: "x", Reason: "r", RootCause: "c", Strategy: "s", Reproduced: "run_tests", MustRead: []string{"f"}},
	event.Diagnosed{},
	event.Learned{Part: "pay", Attempt: 1, Patterns: []event.LearnedPattern{{Category: "success_pattern", Text: "fix:pay", Successes: 3, Failures: 1, Confidence: 0.8}}},
	event.Learned{},
	event.Asked{Question: event.Question{ID: "q", RunID: "r", Kind: event.AskApproval, Title: "t", Detail: "d", Choices: []event.Choice{{ID: "no", Title: "No"}}, Default: "no", FreeText: "why"}},
	event.Asked{},
	event.Answered{QuestionID: "q", Choice: "no", Text: "less"},
	event.Answered{},
	event.ProposalReady{ProposalID: "p", Files: 1, Hunks: 2, Explanation: "e", Unverified: "u", Missing: []string{"tax"}},
	event.FileNeeded{Part: "tax", Owner: "pay", Path: "a.go", State: event.OwnerAwaited},
	event.RunEnded{State: event.Blocked, Reason: "r", Remedy: event.RemedyKey, Quiet: 40 * time.Millisecond},
	event.RunEnded{},
}
