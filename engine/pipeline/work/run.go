// Package work is what a run was asked for, and what it has so far: of each module the attempt that is under way, its tests, what models were
// shown, and how earlier attempts were judged.
//
//	Run ─► Module ─► Job, Budget, Questions      which work it is, what it may use, what the user is asked
//	              ─► Start, Attempt, Tests       the tree that attempts begin with, the change under way, the tests of it
//	              ─► Findings, History           what was looked at; drafts and verdicts of all attempts
//
// It is state: nothing here asks a model or runs a gate. What is written by one node is read by nodes that wait for it, so that the order of
// the graph is the only lock. All of it is played again from the journal, and follows from that alone.
//
// # Plans
//
// A Plan is how a task is cut into parts that are worked on one by one or side by side: what a planner says, what is wrong with
// it, what can be mended without asking, and in which order the parts come.
//
// Invariant: after Mend and a Check without faults, two parts that may be worked on at the same time name no file in common.
package work

import (
	"cmp"

	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/engine/tool"
)

// Env is what a run works with.
type Env struct {
	step.Env
	Crew    graph.Crew // works on nodes side by side; nil is goroutines
	Base    string     // id of the snapshot the run is about
	Brief   step.Brief // for every model of the run
	Project Project
	// Attempts is how often the executor may try; 0 means DefaultAttempts.
	Attempts int
	// Steps is how many exchanges with models the run may have, repairs not counted; 0 means DefaultSteps.
	Steps int
	// ToolCalls is how many tools the run may use in turns; 0 means DefaultToolCalls.
	ToolCalls int
	// AtFirst has gates that come after one that a change does not pass left out.
	AtFirst bool
	// Whole has all of a suite look at a change before it is proposed, where what concerns the change has passed.
	Whole bool
	// Grants are what the user lets tools do beyond the tree.
	Grants tool.Grants
	// Rounds is how often it is asked what else must be read before anything is written; 0 means DefaultRounds, below none.
	Rounds int
	// Retries are what the user had tried again after the run had failed, in order.
	Retries []Retry
	// Again are snapshots of the user's files as they were when each of the retries began, in their order; an empty one is none.
	Again []string
	// Hops is how often the graph may go back along a lane, such as from the review to the executor; 0 means graph.DefaultMaxHops.
	Hops int
	// Tasks is how many nodes work at once, and Writers how many of them may write changes; 0 means DefaultTasks and DefaultWriters.
	Tasks, Writers int
}

// DefaultAttempts is how often the executor may try before the run gives up.
const DefaultAttempts = 3

// How many nodes of a run work at once, and how many of them may write changes.
const (
	DefaultTasks   = 4
	DefaultWriters = 2
)

// Limits of a run where nothing else is said: exchanges with models, and tools used in turns.
const (
	DefaultSteps     = 50
	DefaultToolCalls = 100
)

// DefaultRounds is how often it is asked, before the first attempt, what else must be read.
const DefaultRounds = 2

// Run is what is known of a run: what it was asked for, and what its nodes have found out so far. A node's results are written by that
// node alone and read by nodes that wait for it, so that the graph's order is the only lock they need.
type Run struct {
	Env
	Task      Task
	Parts     []*Module     // in the order of the graph: the parts of the task, and what joins the parts of a tier
	Finished  string        // why there is nothing more to do; empty while there is
	Listing   *step.Listing // the files of the snapshot; nil until they were listed
	Spec      string        // what the change must satisfy; empty when it was skipped
	Delegated []Delegation  // what subagents find out; each adds its result, and the orchestrator waits for it
}

// NewRun is a run that has done nothing yet, with the defaults of what env and task leave out.
func NewRun(env Env, task Task) *Run {
	if env.Attempts == 0 {
		env.Attempts = DefaultAttempts
	}
	if env.Rounds == 0 {
		env.Rounds = DefaultRounds
	}
	if env.Crew == nil {
		env.Crew = graph.Goroutines()
	}
	env.Hops = cmp.Or(env.Hops, graph.DefaultMaxHops)
	env.Tasks, env.Writers = cmp.Or(env.Tasks, DefaultTasks), cmp.Or(env.Writers, DefaultWriters)
	if task.Mode.Name == "" {
		task.Mode, _ = mode.Lookup("") // the default is in the table
	}
	return &Run{Env: env, Task: task}
}

// Finish ends the run with success, and without a change.
func (r *Run) Finish(reason string) { r.Finished = reason }

// Folder is the tree as the user sees it.
func (r *Run) Folder() step.State { return step.State{Base: r.Base} }

// Retried is how often what a node does in an attempt is to be tried again.
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

// more is how many attempts a retry adds: judging a draft again takes none from those that ask a model.
func (r *Run) more(retry Retry) (n int) {
	if retry.UsedUp {
		n += r.Attempts
	}
	if len(retry.Judge) > 0 {
		n++
	}
	return n
}

// AllAttempts is how many attempts the executor has in all.
func (r *Run) AllAttempts() int {
	all := r.Attempts
	for _, retry := range r.Retries {
		all += r.more(retry)
	}
	return all
}

// Limit is how many attempts there were when one of them began: what was said then does not change because
// there are more now.
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

// Specification is what the change must satisfy, for every node after it was approved; there may be none.
func (r *Run) Specification() []prompt.Section {
	if r.Spec == "" {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Request, Name: "Specification", Text: r.Spec, Data: true}}
}

// Delegation is what a subagent was asked, and what it says.
type Delegation struct {
	Task   string
	Result string
	Failed bool // it could not find it out, or its answer could not be read
}

// Reported are what subagents have found out so far, for every model that is asked after them.
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

// Retry is the user's wish that a failed run goes on: the nodes where it was stuck are
// tried again, and where a part's attempts were used up each part has as many more. What is in the journal stays there:
// a step that is made again is another step.
type Retry struct {
	Stuck  []step.Place // nodes, with the attempts in which they were stuck; not those that had no attempts left
	UsedUp bool         // an executor had no attempts left
	Judge  []step.Place // starts of executors that judge the best draft again instead of asking a model
}
