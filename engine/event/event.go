// Package event is what a run tells the world while it happens: one ordered log of typed events per
// run, with sequence numbers from 1 and no gaps, that can be followed live and replayed.
package event

import (
	"slices"
	"strings"
	"time"

	"forge/engine/ask"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/llm"
)

// Event is one thing that happened in a run.
type Event struct {
	RunID string
	Seq   int // from 1, without gaps, in the order of happening
	Time  time.Time
	Data  Data // one of the structs of this package
}

// Data is the payload of an event. Its Type is the event's name on the wire.
type Data interface{ Type() string }

// RunStarted is the first event of every run.
type RunStarted struct {
	Task   string
	Folder string // absolute path
	Model  string // empty when none could be chosen
	Class  Class  // zero in runs of older versions
	Way    Way    // likewise
}

// Way is how a run works.
type Way struct {
	Recipe  string // the kind of work
	Mode    string
	Profile string // how the change is asked for; empty where no model is asked for one
}

// String is the way for people: "fix · debug · tooluse"; of none it is empty.
func (w Way) String() string {
	return strings.Join(slices.DeleteFunc([]string{w.Recipe, w.Mode, w.Profile}, func(s string) bool { return s == "" }), " · ")
}

// Class is the kind of work that a task is taken for, by rules.
type Class struct {
	Kind       string  // bugfix, refactor, feature, optimisation, analysis, setup, test or conversation
	Confidence float64 // 0 to 1
	Certainty  string  // the same for people: sure, probably or not sure; empty in runs of older versions
	Scope      string  // the folder it is about; "." is all of it
	// RequiresTests and RequiresReview are what such work needs before it counts as done.
	RequiresTests, RequiresReview bool
}

// FilesSkipped tells which files could not be part of the snapshot that the run works on.
type FilesSkipped struct {
	Base  string // id of the snapshot
	Files []Skipped
}

// Skipped is a file that is not ignored and still not in a snapshot.
type Skipped struct {
	Path   string
	Reason string // for people
}

// SecretsRedacted tells which secrets were replaced by marks so far, in what the run asks a model and in what gates said.
// It is told again when there are more.
type SecretsRedacted struct{ Secrets []Redacted }

// Redacted is how many secrets have the same name.
type Redacted struct {
	Name  string // of the variable, the file, or the rule that found it; never its value
	Count int
}

// RunResumed tells that a run goes on that had been cut off, paused, or had come to nothing. What was told
// before it stands; what the run does until it is where it was is not told again.
type RunResumed struct {
	Model string // empty when none could be chosen
	// Stuck are the nodes that are tried again because the run had come to nothing in them.
	Stuck []Attempt
	// MoreAttempts says that the attempts were used up, and that there are as many again.
	MoreAttempts bool
	// Judge are starts of nodes that have the best change of the run checked again, without asking a model.
	Judge []Attempt `json:",omitempty"`
}

// Attempt is one start of a node.
type Attempt struct {
	Node   string
	Number int // from 1
}

// GraphBuilt tells the run's graph, before any node runs, and the snapshot it works on. Attempts is how
// often a node may be started, at least 1.
type GraphBuilt struct {
	Base     string // id of the snapshot
	Nodes    []graph.Node
	Edges    []graph.Edge
	Attempts int
}

// NodeChanged tells a node's new status.
type NodeChanged struct {
	Node graph.Node
}

// ModelCalled tells of a finished call to the model, good or bad.
type ModelCalled struct {
	Node    string
	Attempt int
	Round   int // 0 is the call itself; 1 and 2 are repairs of an answer nobody could parse
	Model   string
	Input   int // tokens, as the provider billed them: those that were neither read from nor written to its cache
	Output  int // tokens
	// CacheRead and CacheWrite are tokens of the request that the provider had kept, or keeps now.
	CacheRead, CacheWrite int
	Cost                  llm.Cost
	Cached                bool // Forge had kept the answer: it cost nothing
	Elapsed               time.Duration
	Failure               string // empty when the answer was usable
	// Again is how long Forge waits before it makes the same call again; 0 means that it does not.
	Again time.Duration
	// StandIn is the model that is asked instead; empty is none.
	StandIn string
	// Manifest tells what the request was made of; zero where none was made, and for a call that is made again.
	Manifest llm.Manifest `json:",omitzero"`
}

// ToolUsed tells what was looked at or done for a model.
type ToolUsed struct {
	Node    string
	Attempt int
	Tool    string
	Args    string // as JSON, the beginning of it
	Failed  bool   // there was no answer, and the model was told why
	Cut     bool   // there was more than the model was told
	Bytes   int    // that the model was told
}

// BatchWaiting tells what a call of a model waits for that a provider answers within a day. ModelCalled ends the wait.
type BatchWaiting struct {
	Node     string
	Attempt  int
	Model    string
	Provider string
	Batch    string // as the provider names it; empty until it has it
	State    string // gathered, submitting, unsent, submitted, ended
	Items    int    // requests in it, of all runs
	Since    time.Time
	Trouble  string // what went wrong when the provider was asked last; mostly empty
}

