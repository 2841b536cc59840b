// Package api is the wire vocabulary of Forge: every command's name, arguments and result, and
// the events of a run, declared once as Go structs. The documentation of the commands and the
// TypeScript types of the extension are generated from here.
//
// Struct tags: json names the field on the wire; doc describes it; enum lists the allowed values,
// separated by commas.
package api

// Scope says what a run is about.
type Scope struct {
	URI         string   `json:"uri" doc:"the document"`
	Range       *Range   `json:"range,omitempty" doc:"the selection"`
	Diagnostics []string `json:"diagnostics,omitempty" doc:"messages of diagnostics to fix"`
}

// Position is a place in a document, in the negotiated encoding.
type Position struct {
	Line      uint32 `json:"line" doc:"from 0"`
	Character uint32 `json:"character" doc:"from 0, in units of the negotiated encoding"`
}

// Range is half-open.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Limits block a run that would go past them. It goes on where it is when it is resumed with higher ones.
type Limits struct {
	CostUSD float64 `json:"costUSD,omitempty" doc:"US dollars for all calls together; what has no known price counts as the dearest there is"`
	Tokens  int     `json:"tokens,omitempty" doc:"of all calls together, requests and answers"`
	Minutes int     `json:"minutes,omitempty" doc:"wall clock, since the run was started or resumed last"`
}

