package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"forge/engine/agent"
	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/llm"
	"forge/engine/overseer"
	"forge/engine/permission"
	"forge/engine/prompt"
	"forge/patch"
)

// Activity is work outside of the code of a run, by the name under which its calls are journaled. In is its input, and Out its
// result, both as JSON.
type Activity[In, Out any] struct{ Name string }

// The activities of a run. engine/activity does them.
var (
	ActivityModel     = Activity[ModelCall, llm.Response]{"model"}     // asks a model; the kind of a Failure is that of the *llm.Error
	ActivityGate      = Activity[GateCall, gate.Report]{"gate"}        // runs a gate on a tree
	ActivityUnits     = Activity[State, []Unit]{"units"}               // lists the projects in a tree, and the gates that check them
	ActivityPreflight = Activity[PreflightCall, []Lack]{"preflight"}   // lists the gates that lack a program
	ActivityTool      = Activity[ToolCall, ToolResult]{"tool"}         // calls a provider or a tool of engine/tool
	ActivityMCP       = Activity[ToolCall, ToolResult]{"mcp"}          // calls a tool of an MCP server
	ActivityFormat    = Activity[PathsCall, patch.ChangeSet]{"format"} // applies the projects' formatters to files
	ActivitySyntax    = Activity[PathsCall, []gate.Finding]{"syntax"}  // finds the files with new syntax errors, compared with the base
	ActivityCode      = Activity[CodeCall, []string]{"code"}           // lists the files whose code differs between two states of a tree
	ActivityScopes    = Activity[ScopesCall, []Scope]{"scopes"}        // reads the code around places, such as those of failures
	ActivityDefined   = Activity[DefinedCall, []Definition]{"defined"} // finds the files of a tree that define names
	ActivityLearn     = Activity[LearnCall, Learned]{"learn"}          // updates the patterns of memory after an attempt
	ActivityErrand    = Activity[Errand, struct{}]{"errand"}           // keeps in memory that an errand of an agent has begun, or ended
	ActivityBrief     = Activity[BriefCall, Brief]{"brief"}            // reads the guides, skills and lessons for every model
	ActivityFiles     = Activity[State, Listing]{"files"}              // lists the files of a tree
	ActivityContext   = Activity[ContextCall, Context]{"context"}      // chooses what a model should see of a tree
	ActivityRead      = Activity[ReadCall, Text]{"read"}               // reads a file of a tree
	ActivityWrite     = Activity[State, patch.ChangeSet]{"write"}      // lists the differences from the base
	ActivityWindows   = Activity[[]string, map[string]int]{"windows"}  // looks up how many tokens the models of nodes accept, by name, if known
	ActivityDiff      = Activity[DiffCall, Uncommitted]{"diff"}        // lists how the base differs from a commit
	ActivitySpec      = Activity[Latest, SpecVersion]{"spec"}          // reads the folder's current specification
	ActivityKeep      = Activity[SpecVersion, SpecVersion]{"keep"}     // appends a version to the specification, and returns it with its number
	ActivityOffer     = Activity[PlanOffer, string]{"offer plan"}      // writes a plan to a file that the user may change, and returns its path
	ActivityOffered   = Activity[PlanOffer, string]{"offered plan"}    // reads that file as it is now
	ActivityPlans     = Activity[int, []event.PlanEffort]{"plans"}     // reads how long the latest plans took that succeeded in the folder, at most so many
	ActivityStanding  = Activity[struct{}, []Standing]{"standing"}     // lists the states of the nodes of the run when it is first called
	ActivityAsk       = Activity[event.Question, event.Answer]{"ask"}  // asks the user; FailureNoAnswer without an answer
)

// The kinds of failures of activities, besides those of llm.
const (
	FailureNoAnswer = "no answer"           // the user was asked and did not answer
	FailureBudget   = "budget"              // the call was not made: it could have exceeded the run's limit (llm.KindBudget)
	FailureNoModel  = string(event.NoModel) // the call was not made: there is no model
)

