package step

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/gate"
	"forge/engine/llm"
	"forge/engine/prompt"
	"forge/patch"
)

// Activity is work outside of the code of a run, by the name under which its calls are journaled. In is what it works on, and Out its result,
// both as JSON.
type Activity[In, Out any] struct{ Name string }

// The activities of a run. engine/activity does them.
var (
	ActivityModel     = Activity[ModelCall, llm.Response]{"model"}     // what a model answers; the kind of a Failure is that of the *llm.Error
	ActivityGate      = Activity[GateCall, gate.Report]{"gate"}        // what a gate says of a tree
	ActivityUnits     = Activity[State, []Unit]{"units"}               // the projects in a tree, and the gates that check them
	ActivityPreflight = Activity[PreflightCall, []Lack]{"preflight"}   // the gates that lack a program
	ActivityTool      = Activity[ToolCall, ToolResult]{"tool"}         // what a provider or a tool of engine/tool says
	ActivityFormat    = Activity[PathsCall, patch.ChangeSet]{"format"} // what the projects' formatters make of files
	ActivitySyntax    = Activity[PathsCall, []gate.Finding]{"syntax"}  // where files are no longer sentences of their language, though they were in the base
	ActivityCode      = Activity[CodeCall, []string]{"code"}           // the files whose code differs between two states of a tree
	ActivityScopes    = Activity[ScopesCall, []Scope]{"scopes"}        // the code around places, for what went wrong there
	ActivityDefined   = Activity[DefinedCall, []Definition]{"defined"} // the files of a tree in which names are defined
	ActivityLearn     = Activity[LearnCall, Learned]{"learn"}          // the patterns of memory that an attempt has moved
	ActivityBrief     = Activity[BriefCall, Brief]{"brief"}            // what the folder, its user and earlier runs have to say to every model
	ActivityFiles     = Activity[State, Listing]{"files"}              // the files of a tree
	ActivityContext   = Activity[ContextCall, Context]{"context"}      // what a model should see of a tree
	ActivityRead      = Activity[ReadCall, Text]{"read"}               // a file of a tree
	ActivityWrite     = Activity[State, patch.ChangeSet]{"write"}      // what differs from the base
	ActivityWindows   = Activity[[]string, map[string]int]{"windows"}  // the tokens that the models of nodes take, by their names, where it is known
	ActivityDiff      = Activity[State, Uncommitted]{"diff"}           // how the base differs from the commit that is checked out
	ActivitySpec      = Activity[Latest, SpecVersion]{"spec"}          // the folder's specification as it is
	ActivityKeep      = Activity[SpecVersion, SpecVersion]{"keep"}     // a version appended to the specification, with its number
	ActivityAsk       = Activity[event.Question, event.Answer]{"ask"}  // what the user answers; FailureNoAnswer where there is none
)

// Kinds of failures that activities have beside those of llm.
const (
	FailureNoAnswer = "no answer" // the user was asked and did not answer
	FailureBudget   = "budget"    // the call was not made: it could have gone past the run's limit (llm.KindBudget)
	FailureNoModel  = "no model"  // the call was not made: there is no model
)

// ModelCall asks a model. Its answer names the model as people know it (llm.Model's Name).
type ModelCall struct {
	Name    string // of the step
	Round   int    // 0 is the call itself; 1 and 2 are repairs
	Request llm.Request
	// Manifest reports what the request is made of.
	Manifest llm.Manifest `json:",omitzero"`
}

// State is a scratch tree as a value: a snapshot and what was written into it since, in order. Who
// something in a tree makes it equal to that first, so that nothing is lost with the tree.
type State struct {
	Base    string // id of the snapshot
	Changes []patch.ChangeSet
}

// With is the state after one more change.
func (s State) With(c patch.ChangeSet) State {
	return State{Base: s.Base, Changes: append(s.Changes[:len(s.Changes):len(s.Changes)], c)}
}

// Unit is a project in a tree: of one language, and in one folder.
type Unit struct {
	Language string
	Dir      string   // slash-separated; "" is the tree itself
	Gates    []string // that check it: names as its language has them
	Tests    int      `json:",omitempty"` // files of tests
	Waived   []string `json:",omitempty"` // gates that would check it, and that the user has waived
}