// ModelWarming tells that a call waits until a server of this machine has loaded its model, which takes seconds to minutes.
// ModelWarmed ends the wait; where the process ended meanwhile, nothing does.
type ModelWarming struct {
	Node    string
	Attempt int
	Model   string
}

// ModelWarmed tells that a model is loaded, or that it could not be: the call is made all the same.
type ModelWarmed struct {
	Node    string
	Attempt int
	Model   string
	Elapsed time.Duration
	Failure string // empty when it is loaded
}

// Spent tells what a run has spent so far, in all its lives, failed attempts included.
type Spent struct {
	Tokens int64     // of whatever kind, charged
	Usage  llm.Usage // as far as providers said it
	Cost   llm.Cost
	// Held are tokens that can come on top: of calls that are under way, or of which nobody knows what became.
	Held int64
	// LimitTokens and LimitMicroUSD are what the run may spend; 0 is without limit.
	LimitTokens, LimitMicroUSD int64
}

// GateStarted tells that a gate begins.
type GateStarted struct {
	Node    string
	Attempt int
	Gate    string
	Index   int // from 1
	Of      int // number of gates in this round
}

// GateFinished tells a gate's report.
type GateFinished struct {
	Node    string
	Attempt int
	Report  gate.Report
}

// Reviewed tells what a reviewer says of a change, or of code that it was shown. It is an opinion and no gate: nothing is
// learned from it. Error means that nobody could read it, which is not a pass.
type Reviewed struct {
	Node    string
	Attempt int
	Report  gate.Report
}

// AnswerReady tells the answer of a run that was asked something.
type AnswerReady struct {
	Text string // Markdown
	Path string // of the file that has it, in Forge's own state; empty where it could not be kept
}

// SpecKept tells that a version was appended to the specification of the folder.
type SpecKept struct {
	Version   int
	Changelog string // one line
}

// Asked tells that a question waits for a person.
type Asked struct{ Question ask.Question }

// Answered tells that a question is closed. Choice is empty when nobody answered; Text is what they wrote instead of choosing.
type Answered struct {
	QuestionID string
	Choice     string
	Text       string `json:",omitempty"`
}

// ProposalReady tells that the run's result can be looked at.
type ProposalReady struct {
	ProposalID string
	Files      int
	Hunks      int
	Unverified string `json:",omitempty"` // what speaks against it, a line each, where the run did not accept it
}

// State is how a run stands.
type State string

// The states of a run. Running and Waiting are alive, Paused and Interrupted can go on, the others are final
// until a person has it tried again.
const (
	Running   State = "running"
	Waiting   State = "waiting"   // a question is open
	Succeeded State = "succeeded" // every gate opened; there may be a proposal
	Blocked   State = "blocked"   // it cannot go on by itself; Reason says why
	Failed    State = "failed"
	Cancelled State = "cancelled"

	Paused      State = "paused"      // a person stopped it for now
	Interrupted State = "interrupted" // the process that worked on it has ended
)

// RunEnded is the last event of every run; there is exactly one, and one more for each RunResumed.
type RunEnded struct {
	State  State
	Reason string // for people; empty for Succeeded
}

// Type names the event on the wire.
func (RunStarted) Type() string      { return "run.started" }
func (FilesSkipped) Type() string    { return "skipped" }
func (SecretsRedacted) Type() string { return "redacted" }
func (RunResumed) Type() string      { return "run.resumed" }
func (GraphBuilt) Type() string      { return "graph" }
func (GraphGrown) Type() string      { return "graph.grown" }
func (Planned) Type() string         { return "planned" }
func (NodeChanged) Type() string     { return "node" }
func (ModelCalled) Type() string     { return "model" }
func (ToolUsed) Type() string        { return "tool" }
func (WorkReported) Type() string    { return "report" }
func (BatchWaiting) Type() string    { return "batch" }
func (ModelWarming) Type() string    { return "warming" }
func (ModelWarmed) Type() string     { return "warmed" }
func (Spent) Type() string           { return "spent" }
func (GateStarted) Type() string     { return "gate.started" }
func (GateFinished) Type() string    { return "gate.finished" }
func (Reviewed) Type() string        { return "review" }
func (AnswerReady) Type() string     { return "answer" }
func (SpecKept) Type() string        { return "spec" }
func (AttemptJudged) Type() string   { return "attempt" }
func (TaskClassified) Type() string  { return "classified" }
func (Diagnosed) Type() string       { return "diagnosis" }
func (Learned) Type() string         { return "learned" }
func (Asked) Type() string           { return "ask" }
func (Answered) Type() string        { return "answered" }
func (ProposalReady) Type() string   { return "proposal" }
func (RunEnded) Type() string        { return "run.ended" }
