package event

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"forge/engine/graph"
)

// RunStarted is the first event of every run.
type RunStarted struct {
	Task   string `wire:"task"`
	Folder string `wire:"folder,uri" doc:"URI"` // absolute path
	Model  string `wire:"model"`                // empty if none could be chosen
	Class  Class  `wire:"class,omitzero" doc:"the kind of work, by rules; missing in runs of older versions"`
	Way    Way    `wire:",inline"` // zero in runs of older versions
}

// Type returns the name of the event.
func (RunStarted) Type() string { return "run.started" }

// Way is the recipe, mode and profile of a run.
type Way struct {
	Recipe  string `wire:"recipe,omitempty" doc:"the kind of work; missing in runs of older versions"`
	Mode    string `wire:"mode,omitempty"`
	Profile string `wire:"profile,omitempty" doc:"format in which the model writes the change; missing if no model writes one"`
}

// String returns the way for users: "fix · debug · tooluse"; the zero Way is empty.
func (w Way) String() string {
	return strings.Join(slices.DeleteFunc([]string{w.Recipe, w.Mode, w.Profile}, func(s string) bool { return s == "" }), " · ")
}

// Class is the classification of a task. It is also the result of a command, hence its tags of encoding/json.
type Class struct {
	Kind           string  `json:"kind" enum:"bugfix,refactor,feature,optimisation,analysis,setup,test,documentation,conversation"`
	Confidence     float64 `json:"confidence" doc:"0 to 1"`
	Certainty      string  `json:"certainty,omitempty" doc:"the confidence in words; missing in runs of older versions" enum:"sure,probably,not sure"`
	Scope          string  `json:"scope" doc:"folder of the task, relative; . is the whole folder"`
	RequiresTests  bool    `json:"requiresTests" doc:"such work needs tests"`
	RequiresReview bool    `json:"requiresReview" doc:"such work needs a review"`
}

// TaskClassified reports that a model has classified the task, because the rules alone were not sure.
type TaskClassified struct {
	Class  Class  `wire:",inline"`
	Recipe string `wire:"recipe,omitempty" doc:"the recipe that follows from it, if it is not that of run.started"`
}

// Type returns the name of the event.
func (TaskClassified) Type() string { return "classified" }

// FilesSkipped lists files that are not ignored but could not be part of the run's snapshot.
type FilesSkipped struct {
	Base  string    `wire:"base" doc:"id of the run's snapshot"`
	Files []Skipped `wire:"files"`
}

// Type returns the name of the event.
func (FilesSkipped) Type() string { return "skipped" }

// Skipped is a file that is not in a snapshot.
type Skipped struct {
	Path   string `wire:"path"`
	Reason string `wire:"reason"` // for users
}

// WorkIncluded reports what the folder has beyond the commit that is checked out, and whether the run sees it.
type WorkIncluded struct {
	Base        string   `wire:"base" doc:"id of the run's snapshot"`
	From        string   `wire:"from" enum:"working,head" doc:"working: the run sees these files; head: it works on the last commit, without them"`
	Uncommitted []string `wire:"uncommitted" doc:"files on disk that differ from the commit, new and deleted ones too; the first 1000"`
	More        int      `json:",omitempty" wire:"more,omitempty" doc:"how many such files are not listed"`
	Unsaved     []string `wire:"unsaved" doc:"open files with changes that are not saved"`
}

// Type returns the name of the event.
func (WorkIncluded) Type() string { return "included" }

// SecretsRedacted lists the secrets replaced by marks so far, in requests to models and in gates' output. It is emitted
// again when there are more. It never contains a value.
type SecretsRedacted struct {
	Count   int        `wire:"count" doc:"number of all secrets"`
	Secrets []Redacted `wire:"secrets"`
}

// Type returns the name of the event.
func (SecretsRedacted) Type() string { return "redacted" }

// RedactedSecrets returns the event for these secrets.
func RedactedSecrets(secrets []Redacted) SecretsRedacted {
	e := SecretsRedacted{Secrets: secrets}
	e.complete()
	return e
}

func (e *SecretsRedacted) complete() {
	e.Count = 0
	for _, s := range e.Secrets {
		e.Count += s.Count
	}
}

// Redacted is the number of secrets with the same name.
type Redacted struct {
	Name  string `wire:"name" doc:"name of the variable, the file, or the rule that found it"`
	Count int    `wire:"count"`
}

// RunResumed reports that a run continues that was interrupted, or had ended without a result. Earlier events
// stay valid; what the run replays is not reported again.
type RunResumed struct {
	Model        string    `wire:"model"` // empty if none could be chosen
	Stuck        []Attempt `wire:"stuck" doc:"starts of nodes that are retried because the run had ended in them"`
	MoreAttempts bool      `wire:"moreAttempts,omitempty" doc:"no attempts were left, and the same number is added"`
	Judge        []Attempt `json:",omitempty" wire:"judge,omitempty" doc:"starts of nodes that check the best change of the run again, without a model"`
}