// ModelCall asks a model. Its answer contains the display name of the model (llm.Model's Name).
type ModelCall struct {
	Name    string // of the step
	Round   int    // 0 is the call itself; 1 and 2 are repairs
	Request llm.Request
	// Manifest lists the parts of the request.
	Manifest llm.Manifest `json:",omitzero"`
}

// Standing is the state of a node of a run.
type Standing struct {
	Node   string
	Status string // the name of a status of engine/graph
	Reason string `json:",omitempty"`
}

// State is a scratch tree as a value: a snapshot and the changes written into it since, in order. An
// activity that works on a tree first brings it to this state, so that no change is lost with the
// tree.
type State struct {
	Base    string // id of the snapshot
	Changes []patch.ChangeSet
}

// With returns the state after one more change.
func (s State) With(c patch.ChangeSet) State {
	return State{Base: s.Base, Changes: append(s.Changes[:len(s.Changes):len(s.Changes)], c)}
}

// Unit is a project in a tree: of one language, and in one folder.
type Unit struct {
	Language string
	Dir      string   // slash-separated; "" is the tree itself
	Gates    []string // the gates that check it, by the names of its language
	Tests    int      `json:",omitempty"` // files of tests
	Waived   []string `json:",omitempty"` // gates that would check it, but that the user has waived
}

// GateCall runs a gate on a tree.
type GateCall struct {
	State State
	Gate  string     // its name
	Scope gate.Scope `json:",omitzero"`
	// Fresh makes it run even if an earlier run has a measurement.
	Fresh bool `json:",omitempty"`
}

// PreflightCall asks which gates of a tree lack a program.
type PreflightCall struct {
	State State
	Gates []string // their names
}

// Lack is a gate that cannot run, because a program is not installed.
type Lack struct {
	Gate string // its name
	gate.Missing
}

// ToolCall calls a tool. Its arguments are an object that the tool's schema describes.
type ToolCall struct {
	State   State
	Tool    string
	Args    json.RawMessage
	Timeout time.Duration    `json:",omitempty"` // limit; 0 is the tool's own
	Agent   permission.Agent `json:",omitempty"` // who calls
	Repeats int              `json:",omitempty"` // how often the same was called before, with nothing changed since
	// Answer is the user's answer to the question about this call; nil before it was asked.
	Answer *permission.Approval `json:",omitempty"`
}

// ToolResult is the answer of a tool, or the reason why there is none.
type ToolResult struct {
	Text   string
	Failed bool
	Cut    bool // the output was truncated
	Exit   int  `json:",omitempty"` // of a command that ended: its exit code, below 0 if a signal ended it
	// Unsuccessful means that programs were run, and a test or a check failed, or a command ended with another code than 0.
	Unsuccessful bool `json:",omitempty"`
	// Change is the edit of a tool that changes files. It is not written: it takes effect once it is in the State.
	Change patch.ChangeSet `json:",omitzero"`
	// Refused is the decision by which the tool was not called; nil if it was. One that asks may be answered, and called again.
	Refused *permission.Decision `json:",omitempty"`
}

// PathsCall names files of a tree.
type PathsCall struct {
	State State
	Paths []string
}

// CodeCall asks which files have other code in one state of a tree than in another. A change that may be code counts as code.
type CodeCall struct {
	Before, After State
	Paths         []string
	Certain       bool `json:",omitempty"` // leaves out files of which it cannot be told
}

// ScopesCall asks for the code around places of a tree.
type ScopesCall struct {
	State  State
	Places []Location
}

// Location is a line of a file, from 1.
type Location struct {
	Path string
	Line int
}

// Scope is the innermost function or type around a place, or the lines next to it if there is none.
type Scope struct {
	Location
	Header string // the first line of the enclosing definition, such as "func Sum(values []int) int {"; may be empty
	Lines  string // the lines around the place, with the place marked
}

// DefinedCall asks in which files of a tree names are defined.
type DefinedCall struct {
	State State
	Names []string
}

// Definition is a file in which a name is defined.
type Definition struct{ Name, Path string }