// GateCall runs a gate on a tree.
type GateCall struct {
	State State
	Gate  string     // its name
	Scope gate.Scope `json:",omitzero"`
	// Fresh has it run whatever an earlier run measured.
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

// ToolCall asks a tool. Its arguments are an object that the tool's schema describes.
type ToolCall struct {
	State   State
	Tool    string
	Args    json.RawMessage
	Timeout time.Duration `json:",omitempty"` // at most; 0 is the tool's own
}

// ToolResult is what a tool says: an answer, or why there is none.
type ToolResult struct {
	Text   string
	Failed bool
	Cut    bool // there was more
	// Change is what a tool that changes files makes of the tree. Nothing is written: it counts once it is in the State.
	Change patch.ChangeSet `json:",omitzero"`
}

// PathsCall is about files of a tree.
type PathsCall struct {
	State State
	Paths []string
}

// CodeCall asks which files have other code in one state of a tree than in another. What nobody can tell from code is code.
type CodeCall struct {
	Before, After State
	Paths         []string
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

// Scope is the innermost function or type around a place, or the lines next to it where there is none.
type Scope struct {
	Location
	Header string // the first line of what is around it: "func Sum(values []int) int {"; empty where there is none
	Lines  string // the lines around the place, the place itself marked
}

// DefinedCall asks in which files of a tree names are defined.
type DefinedCall struct {
	State State
	Names []string
}

// Definition is a file in which a name is defined.
type Definition struct{ Name, Path string }

// LearnCall is how an attempt came out, for memory: only verdicts of gates teach it anything.
type LearnCall struct {
	Node    string
	Attempt int

	Passed, Total int      // checks
	Failures      []string // ids of what failed
	Reason        string   // why it was not accepted
	Class         string   // why the attempt before failed, as the overseer has it; may be empty
	Accepted      bool     // every gate opened, and the review too

	Reports  []gate.Report // of the gates that were run on its result, without their output and findings
	Touched  []string      // files that it changes
	Resolved []string      // ids of what failed in the attempt before and does not any more
	Fix      string        // the beginning of the edit that resolved it
}

// Learned are the patterns that a LearnCall has moved.
type Learned struct{ Patterns []LearnedPattern }

// LearnedPattern is a pattern of memory after a verdict.
type LearnedPattern struct {
	Category            string
	Text                string
	Successes, Failures int
	Confidence          float64
}

// BriefCall asks for what every model of a run is told beside its task.
type BriefCall struct {
	State  State
	Task   string
	Focus  string // the path that the user pointed at; may be empty
	Intent string // its kind and scope, as lessons are kept under: "bugfix:pay"
}

// Brief is what every model of a run is told beside its task. It is read once, when the run begins, so that its prompts
// begin alike.
//
// Invariant: whatever of it is from a folder is from one that the user trusts. It is data all the same.
type Brief struct {
	Guides    []Guide        // AGENTS.md and the like, the one of the whole folder first
	Skills    []prompt.Skill // all there are; which of them a node is shown in full is for its prompt to say
	Lessons   []Guide        // of earlier runs' gates, most certain first
	Notes     []Guide        // what was kept in memory and has to do with the task, best first
	Playbooks []Guide
}

// Guide is a text for models, and where it is from.
type Guide struct{ Name, Source, Text string }

// Listing is the files of a tree: the first of them, how many there are, and in which folders.
type Listing struct {
	Paths   []string // sorted
	Total   int
	Folders []string `json:",omitempty"` // a line each: the files at the top, then folders with how many files they have
}

// ContextCall asks for what a model should see of a tree.
type ContextCall struct {
	State State
	Task  string
	Focus string // the path that the user pointed at; may be empty
	Most  int    `json:",omitempty"` // tokens of all files and the map together; 0 is DefaultContext
	Tests bool   `json:",omitempty"` // it is for whoever writes tests
	Uses  string `json:",omitempty"` // code that uses what is to be changed: the tests that were written for it
}

// DefaultContext is how many tokens of a tree a model is shown.
const DefaultContext = 10_000

// Context is what a model should see of a tree: what there is, and the files that matter most for the task.
type Context struct {
	Listing Listing
	Files   []File // what matters most first
	Map     string `json:",omitempty"` // of the rest, with signatures; empty where there is none
	Whole   bool   `json:",omitempty"` // Files are all of the tree that a model could read, without lock files and licences
	Found   bool   `json:",omitempty"` // what the task is about was found, and is among Files
	Simple  string `json:",omitempty"` // for people: why the files were chosen by their words alone; empty where they were not
}

// File is a file as a model is shown it.
type File struct {
	Path       string
	Text       string
	Tier       Tier `json:",omitempty"`
	Signatures bool `json:",omitempty"` // Text has a line for each symbol, and not what the file says
	Windows    bool `json:",omitempty"` // Text has some lines of the file, each run of them below a line with its numbers
}

// Tier says why a file is shown.
type Tier int

// The tiers.
const (
	TierTarget     Tier = iota // it is probably to be changed
	TierDependency             // a target needs it
	TierInterface              // that needs it in turn, or it needs a target
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

// Place is where in a run a step stands.
type Place struct {
	Node    string
	Attempt int // from 1
}

// Uncommitted is how a tree differs from the commit that is checked out in the user's repository.
type Uncommitted struct {
	Known   bool // false where there is no commit to compare with
	Changes patch.ChangeSet
}

// Latest asks for what is there last.
type Latest struct{}

// SpecVersion is a version of the folder's specification. Kept, it must follow the version before it.
type SpecVersion struct {
	Version   int // from 1; 0 where there is none yet
	Prompt    string
	Text      string // Markdown
	Changelog string // one line: what it changes
}

// Call performs the activity as a step, or gives what it gave before. name is the step's, unique in its place.
func (a Activity[In, Out]) Call(ctx context.Context, f flow.Flow, at Place, name string, in In) (Out, error) {
	return perform[Out](ctx, f.Do, at, name, a.Name, in)
}

// Wait is Call of an activity that waits for the user.
func (a Activity[In, Out]) Wait(ctx context.Context, f flow.Flow, at Place, name string, in In) (Out, error) {
	return perform[Out](ctx, f.Wait, at, name, a.Name, in)
}

func perform[Out any](ctx context.Context, do func(context.Context, flow.Call) (json.RawMessage, error), at Place, name, activity string, in any) (out Out, err error) {
	input, err := json.Marshal(in)
	if err != nil {
		return out, fmt.Errorf("say what %s is to work on: %w", name, err)
	}
	output, err := do(ctx, flow.Call{Node: at.Node, Attempt: at.Attempt, Name: name, Do: activity, Input: input})
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
	Name  string // of what it reads for: a prefix of its steps' names
	State State
}

// ReadFile gives the content of a file. The error matches fs.ErrNotExist when there is none.
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

// brokenError says that a step could not be made or kept: no fault of an answer, and nothing a model can fix.
type brokenError struct{ cause error }

// Broken marks an error of a check that is no fault of the answer: the step is over, and the user has to see to it.
func Broken(err error) error { return &brokenError{err} }

func (e *brokenError) Error() string { return e.cause.Error() }
func (e *brokenError) Unwrap() error { return e.cause }
