package pipeline

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/mode"
	"forge/engine/permission"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/patch"
)

// memoryTree is a scratch tree in memory.
type memoryTree struct {
	mu          sync.Mutex
	base, files map[string]string
}

func newTree(files map[string]string) *memoryTree {
	return &memoryTree{base: files, files: maps.Clone(files)}
}

func (t *memoryTree) Dir() string { return "/nowhere" }

func (t *memoryTree) ReadFile(path string) ([]byte, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if text, ok := t.files[path]; ok {
		return []byte(text), nil
	}
	return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
}

func (t *memoryTree) List(context.Context) ([]string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.files)), nil
}

func (t *memoryTree) Apply(c patch.ChangeSet) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range c.Files {
		delete(t.files, f.From)
		if f.Kind == patch.Delete {
			delete(t.files, f.Path)
			continue
		}
		t.files[f.Path] = f.After
	}
	return nil
}

func (t *memoryTree) Changes(context.Context) (patch.ChangeSet, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var c patch.ChangeSet
	for path, text := range t.files {
		if old, ok := t.base[path]; !ok {
			c.Files = append(c.Files, patch.FileChange{Kind: patch.Create, Path: path, After: text})
		} else if old != text {
			c.Files = append(c.Files, patch.FileChange{Path: path, Before: old, After: text})
		}
	}
	for path, old := range t.base {
		if _, ok := t.files[path]; !ok {
			c.Files = append(c.Files, patch.FileChange{Kind: patch.Delete, Path: path, Before: old})
		}
	}
	slices.SortFunc(c.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return c, nil
}

func (t *memoryTree) Reset(context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.files = maps.Clone(t.base)
	return nil
}

// gateFunc makes a gate of a function of the tree's files.
type gateFunc struct {
	name string
	run  func(files map[string]string) gate.Report
}

func (g gateFunc) Name() string { return g.name }

func (g gateFunc) Run(_ context.Context, tree gate.Tree) gate.Report {
	t := tree.(*memoryTree)
	t.mu.Lock()
	defer t.mu.Unlock()
	report := g.run(t.files)
	report.Gate = g.name
	return report
}

// testGate is a language in which a test file "x_test" holds the text that its file "x" must contain.
var testGate = gateFunc{"test", func(files map[string]string) gate.Report {
	r := gate.Report{Verdict: gate.NotRun, Empty: true, Summary: "no tests"}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		subject, isTest := strings.CutSuffix(path, "_test")
		if !isTest {
			continue
		}
		r.Executed++
		if strings.Contains(files[subject], files[path]) {
			r.Passed++
			continue
		}
		r.Findings = append(r.Findings, gate.Finding{Path: path, Line: 1, Severity: gate.SeverityError, Test: path, Message: "want " + files[path] + " in " + subject})
	}
	switch {
	case len(r.Findings) > 0:
		r.Verdict, r.Summary = gate.Fail, "tests fail"
	case r.Executed > 0:
		r.Verdict, r.Summary = gate.Pass, "tests pass"
	}
	return r
}}

func (t *memoryTree) Close() error { return nil }

// project is what the run knows of the language whose gates are these, before testGate.
func project(gates ...gate.Gate) work.Project {
	var names []string
	for _, g := range append(gates, testGate) {
		names = append(names, g.Name())
	}
	return work.Project{
		Gates: names,
		Suites: integrity.Suites{{
			Gate:   testGate.Name(),
			IsTest: func(path string) bool { return strings.HasSuffix(path, "_test") },
			Red: func(before, after gate.Report) (bool, string) {
				return len(after.Findings) > len(before.Findings), "no test fails that passed before"
			},
		}},
	}
}

// episode is a run in memory: a script, a tree, and what came of them.
type episode struct {
	script *llmtest.Script
	tree   *memoryTree // the first one that was made
	env    work.Env
	kit    activity.Kit
	log    *event.Log
	flow   *flow.Memory
	task   work.Task
}