// LearnCall reports the result of an attempt to memory. Memory learns only from verdicts of gates.
type LearnCall struct {
	Node    string
	Attempt int

	Passed, Total int      // checks
	Failures      []string // ids of what failed
	Reason        string   // why it was not accepted
	Class         string   // why the previous attempt failed, as the overseer classifies it; may be empty
	Accepted      bool     // all gates and the review passed

	Reports []gate.Report     // of the gates that ran on its result, without their output and findings
	Touched []string          // files that it changes
	Causes  []overseer.Cause  // why gates failed
	Lessons []overseer.Lesson // what it resolved of an earlier attempt, and how
	Shown   []string          // sources of the lessons in the run's brief
}

// Learned are the patterns that a LearnCall changed.
type Learned struct{ Patterns []LearnedPattern }

// LearnedPattern is a pattern of memory after a verdict.
type LearnedPattern struct {
	Category            string
	Text                string
	Successes, Failures int
	Confidence          float64
}

// Errand is what an agent was asked, and how that has ended.
type Errand struct {
	ID      string // "sub_" and twelve hexadecimal digits
	Node    string
	Agent   string
	Task    string // the question
	Context string // what the agent was shown, one section per line
	// Rounds and ReplyTokens are its budget: answers, and tokens of each.
	Rounds, ReplyTokens int

	Ended  bool // it reports the end, and not the beginning
	Failed bool
	Result string // what was found out, or why nothing was
	Tokens int    // of its requests and answers
}

// BriefCall asks for what every model of a run receives besides its task.
type BriefCall struct {
	State  State
	Task   string
	Focus  string // a path from the user; may be empty
	Intent string // kind and scope of the task, the key of lessons: "bugfix:pay"
}

// Brief is what every model of a run receives besides its task. It is read once, when the run begins, so that its
// prompts begin alike.
//
// Invariant: parts that are from a folder are from a trusted one. They are data all the same.
type Brief struct {
	Guides    []Guide        // AGENTS.md and the like, the one of the whole folder first
	Skills    []prompt.Skill // all skills; each prompt chooses which of them a node sees in full
	Agents    []agent.Agent  `json:",omitempty"` // of the user and the folder: the orchestrator may delegate questions to them
	Lessons   []Guide        // from earlier runs' gates, most certain first
	Notes     []Guide        // memory entries that match the task, best first
	Playbooks []Guide
	Risks     []string `json:",omitempty"` // what went wrong with similar work, from the verdicts of gates; for users
}

// Guide is a text for models, and its source.
type Guide struct{ Name, Source, Text string }

// Listing is the files of a tree: the first of them, their number, and their folders.
type Listing struct {
	Paths   []string // sorted
	Total   int
	Folders []string `json:",omitempty"` // one per line: the files at the top, then folders with their number of files
}

// ContextCall asks for what a model should see of a tree.
type ContextCall struct {
	State State
	Task  string
	Focus string   // a path from the user; may be empty
	Files []string `json:",omitempty"` // the files that a plan lets the task change or create: they are preferred
	Most  int      `json:",omitempty"` // tokens of all files and the map together; 0 is DefaultContext
	Tests bool     `json:",omitempty"` // it is for a model that writes tests
	Uses  string   `json:",omitempty"` // code that uses the code to change: the tests written for it
}

// DefaultContext is the default number of tokens of a tree that a model sees.
const DefaultContext = 10_000

// Context is what a model should see of a tree: an overview, and the files that matter most for the task.
type Context struct {
	Listing Listing
	Files   []File // the most important first
	Map     string `json:",omitempty"` // the rest, with signatures; may be empty
	Whole   bool   `json:",omitempty"` // Files has every readable file of the tree, except lock files and licences
	Found   bool   `json:",omitempty"` // the subject of the task was found, and is among Files
	Simple  string `json:",omitempty"` // for users: why only words chose the files; empty if symbols and imports did too
}

// File is a file as a model sees it.
type File struct {
	Path       string
	Text       string
	Tier       Tier `json:",omitempty"`
	Signatures bool `json:",omitempty"` // Text has a line for each symbol instead of the content
	Windows    bool `json:",omitempty"` // Text has excerpts of the file, each below a line with its line numbers
}

