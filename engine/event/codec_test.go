package event

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/llm"
)

// one of each type, with every kind of field set.
var samples = []Data{
	RunStarted{Task: "add Sum\nplease", Folder: "/a b", Model: "m", Class: Class{Kind: "bugfix", Confidence: 0.6, Scope: "pay", RequiresTests: true, RequiresReview: true}},
	RunResumed{Model: "m", Stuck: []Attempt{{"review", 2}}, MoreAttempts: true},
	FilesSkipped{Base: "b", Files: []Skipped{{"big.bin", "it is too large"}}},
	WorkIncluded{Base: "b", From: "working", Uncommitted: []string{"a.go"}, More: 2, Unsaved: []string{"b.go"}},
	SecretsRedacted{Count: 2, Secrets: []Redacted{{"STRIPE_KEY", 2}}},
	GraphBuilt{Base: "b", Nodes: []graph.Node{{ID: "x", Status: graph.Skipped}}, Edges: []graph.Edge{{From: "x", To: "y", Type: graph.Failure}}, Attempts: 3},
	GraphGrown{Nodes: []graph.Node{{ID: "pay/review", Kind: "review"}}, Edges: []graph.Edge{{From: "x", To: "pay/review", Type: graph.ReviewPass}}},
	Planned{Parts: []PlannedPart{{ID: "pay", Title: "t", Tier: 2, Files: []string{"a.go"}, DependsOn: []string{"tax"}, Risk: "low"}}, Notes: []string{"n"}, Minutes: 3, Degraded: "no plan", Revised: "r"},
	FilesMerged{Node: "x", Files: []MergedFile{{Path: "a.go", Parts: []string{"pay", "tax"}, How: MergedText}}},
	NodeChanged{Node: graph.Node{ID: "x", Kind: "k", Status: graph.Blocked, Attempt: 2, Reason: "red\u2028"}},
	ModelCalled{Node: "x", Attempt: 1, Round: 2, Model: "m", Input: 3, Output: 4, Elapsed: 5 * time.Millisecond, Failure: "f", Kind: llm.KindBudget, Again: time.Second,
		CacheRead: 6, CacheWrite: 7, Cost: llm.Cost{MicroUSD: 8, Unpriced: true}, Cached: true, StandIn: "n"},
	ToolUsed{Node: "x", Attempt: 2, Tool: "read_file", Args: `{"path":"a"}`, Failed: true, Cut: true, Bytes: 3, Refused: "critical", Reason: "it is"},
	ErrandReported{ID: "sub_0123456789ab", Node: "delegate-1/subagent", Attempt: 1, Agent: "explorer", Task: "Why?", State: ErrandFailed, Rounds: 3, Tokens: 20, Result: "r"},
	BatchWaiting{Node: "x", Attempt: 2, Model: "m", Provider: "p", Batch: "b-1", State: "submitted", Items: 3, Since: time.Unix(4, 0).UTC(), Trouble: "t"},
	ModelWarming{Node: "x", Attempt: 2, Model: "m"},
	ModelWarmed{Node: "x", Attempt: 2, Model: "m", Elapsed: 3 * time.Second, Failure: "f"},
	Spent{Tokens: 1, Usage: llm.Usage{Input: 2, Output: 3, CacheRead: 4, CacheWrite: 5}, Cost: llm.Cost{MicroUSD: 6}, Held: 7, LimitTokens: 8, LimitMicroUSD: 9},
	GateStarted{Node: "x", Attempt: 1, Gate: "go vet", Index: 2, Of: 4},
	GateFinished{Node: "x", Attempt: 1, Report: gate.Report{
		Gate: "go test", Verdict: gate.Error, Empty: true, Tests: true, Executed: 3, Command: []string{"go"},
		Findings: []gate.Finding{{Path: "a.go", Line: 1, Severity: gate.SeverityInfo, Test: "m.TestA"}},
	}},
	Reviewed{Node: "review", Attempt: 2, Report: gate.Report{
		Gate: "review", Verdict: gate.Fail, Executed: 1,
		Findings: []gate.Finding{{Path: "a.go", Line: 3, EndLine: 5, Severity: gate.SeverityWarning, Rule: "test", Message: "m"}},
	}},
	AnswerReady{Text: "# Why\n", Path: "/state/r.md"},
	SpecKept{Version: 3, Changelog: "Refunds are rounded."},
	WorkReported{Part: "pay", Node: "pay/executor", Attempt: 1, State: WorkDoneWithConcerns, Reason: "r", Concerns: []string{"rounding"}, Tools: []ToolCount{{Tool: "grep", Used: 2, Failed: 1}}},
	AttemptJudged{Part: "pay", Attempt: 2, Of: 3, Passed: 3, Total: 4, Score: 0.75, Velocity: 0.25, Failures: []string{"a"}, Stagnation: "oscillation", Recommendation: "ESCALATE"},
	TaskClassified{Class: Class{Kind: "setup", Confidence: 0.75, Scope: "."}},
	Diagnosed{Part: "pay", Attempt: 3, Class: "stuck", Rule: "oscillation", Reason: "r", RootCause: "c", Strategy: "s", Reproduced: "run_tests", MustRead: []string{"a.go"}},
	Learned{Part: "pay", Attempt: 1, Patterns: []LearnedPattern{{Category: "success_pattern", Text: "fix:pay", Successes: 3, Failures: 1, Confidence: 0.5}}},
	Asked{Question: Question{ID: "q1", RunID: "r", Kind: AskApproval, Choices: []Choice{{ID: "yes", Title: "Yes"}}, Default: "yes"}},
	Answered{QuestionID: "q1", Choice: "yes"},
	ProposalReady{ProposalID: "p-1", Files: 1, Hunks: 2, Explanation: "It adds.", Missing: []string{"tax"}},
	FileNeeded{Part: "tax", Owner: "pay", Path: "a.go", State: OwnerDone},
	RunEnded{State: Failed, Reason: "gave up", Remedy: RemedyModel, Quiet: 3 * time.Millisecond},
}

