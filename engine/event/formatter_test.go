package event_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
)

// whole is a run with every event that has a line.
func whole() []event.Event {
	var all []event.Event
	for _, d := range []event.Data{
		event.RunStarted{Task: "add\x1b[2J Add", Folder: "/src", Model: "small"},
		event.FilesSkipped{Files: []event.Skipped{{Path: "big.bin", Reason: "larger than 10 MB"}}},
		event.SecretsRedacted{Secrets: []event.Redacted{{Name: "STRIPE_KEY", Count: 1}, {Name: "jwt", Count: 2}}},
		event.GraphBuilt{Attempts: 3},
		event.NodeChanged{Node: graph.Node{ID: "executor", Status: graph.Running, Attempt: 1}},
		event.ModelCalled{Node: "executor", Failure: "busy", Again: 2 * time.Second},
		event.ModelCalled{Node: "executor", Input: 10, Output: 2, Elapsed: time.Second},
		event.GateFinished{Node: "executor", Report: gate.Report{
			Gate: "go vet", Verdict: gate.Fail, Summary: "1 finding", Elapsed: time.Second,
			Findings: []gate.Finding{{Path: "a.go", Line: 3, Message: "unreachable"}},
		}},
		event.NodeChanged{Node: graph.Node{ID: "executor", Status: graph.Blocked, Attempt: 1, Reason: "go vet:\na.go:3: unreachable\nsomething else"}},
		event.Asked{Question: event.Question{ID: "q", Title: "Go on?"}},
		event.Answered{QuestionID: "q", Choice: "yes"},
		event.Answered{QuestionID: "q"},
		event.Answered{QuestionID: "q", Choice: "no", Text: "as \x1b[1mtext\nplease"},
		event.ProposalReady{ProposalID: "p-1", Files: 1, Hunks: 2, Explanation: "It adds\x1b[2J.\npart b: It is tested."},
		event.RunEnded{State: event.Interrupted, Reason: "the process ended"},
		event.RunResumed{Model: "large", MoreAttempts: true},
		event.GateFinished{Node: "executor", Report: gate.Report{Gate: "go test", Verdict: gate.NotRun, Summary: "no Go"}},
		event.RunEnded{State: event.Blocked, Reason: "blocked"},
	} {
		all = append(all, event.Event{RunID: "r-1", Seq: len(all) + 1, Data: d})
	}
	return all
}

func tell(f event.Filter) []string {
	formatter := event.NewFormatter()
	var told []string
	for _, e := range whole() {
		for _, l := range f.Of(formatter.Format(e)) {
			told = append(told, strings.TrimSpace(l.Text))
		}
	}
	return told
}

func TestFormatter_PrintsARun(t *testing.T) {
	t.Parallel()
	want := []string{
		`r-1  add\u001b[2J Add`,
		"folder /src · model small",
		"left out big.bin: larger than 10 MB",
		"3 secrets kept out of prompts and logs: STRIPE_KEY, jwt",
		"▶ executor     RUNNING",
		"model: retry in 2s: busy",
		"model: 10 → 2 tokens, 1s (12 so far)",
		"✗ go vet    1 finding (1s)",
		"a.go:3: unreachable",
		"✗ executor     BLOCKED: go vet:\n        something else",
		"? Go on?",
		"answered: yes",
		"no answer",
		`answered: as \u001b[1mtext please`,
		"the model says: It adds\\u001b[2J.\n        part b: It is tested.",
		"proposal p-1: 2 hunks in 1 file",
		"interrupted: the process ended",
		"r-1 continues · model large",
		"no attempts were left: the same number is added",
		"⊘ go test   no Go (0s)",
		"blocked",
	}
	require.Empty(t, cmp.Diff(want, tell(event.Filter{})))
}

func TestFormatter_FiltersLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		filter event.Filter
		want   []string
	}{
		"by node and phase": {event.Filter{Node: "executor", Phase: event.PhaseModel}, []string{"model: retry in 2s: busy", "model: 10 → 2 tokens, 1s (12 so far)"}},
		"by severity": {event.Filter{Severity: event.Error}, []string{
			"✗ go vet    1 finding (1s)", "a.go:3: unreachable", "✗ executor     BLOCKED: go vet:\n        something else", "blocked",
		}},
		"warnings and worse": {event.Filter{Phase: event.PhaseGate, Severity: event.Warning}, []string{
			"✗ go vet    1 finding (1s)", "a.go:3: unreachable", "⊘ go test   no Go (0s)",
		}},
		"by an unknown node": {event.Filter{Node: "unknown"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Empty(t, cmp.Diff(c.want, tell(c.filter)))
		})
	}
}

func TestFormatter_PrintsExploration(t *testing.T) {
	t.Parallel()
	formatter := event.NewFormatter()
	var told []string
	for i, data := range []event.Data{
		event.ToolUsed{Node: "explore", Tool: "read_file", Args: "{\"path\":\"a\x1b\"}"},
		event.ToolUsed{Node: "explore", Tool: "read_file", Args: "{}", Failed: true},
	} {
		for _, l := range formatter.Format(event.Event{RunID: "r-1", Seq: i + 1, Data: data}) {
			told = append(told, strings.TrimSpace(l.Text))
		}
	}
	require.Equal(t, []string{`read_file {"path":"a\u001b"}`, "read_file {}, failed"}, told)
}

func TestFormatter_PrintsThatAModelLoads(t *testing.T) {
	t.Parallel()
	formatter := event.NewFormatter()
	var told []string
	for i, data := range []event.Data{
		event.ModelWarming{Node: "executor", Model: "qwen3:8b\x1b[2J"},
		event.ModelWarmed{Node: "executor", Model: "qwen3:8b", Elapsed: 12340 * time.Millisecond},
		event.ModelWarmed{Node: "executor", Model: "qwen3:8b", Failure: "no memory"},
	} {
		for _, l := range formatter.Format(event.Event{RunID: "r-1", Seq: i + 1, Data: data}) {
			require.Equal(t, event.PhaseModel, l.Phase)
			require.Equal(t, "executor", l.Node)
			require.Equal(t, i == 2, l.Severity == event.Warning)
			told = append(told, strings.TrimSpace(l.Text))
		}
	}
	require.Empty(t, cmp.Diff([]string{
		`model: loading qwen3:8b\u001b[2J`, "model: loaded in 12.3s", "model: qwen3:8b is not loaded; it is called anyway: no memory",
	}, told))
}

// A wait for a batch is printed when it begins and when it fails, and not otherwise.
func TestFormatter_PrintsAWaitForABatch(t *testing.T) {
	t.Parallel()
	formatter := event.NewFormatter()
	var told []string
	for i, w := range []event.BatchWaiting{
		{State: "gathered"},
		{State: "submitted", Batch: "b\x1b[2J-1", Items: 2},
		{State: "submitted", Batch: "b-1", Items: 2, Trouble: "no network"},
		{State: "ended", Batch: "b-1", Items: 2},
	} {
		w.Node, w.Provider = "executor", "openai"
		for _, l := range formatter.Format(event.Event{RunID: "r-1", Seq: i + 1, Data: w}) {
			require.Equal(t, event.PhaseModel, l.Phase)
			told = append(told, strings.TrimSpace(l.Text))
		}
	}
	require.Empty(t, cmp.Diff([]string{
		"model: openai answers by batch, within a day",
		`model: waiting for batch b\u001b[2J-1 at openai, 2 requests; you can stop here and resume the run later`,
		"model: batch b-1 at openai: Forge will poll again: no network",
	}, told))
}