// Tier is the reason why a file is shown.
type Tier int

// The tiers.
const (
	TierTarget     Tier = iota // probably to be changed
	TierDependency             // needed by a target
	TierInterface              // needed by a dependency, or needs a target
)

// ReadCall reads a file of a tree.
type ReadCall struct {
	State State
	Path  string
}

// Text is the content of a file, byte for byte.
type Text struct {
	Exists  bool
	Content []byte
}

// PlanOffer is a plan that the user is asked about, as the text of a file.
type PlanOffer struct {
	Draft int // from 1
	Text  string
}

// Place is the position of a step in a run.
type Place struct {
	Node    string
	Attempt int // from 1
}

// DiffCall asks how the base of a tree differs from a commit of the user's repository.
type DiffCall struct {
	State
	Since string `json:",omitempty"` // a branch, a tag or the id of a commit; empty is the one that is checked out
}

// Uncommitted is the difference between a tree and a commit of the user's repository.
type Uncommitted struct {
	Known   bool // false without a commit to compare with
	Changes patch.ChangeSet
}

// Latest asks for the newest version.
type Latest struct{}

// SpecVersion is a version of the folder's specification. A new one must follow the version before it.
type SpecVersion struct {
	Version   int // from 1; 0 if there is none yet
	Prompt    string
	Text      string // Markdown
	Changelog string // one line: the changes
}

// Call performs the activity as a step, or returns its journaled result. name is the step's, unique in its place.
func (a Activity[In, Out]) Call(ctx context.Context, f flow.Flow, at Place, name string, in In) (out Out, err error) {
	call, err := a.encode(at, name, in)
	if err != nil {
		return out, err
	}
	output, err := f.Do(ctx, call)
	return a.decode(name, output, err)
}

// Wait is Call for an activity that waits for the user.
func (a Activity[In, Out]) Wait(ctx context.Context, f flow.Flow, at Place, name string, in In) (out Out, err error) {
	call, err := a.encode(at, name, in)
	if err != nil {
		return out, err
	}
	output, err := f.Wait(ctx, call)
	return a.decode(name, output, err)
}

func (a Activity[In, Out]) encode(at Place, name string, in In) (flow.Call, error) {
	input, err := json.Marshal(in)
	if err != nil {
		err = fmt.Errorf("encode the input of %s: %w", name, err)
	}
	return flow.Call{Node: at.Node, Attempt: at.Attempt, Name: name, Do: a.Name, Input: input}, err
}

func (a Activity[In, Out]) decode(name string, output json.RawMessage, err error) (out Out, _ error) {
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(output, &out); err != nil {
		return out, fmt.Errorf("decode the result of %s: %w", name, err)
	}
	return out, nil
}

// Reader reads the files of a state, each as a step. It is patch.Files for code that does no I/O.
type Reader struct {
	Ctx   context.Context //nolint:containedctx // patch.Files knows none; a Reader lives for one resolution
	Flow  flow.Flow
	At    Place
	Name  string // the purpose of the reading: a prefix of its steps' names
	State State
}

// ReadFile returns the content of a file. The error matches fs.ErrNotExist if it does not exist.
func (r Reader) ReadFile(path string) ([]byte, error) {
	text, err := ActivityRead.Call(r.Ctx, r.Flow, r.At, "read/"+r.Name+"/"+path, ReadCall{State: r.State, Path: path})
	var failed *flow.Failure
	switch {
	case err != nil && !errors.As(err, &failed):
		return nil, &brokenError{err}
	case err == nil && !text.Exists:
		err = &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return text.Content, err
}

// brokenError means that a step could not be performed or kept. The answer is not at fault, and no model can fix it.
type brokenError struct{ cause error }

// Broken marks an error of a check that is no fault of the answer: the step ends, and the user has to act.
func Broken(err error) error { return &brokenError{err} }

func (e *brokenError) Error() string { return e.cause.Error() }
func (e *brokenError) Unwrap() error { return e.cause }