// RunArgs starts a run.
type RunArgs struct {
	Task        string   `json:"task,omitempty" doc:"what to do; without it the // forge: comment in scope"`
	TaskID      string   `json:"taskId,omitempty" doc:"the draft to work on, instead of a task: forge.task.list has them"`
	Ask         string   `json:"ask,omitempty" doc:"what to ask the user before: a client that takes events asks this, and sends the command with the answer as its task"`
	Recipe      string   `json:"recipe,omitempty" doc:"what kind of work" enum:"implement,fix,tdd,refactor,test,document,explain,review"`
	Mode        string   `json:"mode,omitempty" doc:"how the run works; without it what the user has set" enum:"fast,balanced,heavy,execute,debug,architect,offline-safe,plan,audit"`
	Profile     string   `json:"profile,omitempty" doc:"how the change is asked for; without it what fits mode and recipe" enum:"completion,tdd,tooluse"`
	Domain      string   `json:"domain,omitempty" doc:"what recipe and mode are where neither is said" enum:"code_generation,research,code_review,documentation,generic"`
	Plan        bool     `json:"plan,omitempty" doc:"cut the task into parts that are worked on side by side; the plan is shown before anything is written"`
	Inline      bool     `json:"inline,omitempty" doc:"with plan: the sub-tasks of a part are not worked on side by side"`
	Direct      []Direct `json:"direct,omitempty" doc:"tools that do the work, in order, where it is decided already: no model is asked for it"`
	Scope       *Scope   `json:"scope,omitempty" doc:"the document and selection it is about"`
	Folder      string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the scope"`
	Approve     string   `json:"approve,omitempty" doc:"what is asked before: plan+edits asks for the specification and the plan too" enum:"plan+edits,edits"`
	Limits      *Limits  `json:"limits,omitempty"`
	Bounds      *Bounds  `json:"bounds,omitempty"`
	Wait        bool     `json:"wait,omitempty" doc:"keep the request open until the run has ended"`
	ClientRunID string   `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}

// RunResult acknowledges a run.
type RunResult struct {
	RunID         string `json:"runId"`
	ProgressToken string `json:"progressToken" doc:"token of the work-done progress; empty where the client shows none"`
	Folder        string `json:"folder" doc:"URI of the folder the run is pinned to"`
	State         string `json:"state" doc:"running, or with wait the final state" enum:"running,waiting,succeeded,blocked,failed,cancelled,paused,interrupted"`
	Reason        string `json:"reason,omitempty" doc:"with wait: why it is not succeeded"`
	ProposalID    string `json:"proposalId,omitempty" doc:"with wait: the proposal, if there is one"`
	Answer        string `json:"answer,omitempty" doc:"with wait: Markdown, of a run that was asked something"`
	Review        *Gate  `json:"review,omitempty" doc:"with wait: what the reviewer said last"`
	SpecVersion   int    `json:"specVersion,omitempty" doc:"with wait: the version that was appended to the specification"`
}

// RunRef names a run.
type RunRef struct {
	RunID string `json:"runId,omitempty" doc:"the run; without it the last one"`
}

// StateResult reports the state of a run.
type StateResult struct {
	RunID string `json:"runId"`
	State string `json:"state" enum:"running,waiting,succeeded,blocked,failed,cancelled,paused,interrupted"`
}

// AnswerArgs closes a question, with a choice or a text.
type AnswerArgs struct {
	RunID  string `json:"runId"`
	AskID  string `json:"askId"`
	Choice string `json:"choice,omitempty" doc:"id of a choice; with a text the default, or left out"`
	Text   string `json:"text,omitempty" doc:"instead of a choice, where the question says freeText"`
}

// AnswerResult reports whether the run used this answer.
type AnswerResult struct {
	Accepted bool `json:"accepted" doc:"false when the question was closed already"`
}

// Select picks parts of a proposal; empty picks all that is pending.
type Select struct {
	Files []string `json:"files,omitempty" doc:"URIs or paths relative to the folder"`
	Hunks []string `json:"hunks,omitempty" doc:"ids of hunks"`
}

// ProposalArgs names a proposal and, where it applies, parts of it.
type ProposalArgs struct {
	ProposalID string  `json:"proposalId,omitempty" doc:"the proposal; without it the last one"`
	Select     *Select `json:"select,omitempty"`
	// AllowUnverified is for apply.
	AllowUnverified bool `json:"allowUnverified,omitempty" doc:"apply: take a change that the run did not accept without asking the user about it"`
}

// ProposalList lists the proposals of this session, newest first.
type ProposalList struct {
	Proposals []Proposal `json:"proposals"`
}

// Proposal is a run's result, hunk by hunk.
type Proposal struct {
	ProposalID string         `json:"proposalId"`
	RunID      string         `json:"runId"`
	Title      string         `json:"title"`
	State      string         `json:"state" doc:"open while a hunk is pending or in conflict" enum:"open,closed"`
	Files      []ProposalFile `json:"files"`
	Gates      []Gate         `json:"gates"`
	Unverified string         `json:"unverified,omitempty" doc:"what speaks against it, a line each, where the run did not accept it; missing for a change that was accepted"`
	Diff       string         `json:"diff" doc:"unified diff of all files"`
}

// ProposalFile is one file of a proposal.
type ProposalFile struct {
	URI   string `json:"uri"`
	Path  string `json:"path" doc:"relative to the folder"`
	Kind  string `json:"kind" enum:"create,update,delete,move"`
	Hunks []Hunk `json:"hunks"`
}

// Hunk is one region of a file. Its range is that of the text before the edit.
type Hunk struct {
	ID      string `json:"id"`
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
	Level   string `json:"level" doc:"how exactly the model's edit matched" enum:"exact,trailing-space,unicode,indentation,context-subset,likeness"`
	Risk    string `json:"risk,omitempty" enum:"inexact,delete,move,scope,rebased,look,control"`
	State   string `json:"state" enum:"pending,accepted,rejected,conflict"`
}

// ApplyResult reports what an apply, preview or reject did, verified against the files as they are now.
type ApplyResult struct {
	ProposalID string      `json:"proposalId"`
	Files      []FileState `json:"files"`
	Checkpoint string      `json:"checkpoint,omitempty" doc:"run id to undo, where something was applied"`
}

// FileState is the outcome for one file.
type FileState struct {
	URI     string `json:"uri"`
	State   string `json:"state" enum:"applied,partial,skipped,conflict"`
	Message string `json:"message,omitempty"`
}

// UndoArgs names what to undo.
type UndoArgs struct {
	RunID  string `json:"runId,omitempty" doc:"the run or checkpoint; without it the last one that was applied"`
	DryRun bool   `json:"dryRun,omitempty" doc:"only return the proposal, do not show it"`
}

// RunsResult lists runs: those of this session, newest first, and then the others that were asked for, likewise.
type RunsResult struct {
	Runs []RunInfo `json:"runs"`
}

// RunInfo is one run.
type RunInfo struct {
	RunID        string `json:"runId"`
	Task         string `json:"task"`
	Recipe       string `json:"recipe,omitempty" doc:"the kind of work"`
	Mode         string `json:"mode,omitempty"`
	Profile      string `json:"profile,omitempty" doc:"how the change is asked for; missing where no model is asked for one"`
	State        string `json:"state" enum:"running,waiting,succeeded,blocked,failed,cancelled,paused,interrupted"`
	Reason       string `json:"reason,omitempty"`
	Folder       string `json:"folder"`
	ProposalID   string `json:"proposalId,omitempty"`
	Started      string `json:"started,omitempty" doc:"of a kept run: RFC 3339, UTC"`
	Ended        string `json:"ended,omitempty" doc:"of a kept run that has ended"`
	Tokens       int    `json:"tokens,omitempty" doc:"of all requests and answers"`
	CachedTokens int    `json:"cachedTokens,omitempty" doc:"of them, read from a provider's cache"`
	Cost         *Cost  `json:"cost,omitempty" doc:"what they cost; missing where nothing was spent"`
	Files        int    `json:"files,omitempty" doc:"of a kept run: those of its proposal"`
	Unverified   string `json:"unverified,omitempty" doc:"what speaks against its proposal, a line each, where the run did not accept it"`
	// Progress is how its latest attempt came out; missing before that.
	Progress *AttemptJudged `json:"progress,omitempty" doc:"of a run of this session: how its latest attempt came out"`
	Batch    string         `json:"batch,omitempty" doc:"what it waits for, if that may take a day: batch batch_1 at openai"`
}

// EventsArgs asks for the events of a run again.
type EventsArgs struct {
	RunID    string `json:"runId" doc:"of this session, or any that is kept"`
	SinceSeq int    `json:"sinceSeq,omitempty" doc:"return only events after this one"`
}

// EventsResult holds the events in order.
type EventsResult struct {
	Events []Event `json:"events"`
}

// StatusResult reports the state of the server.
type StatusResult struct {
	Version string    `json:"version"`
	Model   string    `json:"model" doc:"empty when there is none"`
	Runs    []RunInfo `json:"runs" doc:"runs that are alive"`
}

// DoctorResult is a list of checks of the installation.
type DoctorResult struct {
	OK     bool          `json:"ok"`
	Checks []DoctorCheck `json:"checks"`
}

// DoctorCheck is one check.
type DoctorCheck struct {
	Name   string `json:"name"`
	State  string `json:"state" enum:"ok,warning,missing"`
	Detail string `json:"detail" doc:"what was found, or what to do"`
}

// NoArgs is for commands that take nothing.
type NoArgs struct{}

// Bounds say how far a run goes. Where one is left out, or 0, it is what the user has set.
type Bounds struct {
	Attempts  int  `json:"attempts,omitempty" doc:"how often the change may be tried, 1 to 20"`
	MaxHops   int  `json:"maxHops,omitempty" doc:"how often the graph may go back, such as from a review to the executor, 1 to 1000"`
	Tasks     int  `json:"tasks,omitempty" doc:"how many nodes work at once, 1 to 64"`
	Writers   int  `json:"writers,omitempty" doc:"how many of them may write changes, 1 to 64"`
	Rounds    int  `json:"exploreRounds,omitempty" doc:"how often a model is asked what else must be read before anything is written, 1 to 50"`
	NoExplore bool `json:"noExplore,omitempty" doc:"never ask that"`
}

// Direct is a tool that does the work, or a part of it, without a model.
type Direct struct {
	Tool string `json:"tool" doc:"such as apply_patch"`
	Args any    `json:"args" doc:"an object, as the tool takes it"`
}

// AskArgs ask a question about a folder. Nothing is changed.
type AskArgs struct {
	Question    string  `json:"question,omitempty" doc:"what to answer; without it the scope is explained"`
	Scope       *Scope  `json:"scope,omitempty" doc:"the document and selection it is about"`
	Folder      string  `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the scope"`
	Limits      *Limits `json:"limits,omitempty"`
	Wait        bool    `json:"wait,omitempty" doc:"keep the request open until the answer is there"`
	ClientRunID string  `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}

// ReviewArgs have code looked at. Nothing is changed.
type ReviewArgs struct {
	Scope       *Scope  `json:"scope,omitempty" doc:"the document and selection to review; without it everything that is not committed yet"`
	Folder      string  `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the scope"`
	Limits      *Limits `json:"limits,omitempty"`
	Wait        bool    `json:"wait,omitempty" doc:"keep the request open until the review is there"`
	ClientRunID string  `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}

// GenerateSpecArgs have the specification of a folder written, or brought up to date.
type GenerateSpecArgs struct {
	Prompt      string  `json:"prompt,omitempty" doc:"what must hold; without it what is selected in the scope, or the document"`
	Scope       *Scope  `json:"scope,omitempty" doc:"the document and selection it is about"`
	Folder      string  `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the scope"`
	Approve     string  `json:"approve,omitempty" doc:"whether the version is shown and asked about before it is appended" enum:"ask,no"`
	Limits      *Limits `json:"limits,omitempty"`
	Wait        bool    `json:"wait,omitempty" doc:"keep the request open until the version is there"`
	ClientRunID string  `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}