func TestUnmarshal_ReadsMarshaledEvents(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for i, data := range samples {
		want := Event{RunID: "r-1", Seq: i + 1, Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Data: data}
		line, err := Marshal(want)
		require.NoError(t, err)
		require.NotContains(t, string(line), "\n")
		got, err := Unmarshal(line)
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, got))
		seen[data.Type()] = true
	}
	for name := range readers() {
		require.Contains(t, seen, name, "each type has a sample")
	}
	require.Len(t, seen, len(readers()))
}

// A type that is declared and not listed in Types would be lost with the process that reported it.
func TestTypes_ListsEveryPayload(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	types := 0
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Recv != nil && f.Name.Name == "Type" {
				types++
			}
		}
	}
	require.Len(t, Types(), types-1, "all but Unknown")
}

// An event of a newer version is passed on as it is.
func TestUnmarshal_KeepsUnknownEvents(t *testing.T) {
	t.Parallel()
	line := []byte(`{"run":"r-1","seq":1,"time":"2026-01-02T03:04:05Z","type":"of.tomorrow","data":{"a":[1,"x"]}}`)
	e, err := Unmarshal(line)
	require.NoError(t, err)
	require.Equal(t, Unknown{Name: "of.tomorrow", Raw: json.RawMessage(`{"a":[1,"x"]}`)}, e.Data)
	again, err := Marshal(e)
	require.NoError(t, err)
	require.Equal(t, string(line), string(again))
}

func TestUnmarshal_RejectsInvalidEvents(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"nothing":         ``,
		"torn":            `{"run":"r-1","seq":1,"ti`,
		"no type":         `{"run":"r-1","seq":1,"data":{}}`,
		"no run":          `{"seq":1,"type":"graph","data":{}}`,
		"no number":       `{"run":"r-1","type":"graph","data":{}}`,
		"of another kind": `{"run":"r-1","seq":1,"type":"graph","data":{"Nodes":7}}`,
		"unknown status":  `{"run":"r-1","seq":1,"type":"node","data":{"Node":{"Status":"LOST"}}}`,
		"no data":         `{"run":"r-1","seq":1,"type":"graph"}`,
	} {
		_, err := Unmarshal([]byte(line))
		require.Error(t, err, name)
	}
}

func FuzzUnmarshal(f *testing.F) {
	for i, data := range samples {
		line, err := Marshal(Event{RunID: "r-1", Seq: i + 1, Data: data})
		require.NoError(f, err)
		f.Add(line)
	}
	f.Add([]byte(`{"run":"r","seq":1,"type":"x","data":null}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		e, err := Unmarshal(line)
		if err != nil {
			return
		}
		written, err := Marshal(e)
		require.NoError(t, err)
		again, err := Unmarshal(written)
		require.NoError(t, err)
		once, err := Marshal(again)
		require.NoError(t, err)
		require.Equal(t, string(written), string(once))
	})
}

// Files of versions that wrote other names and fewer fields stay readable.
func TestUnmarshal_ReadsFilesOfOlderVersions(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Data{
		`"run.started","data":{"Task":"t","Folder":"/f","Model":"m","Class":{"Kind":"bugfix","Confidence":0.5,"Scope":".","RequiresTests":true},"Way":{"Recipe":"fix"}}`: RunStarted{
			Task: "t", Folder: "/f", Model: "m", Class: Class{Kind: "bugfix", Confidence: 0.5, Scope: ".", RequiresTests: true}, Way: Way{Recipe: "fix"},
		},
		`"attempt","data":{"Attempt":1,"Of":3,"Passed":1,"Total":2,"Score":0.5,"Failures":["x"],"Recommendation":"PASS"}`: AttemptJudged{
			Attempt: 1, Of: 3, Passed: 1, Total: 2, Score: 0.5, Failures: []string{"x"}, Recommendation: "PASS",
		},
		`"redacted","data":{"Secrets":[{"Name":"A","Count":2},{"Name":"B","Count":1}]}`: SecretsRedacted{Count: 3, Secrets: []Redacted{{"A", 2}, {"B", 1}}},
		`"review","data":{"Node":"review","Attempt":1,"Report":{"Output":"left out"}}`:  Reviewed{Node: "review", Attempt: 1, Report: gate.Report{Output: "left out"}, Note: "left out"},
		`"gate.finished","data":{"Node":"x","Report":{"Held":["a"],"Beyond":["b"],"Still":["c"]}}`: GateFinished{
			Node: "x", Report: gate.Report{PassedTests: []string{"a"}, PassedBeyond: []string{"b"}, StillFailing: []string{"c"}},
		},
		`"model","data":{"Node":"x","Input":3,"Elapsed":1500000}`: ModelCalled{Node: "x", Input: 3, Elapsed: 1500 * time.Microsecond},
	} {
		e, err := Unmarshal([]byte(`{"run":"r","seq":1,"time":"2026-01-02T03:04:05Z","type":` + text + `}`))
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(want, e.Data))
	}
}
