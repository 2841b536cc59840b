package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"forge/engine"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	folder "forge/engine/workspace"
)

// overheadRuns is how many runs are measured, after one that is not counted.
const overheadRuns = 30

// The nodes that are worked on side by side, and how long each takes.
const (
	sideBySide = 8
	permits    = 4
	nodeTime   = 20 * time.Millisecond
)

// measureOverhead measures what a run costs where neither the model nor the gates take time: snapshot, scratch trees, journal and
// events, from the request to the proposal. Beside it stand as many bare fsyncs as it has steps. And it measures how long eight
// nodes take that are worked on side by side, beside the least that the permits allow.
func measureOverhead(ctx context.Context, _ *bench) (_ []row, err error) {
	home, err := os.MkdirTemp("", "forge-bench-run-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	runs, parts, err := timeRuns(ctx, home)
	if err != nil {
		return nil, fmt.Errorf("run with an instant model: %w", err)
	}
	nodes, err := timeNodes(ctx)
	if err != nil {
		return nil, fmt.Errorf("work on nodes side by side: %w", err)
	}
	least := float64(nodeTime/time.Millisecond) * sideBySide / permits
	name := fmt.Sprintf("run of %d steps, instant model and gates", parts.steps)
	rows := []row{
		{name: name + " p50", unit: "ms", forge: number(runs.percentile(50)), gopls: missing, goals: []goal{atMost(50)}},
		{name: name + " p95", unit: "ms", forge: number(runs.percentile(95)), gopls: missing},
	}
	rows = append(rows, parts.rows(len(runs))...)
	return append(rows, row{
		name: fmt.Sprintf("%d nodes, %d permits p50; beside: the least possible", sideBySide, permits), unit: "ms",
		forge: number(nodes.percentile(50)), gopls: number(least), goals: []goal{atMost(1.2 * least)},
	}), nil
}

// timeRuns makes runs in a folder of two files, and reads from their journal where the time has gone.
func timeRuns(ctx context.Context, home string) (all sample, parts breakdown, err error) {
	root, state := filepath.Join(home, "root"), filepath.Join(home, "state")
	if err := os.Mkdir(root, 0o700); err != nil {
		return nil, parts, err
	}
	if err := os.WriteFile(filepath.Join(root, "a"), []byte("one"), 0o600); err != nil {
		return nil, parts, err
	}
	script, err := llmtest.Parse("instant.yaml", []byte(instantModel))
	if err != nil {
		return nil, parts, err
	}
	e := engine.New(engine.Options{
		StateDir: state, Environ: os.Environ(), Languages: []gate.Language{instantLanguage()},
		Chooser: llm.OnlyFrom(func(context.Context) (llm.Model, error) { return script.Model(), nil }),
	})
	defer e.Close()
	if err := e.Trust(root); err != nil {
		return nil, parts, err
	}
	var runs []timed
	for i := range overheadRuns + 1 {
		began := time.Now()
		id, err := runOnce(ctx, e, root)
		if err != nil {
			return nil, parts, err
		}
		if i > 0 {
			all.add(time.Since(began))
			runs = append(runs, timed{id, began, time.Now()})
		}
	}
	parts, err = breakDown(ctx, state, runs)
	return all, parts, err
}

func runOnce(ctx context.Context, e *engine.Engine, root string) (id string, err error) {
	run, err := e.Start(engine.Request{Task: "put two into b", Snapshot: folder.Snapshot{Root: root}, Asker: event.DefaultAnswers})
	if err != nil {
		return "", err
	}
	result, err := run.Wait(ctx)
	if err == nil && result.State != event.Succeeded {
		err = fmt.Errorf("the run is %s: %s", result.State, result.Reason)
	}
	return run.ID, err
}

// timeNodes works on nodes that only take time.
func timeNodes(ctx context.Context) (all sample, err error) {
	for range overheadRuns {
		g := &graph.Graph{}
		for i := range sideBySide {
			if err := g.AddNode(fmt.Sprint(i), "work"); err != nil {
				return nil, err
			}
		}
		began := time.Now()
		work := func(context.Context, graph.Node) graph.Outcome {
			<-time.After(nodeTime)
			return graph.Outcome{Status: graph.Done}
		}
		if err := g.Run(ctx, graph.Goroutines(), graph.Permits{Nodes: permits}, work, func(graph.Node) {}); err != nil {
			return nil, err
		}
		all.add(time.Since(began))
	}
	return all, nil
}

// instantLanguage has two gates that take no time: one that always opens, and tests that hold when b is there.
func instantLanguage() gate.Language {
	return gate.Language{
		Name: "instant", Roots: func([]string, func(string) ([]byte, error)) []string { return []string{""} },
		Gates:  []gate.Gate{instantGate("look"), instantGate("test")},
		Select: func(context.Context, gate.Tree) []string { return []string{"look", "test"} }, Suite: "test",
		IsTest: func(path string) bool { return strings.HasSuffix(path, "_test") },
		Red: func(before, after gate.Report) (bool, string) {
			return len(after.Findings) > len(before.Findings), "no test fails that passed before"
		},
	}
}

type instantGate string

func (g instantGate) Name() string { return string(g) }

// OnlyReads is true: a file is looked for.
func (instantGate) OnlyReads() bool { return true }

func (g instantGate) Run(_ context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: string(g), Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "held"}
	if g != "test" {
		return report
	}
	report.Tests, report.PassedTests = true, []string{"a"}
	if _, err := os.Stat(filepath.Join(tree.Dir(), "b_test")); err != nil {
		return report
	}
	report.Executed = 2
	if _, err := os.Stat(filepath.Join(tree.Dir(), "b")); err == nil {
		report.Passed, report.PassedTests = 2, []string{"a", "b"}
		return report
	}
	report.Verdict, report.Summary = gate.Fail, "b is not there"
	report.Findings = []gate.Finding{{Path: "b_test", Line: 1, Severity: gate.SeverityError, Test: "b", Message: "b is not there"}}
	return report
}

const instantModel = `entries:
- {match: {node: orchestrator}, times: -1, reply: {json: {action: executor, reason: small}}}
- {match: {node: executor, schema: tests}, times: -1, reply: {json: {explanation: b., files: [{path: b_test, action: create, content: two}], patch: "", blocked: ""}}}
- {match: {node: executor, schema: implementation}, times: -1, reply: {json: {explanation: b., files: [{path: b, action: create, content: two}], patch: "", blocked: ""}}}
- {match: {node: review}, times: -1, reply: {json: {pass: true, reason: It is there., issues: []}}}
`
