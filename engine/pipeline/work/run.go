// Package work is a run's request and its results so far: for each module the current attempt, its tests, what models have seen,
// and how earlier attempts were judged.
//
//	Run ─► Module ─► Job, Budget, Questions      its task, its limits, questions to the user
//	              ─► Start, Attempt, Tests       the tree before attempts, the current change, its tests
//	              ─► Findings, History           explored results; drafts and verdicts of all attempts
//
// It is state: nothing here calls a model or runs a gate. Only nodes that wait for a node read what it writes, so that the order of
// the graph is the only lock. All of it is replayed from the journal, and depends on nothing else.
package work

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/agent"
	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/plan"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/engine/tool"
)

// Env is what a run needs from outside.
type Env struct {
	step.Env
	Pool    func() graph.Pool // runs nodes in parallel, and steps of a node; nil means goroutines
	Base    string            // id of the run's base snapshot
	Dirty   []string          // files of the base that the user has not committed
	Brief   step.Brief        // for every model of the run
	Project Project
	// Attempts limits the executor's attempts; 0 means DefaultAttempts.
	Attempts int
	// Steps limits the run's exchanges with models, without repairs; 0 means DefaultSteps.
	Steps int
	// ToolCalls limits the run's tool calls in turns; 0 means DefaultToolCalls.
	ToolCalls int
	// AtFirst stops at the first gate that a change fails.
	AtFirst bool
	// Whole runs the whole suite before a change is proposed, if the tests that the change concerns have passed.
	Whole bool
	// Grants are what the user lets tools do beyond the tree.
	Grants tool.Grants
	// Rounds limits the rounds of requesting context before anything is written; 0 means DefaultRounds, a negative value none.
	Rounds int
	// Retries are the user's retries of the failed run, in order.
	Retries []Retry
	// Again are the snapshots of the user's files at the beginning of each retry, in order; an empty one is none.
	Again []string
	// Hops limits how often the graph may go back along a lane, for example from the review to the executor; 0 means
	// graph.DefaultMaxHops.
	Hops int
	// Watch returns the context of a node's work, which is cancelled, with a cause, when the node takes too long, and a function to call when the
	// work has ended. Nil sets no limit. It is the only clock of a run. What a node has done is journaled, so that a resumed run continues there.
	Watch func(ctx context.Context, n graph.Node, t Timing) (context.Context, func())
	// Spare runs gates on the tree without a change while the run only waits for a model; nil runs none.
	Spare Spare
	// FanOut limits the levels of pieces that a part of a plan may be cut into; 0 means DefaultFanout, a negative value none.
	FanOut int
	// SanityEvery has the planner review its plan after every so many parts; 0 means never.
	SanityEvery int
	// Tasks limits how many nodes run at once, and Writers how many of them may write changes; 0 means DefaultTasks and
	// DefaultWriters.
	Tasks, Writers int
}

// Spare is time in which a run only waits for a model. Whether gates end in it changes no result: the steps that need them take less time.
type Spare interface {
	// Need names gates that the run needs next: they begin once a model is waited for, and its answer does not stop them.
	Need(gates []step.GateCall)
	// Want adds gates that may run.
	Want(gates []step.GateCall)
	// About names files that the change will concern; none means that it concerns every gate. Gates of Want run only after it, and only if it concerns them.
	About(paths []string)
}

// Timing is what is known of how long a node may take.
type Timing struct {
	Part     string // whose nodes have a limit together; empty for none
	Levels   int    // of fan-out above the part
	Expected int    // minutes of the part by the plan; 0 if unknown
}

// DefaultFanout is how many levels of pieces a part of a plan may be cut into.
const DefaultFanout = 1

// DefaultAttempts is how many attempts the executor makes before the run gives up.
const DefaultAttempts = 3

// The default limits of nodes that run at once, and of those that write changes.
const (
	DefaultTasks   = 4
	DefaultWriters = 2
)

// The default limits of a run: exchanges with models, and tool calls in turns.
const (
	DefaultSteps     = 50
	DefaultToolCalls = 100
)

// DefaultRounds is the default number of rounds of requesting context before the first attempt.
const DefaultRounds = 2

// Run is the state of a run: its request, and the results of its nodes so far. Only the node itself writes its results, and only
// nodes that wait for it read them, so that the graph's order is the only lock.
type Run struct {
	Env
	Task      Task
	Parts     []*Module      // in the order of the graph: the parts of the task, and the joining modules of tiers
	Finished  string         // why nothing more is to do; empty before
	Listing   *step.Listing  // the files of the snapshot; nil before they are listed
	Spec      string         // the requirements of the change; empty if skipped
	Verify    []plan.Command // the plan's commands that verify the whole
	Absent    []string       // gates that lack a program, as was reported before the first request
	Partial   []step.Lack    // gates that lack a package, and run without it
	Delegated []Delegation   // questions to agents; each adds its result, and the orchestrator waits for it
}

// NewRun returns a run that has done nothing yet, with defaults for the unset fields of env and task.
func NewRun(env Env, task Task) *Run {
	if env.Attempts == 0 {
		env.Attempts = DefaultAttempts
	}
	if env.Rounds == 0 {
		env.Rounds = DefaultRounds
	}
	if env.Pool == nil {
		env.Pool = graph.Goroutines
	}
	env.Hops = cmp.Or(env.Hops, graph.DefaultMaxHops)
	env.Tasks, env.Writers = cmp.Or(env.Tasks, DefaultTasks), cmp.Or(env.Writers, DefaultWriters)
	if task.Mode.Name == "" {
		task.Mode, _ = mode.Lookup("") // the default exists
	}
	return &Run{Env: env, Task: task}
}

// Finish ends the run with success, and without a change.
func (r *Run) Finish(reason string) { r.Finished = reason }