// startingTree has one tested file.
func startingTree() map[string]string { return map[string]string{"a": "one", "a_test": "one"} }

func newEpisode(t testing.TB, script string) *episode {
	t.Helper()
	parsed, err := llmtest.Parse(t.Name(), []byte("entries:\n"+script))
	require.NoError(t, err)
	e := &episode{
		script: parsed, tree: newTree(startingTree()), task: work.Task{Text: "put two into b", Recipe: Implement},
		log: event.NewLog("r-1", time.Now),
	}
	e.env = work.Env{Env: step.Env{Emit: e.log.Append, Model: parsed.Model().Name(), Window: 50_000}, Base: "base"}
	free := make(chan *memoryTree, 1)
	free <- e.tree
	e.kit = activity.Kit{
		Chooser: llm.Only(parsed.Model()),
		Trees: &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) {
			select {
			case first := <-free:
				return first, nil
			default:
				return newTree(startingTree()), nil
			}
		}},
		Asker: event.DefaultAnswers, Emit: e.log.Append, Standing: e.standing,
	}
	e.check()
	return e
}

// withFiles adds files to the tree of an episode.
func (e *episode) withFiles(more map[string]string) {
	files := startingTree()
	maps.Copy(files, more)
	e.kit.Trees = &activity.Trees{Open: func(context.Context, string) (activity.Tree, error) { return newTree(files), nil }}
}

// standing is how the nodes of the run stand.
func (e *episode) standing() (all []step.Standing) {
	for _, n := range e.log.Standing().Nodes {
		all = append(all, step.Standing{Node: n.ID, Status: n.Status.String(), Reason: n.Reason})
	}
	return all
}

// check has the run's tree checked by these gates, and by testGate.
func (e *episode) check(gates ...gate.Gate) {
	e.env.Project = project(gates...)
	e.kit.Gate = func(name string) gate.Gate {
		for _, g := range append(gates, testGate) {
			if g.Name() == name {
				return g
			}
		}
		return nil
	}
}

// workers are those of the kit, and what else a run with a plan needs: its user changes no file.
func (e *episode) workers() map[string]flow.Worker {
	all := e.kit.Workers()
	maps.Copy(all, workers(step.ActivityPlans, func(int) ([]event.PlanEffort, error) { return nil, nil }))
	maps.Copy(all, workers(step.ActivityOffer, func(o step.PlanOffer) (string, error) { return "/plans/1.json", nil }))
	maps.Copy(all, workers(step.ActivityOffered, func(o step.PlanOffer) (string, error) { return o.Text, nil }))
	return all
}

func (e *episode) run(t *testing.T) Result {
	t.Helper()
	m := e.task.Mode
	if m.Name == "" {
		m, _ = mode.Lookup("")
	}
	e.kit.Permits = &activity.Permits{Policy: permission.Policy{Mode: m}, Grants: []tool.Grants{e.env.Grants}, Run: "r-1"}
	e.flow = flow.InMemory("r-1", e.workers(), flow.DriverOptions{})
	e.env.Flow = e.flow
	return Run(t.Context(), e.env, e.task)
}

// again plays the run once more from its journal.
func (e *episode) again(t *testing.T) Result {
	t.Helper()
	e.flow = e.flow.Again()
	e.env.Flow = e.flow
	return Run(t.Context(), e.env, e.task)
}

// prompts returns the text of every request of a node, in order.
func (e *episode) prompts(node string) []string {
	var texts []string
	for _, r := range e.script.Requests() {
		if r.Node == node {
			text := ""
			for _, m := range r.Messages {
				text += m.Text + "\n"
			}
			texts = append(texts, text)
		}
	}
	return texts
}

// status returns the last status of a node, by the events.
func (e *episode) status(node string) string {
	last := ""
	for _, ev := range e.log.Since(0) {
		if changed, ok := ev.Data.(event.NodeChanged); ok && changed.Node.ID == node {
			last = changed.Node.Status.String()
		}
	}
	return last
}