// Type returns the name of the event.
func (RunResumed) Type() string { return "run.resumed" }

// Attempt is one start of a node.
type Attempt struct {
	Node   string `wire:"node"`
	Number int    `wire:"number" doc:"from 1"`
}

// State is the state of a run.
type State string

// The states of a run. Running and Waiting are alive, Interrupted can be resumed, the others are
// final until the user retries it.
const (
	Running   State = "running"
	Waiting   State = "waiting"   // a question is open
	Succeeded State = "succeeded" // every gate passed; there may be a proposal
	Blocked   State = "blocked"   // it cannot continue by itself; Reason is why
	Failed    State = "failed"
	Cancelled State = "cancelled"

	Interrupted State = "interrupted" // the process that worked on it has ended
)

// RunEnded is the last event of every run. There is exactly one, and one more for each RunResumed.
type RunEnded struct {
	State  State  `wire:"state" enum:"succeeded,blocked,failed,cancelled,interrupted"`
	Reason string `wire:"reason,omitempty"` // for users; empty for Succeeded
	// Remedy is what gets the user past Reason; empty if nothing but resuming is known.
	Remedy Remedy `json:",omitempty" wire:"remedy,omitempty" enum:"key,model,limit,trust,task,wait,answer" doc:"what gets the user past the reason, if it is known"`
	// Quiet is how long a run that was cancelled worked on after the request, rounded up; 0 if it was not cancelled, or by another process.
	Quiet time.Duration `json:",omitempty" wire:"quietMs,omitempty" doc:"from the request to cancel the run until nothing of it worked any more, rounded up; missing if it was not cancelled, or by another process"`
}

// Type returns the name of the event.
func (RunEnded) Type() string { return "run.ended" }

// GraphBuilt is the run's graph, before any node runs, and the snapshot it works on.
type GraphBuilt struct {
	Base     string       `wire:"base" doc:"id of the run's snapshot"`
	Nodes    []graph.Node `wire:"nodes"`
	Edges    []graph.Edge `wire:"edges"`
	Attempts int          `wire:"attempts" doc:"limit of starts of a node, at least 1"`
}

// Type returns the name of the event.
func (GraphBuilt) Type() string { return "graph" }

// GraphGrown contains nodes and edges that were added to the run's graph.
type GraphGrown struct {
	Nodes []graph.Node `wire:"nodes"`
	Edges []graph.Edge `wire:"edges"`
}

// Type returns the name of the event.
func (GraphGrown) Type() string { return "graph.grown" }

// NodeChanged is a node with its new status.
type NodeChanged struct {
	Node graph.Node `wire:",inline"`
}

// Type returns the name of the event.
func (NodeChanged) Type() string { return "node" }

// Planned is the plan that the user is asked to approve, or approved in advance.
type Planned struct {
	Parts   []PlannedPart `wire:"parts"`
	Notes   []string      `wire:"notes" doc:"corrections of the plan, and warnings"`
	Minutes int           `wire:"minutes" doc:"estimated duration, corrected by what earlier plans took"`
	// Uncorrected is Minutes without that correction, and Earlier is the number of plans that it is from; both are 0 without one.
	Uncorrected int      `json:",omitempty" wire:"uncorrected,omitempty" doc:"estimated duration without that correction"`
	Earlier     int      `json:",omitempty" wire:"earlier,omitempty" doc:"plans that the correction is from"`
	Risks       []string `json:",omitempty" wire:"risks,omitempty" doc:"what went wrong with similar work in earlier runs"`
	// Degraded is why there is no plan of the planner, and the only part is the whole task; empty for a plan.
	// Revised is why the planner replaced the remaining parts of an earlier plan; empty for a first plan.
	Revised  string `json:",omitempty" wire:"revised,omitempty" doc:"why the planner replaced the remaining parts of the plan"`
	Degraded string `json:",omitempty" wire:"degraded,omitempty" doc:"why the planner gave no usable plan, so that the only part is the whole task"`
}

// Estimate returns the estimated duration in minutes without a correction.
func (p Planned) Estimate() int { return cmp.Or(p.Uncorrected, p.Minutes) }

// Type returns the name of the event.
func (Planned) Type() string { return "planned" }

// PlannedPart is a part of a plan.
type PlannedPart struct {
	ID        string   `wire:"id"`
	Title     string   `wire:"title"`
	Tier      int      `wire:"tier" doc:"from 1; parts of one tier run in parallel"`
	Files     []string `wire:"files"`
	DependsOn []string `wire:"dependsOn"`
	Risk      string   `wire:"risk,omitempty" enum:"low,medium,high"` // empty if unknown
	Objective string   `json:",omitempty" wire:"objective,omitempty" doc:"what must be there afterwards"`
	Verify    []string `json:",omitempty" wire:"verify,omitempty" doc:"what its tests must show, and commands that are run"`
	DoneWhen  string   `json:",omitempty" wire:"doneWhen,omitempty"`
}