// Grow adds to the graph: it reports the growth, and returns the outcome of the node that causes it.
func (r *Run) Grow(more graph.Growth) graph.Outcome {
	r.Emit(event.GraphGrown(more))
	return graph.Outcome{Status: graph.Done, Grow: more}
}

// Folder returns the tree as the user sees it.
func (r *Run) Folder() step.State { return step.State{Base: r.Base} }

// Together runs functions concurrently, and returns when all have ended. Each writes only what is its own.
func (r *Run) Together(work ...func()) { graph.Together(r.Pool(), len(work), work...) }

// InPairs is Together, but at most two of the functions run at a time. They begin in their order.
func (r *Run) InPairs(work ...func()) { graph.Together(r.Pool(), 2, work...) }

// Overlaps reports whether the baseline is measured while the change is written, and checked unless gates take turns. Otherwise the change waits for it. The parts of a plan begin after it
// anyway, and a large folder has none.
func (r *Run) Overlaps() bool {
	return r.Project.Overlap && !r.AtFirst && !r.Task.Plan.Wanted && r.Project.Unmeasured() == ""
}

// First returns the gates whose baseline is measured without the change having failed them: the suites are needed before those of Meanwhile.
func (r *Run) First() []string {
	first := slices.DeleteFunc(slices.Clone(r.Project.Gates), r.IsLater)
	slices.SortStableFunc(first, func(a, b string) int { return cmp.Compare(r.Project.meanwhile(a), r.Project.meanwhile(b)) })
	return first
}

// IsLater reports whether the baseline of a gate is only measured if it fails with the change.
func (r *Run) IsLater(name string) bool {
	return slices.Contains(r.Project.Later, name) || !r.Overlaps() && slices.Contains(r.Project.Meanwhile, name)
}

// MayMeasure lets gates begin early that the run needs next.
func (r *Run) MayMeasure(calls []step.GateCall) {
	if r.Spare != nil {
		r.Spare.Need(calls)
	}
}

// MayCompare lets gates run on the tree without the change in spare time, now that the baseline is measured. With one suite, every change concerns
// its project; otherwise the gates wait for WillConcern.
func (r *Run) MayCompare() {
	if r.Spare == nil {
		return
	}
	var calls []step.GateCall
	if r.Overlaps() {
		for _, name := range r.Project.Spare {
			calls = append(calls, step.GateCall{State: r.Folder(), Gate: name})
		}
	}
	r.Spare.Want(calls)
	if len(r.Project.Suites) == 1 {
		r.Spare.About(nil)
	}
}

// WillConcern names files that the change will concern.
func (r *Run) WillConcern(paths []string) {
	if r.Spare != nil && len(paths) > 0 {
		r.Spare.About(paths)
	}
}

// Retried returns how often a node's work in an attempt is to be retried.
func (r *Run) Retried(n graph.Node) int {
	times := 0
	for _, retry := range r.Retries {
		for _, place := range retry.Stuck {
			if place == At(n) {
				times++
			}
		}
	}
	return times
}

// more returns how many attempts a retry adds: judging a draft again does not count.
func (r *Run) more(retry Retry) (n int) {
	if retry.UsedUp {
		n += r.Attempts
	}
	if len(retry.Judge) > 0 {
		n++
	}
	return n
}

// AllAttempts returns the executor's total number of attempts.
func (r *Run) AllAttempts() int {
	all := r.Attempts
	for _, retry := range r.Retries {
		all += r.more(retry)
	}
	return all
}

// Limit returns the number of attempts at the beginning of one of them: earlier texts must not change when attempts are added.
func (r *Run) Limit(attempt int) int {
	all := r.Attempts
	for _, retry := range r.Retries {
		if attempt <= all {
			break
		}
		all += r.more(retry)
	}
	return all
}

// Specification returns the requirements of the change, for every node after their approval; there may be none.
func (r *Run) Specification() []prompt.Section {
	if r.Spec == "" {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Request, Name: "Specification", Text: r.Spec, Data: true}}
}

// Delegation is a question to an agent, and its answer.
type Delegation struct {
	Agent  agent.Agent
	Task   string
	Result string
	Failed bool // it did not find the answer, or its answer is unreadable
}

// Agent returns an agent that the orchestrator may delegate to: the explorer if no name is given, or one of the user or the folder.
func (r *Run) Agent(name string) (agent.Agent, error) {
	if name == "" || name == agent.Explorer {
		return agent.Named(agent.Explorer), nil
	}
	known := []string{agent.Explorer}
	for _, a := range r.Brief.Agents {
		if a.Name == name {
			return a, nil
		}
		known = append(known, a.Name)
	}
	return agent.Agent{}, fmt.Errorf("there is no agent %q to delegate to; there are: %s", Clip(name), strings.Join(known, ", "))
}

// Reported returns the agents' results so far, for every later model.
func (r *Run) Reported() (sections []prompt.Section) {
	for _, d := range r.Delegated {
		if d.Result == "" {
			continue
		}
		name := "Found out: " + Shorten(d.Task, 100)
		if d.Failed {
			name = "Not found out: " + Shorten(d.Task, 100)
		}
		sections = append(sections, prompt.Section{Kind: prompt.Explored, Name: name, Text: d.Result, Data: true, Cut: 2})
	}
	return sections
}

// Retry is the user's request to continue a failed run: the nodes where it was stuck are retried, and if a part's
// attempts were used up each part gets as many more. The journal keeps its steps: a repeated step is a new one.
type Retry struct {
	Stuck  []step.Place // nodes, with the attempts in which they were stuck, except those without attempts left
	UsedUp bool         // an executor had no attempts left
	Judge  []step.Place // starts of executors that judge the best draft again instead of asking a model
}
