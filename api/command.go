// Package api is the wire vocabulary of Forge: every command's name, arguments and result, and
// the events of a run, declared once as Go structs. The documentation of the commands and the
// TypeScript types of the extension are generated from here.
//
// Struct tags: json names the field on the wire; doc describes it; enum lists the allowed values,
// separated by commas.
package api

import "forge/engine/event"

// Scope limits a run to a document, a selection or diagnostics.
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

// Limits bound the cost of a run. A run that reaches one is blocked; resume it with higher limits to continue.
type Limits struct {
	CostUSD float64 `json:"costUSD,omitempty" doc:"US dollars for all calls together; calls without a known price count at the highest known price"`
	Tokens  int     `json:"tokens,omitempty" doc:"requests and answers of all calls together"`
	Minutes int     `json:"minutes,omitempty" doc:"wall clock time since the run was last started or resumed, without what it waited for batches"`
}

// RunArgs starts a run.
type RunArgs struct {
	Task        string   `json:"task,omitempty" doc:"what to do; without it the // forge: comment in scope"`
	TaskID      string   `json:"taskId,omitempty" doc:"id of a draft to work on, instead of a task; see forge.task.list"`
	Ask         string   `json:"ask,omitempty" doc:"a prompt that a client with forge/event shows first; it sends the answer as the task"`
	Recipe      string   `json:"recipe,omitempty" doc:"kind of work" enum:"implement,fix,tdd,refactor,test,document,explain,review"`
	Mode        string   `json:"mode,omitempty" doc:"how thoroughly the run works; without it the user's setting" enum:"fast,balanced,heavy,execute,debug,architect,offline-safe,plan,audit"`
	Profile     string   `json:"profile,omitempty" doc:"format in which the model writes the change; without it chosen by mode and recipe" enum:"completion,tdd,tooluse"`
	Domain      string   `json:"domain,omitempty" doc:"default for the recipe, if none is given, and for the mode, if neither the run nor the settings name one" enum:"code_generation,research,code_review,documentation,generic"`
	Plan        bool     `json:"plan,omitempty" doc:"split the task into parts that run in parallel; the plan is shown before anything is written"`
	PlanFile    string   `json:"planFile,omitempty" doc:"URI of a plan file to carry out, as the editor has it; without task the file names it"`
	Lite        bool     `json:"lite,omitempty" doc:"plan; a plan of at most 4 parts that follow each other is worked on as one piece of work"`
	Inline      bool     `json:"inline,omitempty" doc:"with plan: work on the sub-tasks of a part as one task"`
	Direct      []Direct `json:"direct,omitempty" doc:"tools to run in order, without a model"`
	Scope       *Scope   `json:"scope,omitempty" doc:"the document and selection to work on"`
	Folder      string   `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the scope"`
	Earlier     []Turn   `json:"earlier,omitempty" doc:"earlier turns of the conversation that the task continues, the oldest first"`
	Thread      string   `json:"conversation,omitempty" doc:"id of the conversation to continue, that of its first run: without earlier, its turns are the earlier ones; latest is the newest of the folder"`
	Base        string   `json:"base,omitempty" doc:"what the run works on: the folder as it is, unsaved documents included, or the commit that is checked out; default is working" enum:"working,head"`
	Approve     string   `json:"approve,omitempty" doc:"what needs approval: plan+edits includes the specification and the plan" enum:"plan+edits,edits"`
	Limits      *Limits  `json:"limits,omitempty"`
	Bounds      *Bounds  `json:"bounds,omitempty"`
	Wait        bool     `json:"wait,omitempty" doc:"keep the request open until the run has ended"`
	ClientRunID string   `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}

// RunResult acknowledges a run.
type RunResult struct {
	RunID         string       `json:"runId"`
	ProgressToken string       `json:"progressToken" doc:"token of the work-done progress; empty if the client does not show progress"`
	Folder        string       `json:"folder" doc:"URI of the folder the run is pinned to"`
	State         string       `json:"state" doc:"running, or with wait the final state" enum:"running,waiting,succeeded,blocked,failed,cancelled,interrupted"`
	Reason        string       `json:"reason,omitempty" doc:"with wait: why the run did not succeed"`
	Remedy        event.Remedy `json:"remedy,omitempty" doc:"with wait: what gets the user past the reason, if it is known" enum:"key,model,limit,trust,task,wait,answer"`
	ProposalID    string       `json:"proposalId,omitempty" doc:"with wait: the proposal, if there is one"`
	Answer        string       `json:"answer,omitempty" doc:"with wait: Markdown answer to a question"`
	Review        *Gate        `json:"review,omitempty" doc:"with wait: the reviewer's last report"`
	SpecVersion   int          `json:"specVersion,omitempty" doc:"with wait: the version that was appended to the specification"`
}

// RunRef names a run.
type RunRef struct {
	RunID string `json:"runId,omitempty" doc:"the run; without it the last one"`
}

// StateResult reports the state of a run.
type StateResult struct {
	RunID string `json:"runId"`
	State string `json:"state" enum:"running,waiting,succeeded,blocked,failed,cancelled,interrupted"`
}

// AnswerArgs answer a question with a choice or a text.
type AnswerArgs struct {
	RunID  string `json:"runId"`
	AskID  string `json:"askId"`
	Choice string `json:"choice,omitempty" doc:"id of a choice; with text, the default choice or nothing"`
	Text   string `json:"text,omitempty" doc:"free text instead of a choice, if the question has freeText"`
}

// AnswerResult reports whether the run used this answer.
type AnswerResult struct {
	Accepted bool `json:"accepted" doc:"false when the question was closed already"`
}

// UndoArgs name the change to undo, and its folder.
type UndoArgs struct {
	RunID  string `json:"runId,omitempty" doc:"the run or checkpoint; without it the last one applied"`
	Folder string `json:"folder,omitempty" doc:"URI of the workspace folder; without it that of the run, or without a run the only one"`
	DryRun bool   `json:"dryRun,omitempty" doc:"only return the proposal: it is not shown, not listed and not the last one, and its id leads to it"`
}

// RunsResult lists runs: first those of this session, then the stored ones, each newest first.
type RunsResult struct {
	Runs []RunInfo `json:"runs"`
}

// RunInfo describes one run.
type RunInfo struct {
	RunID        string `json:"runId"`
	Task         string `json:"task"`
	Recipe       string `json:"recipe,omitempty" doc:"the kind of work"`
	Mode         string `json:"mode,omitempty"`
	Profile      string `json:"profile,omitempty" doc:"format in which the model writes the change; missing if no model writes one"`
	State        string `json:"state" enum:"running,waiting,succeeded,blocked,failed,cancelled,interrupted"`
	Reason       string `json:"reason,omitempty"`
	Folder       string `json:"folder"`
	ProposalID   string `json:"proposalId,omitempty"`
	Started      string `json:"started,omitempty" doc:"of a stored run: RFC 3339, UTC"`
	Ended        string `json:"ended,omitempty" doc:"of a stored run that has ended"`
	Tokens       int    `json:"tokens,omitempty" doc:"tokens of all requests and answers"`
	CachedTokens int    `json:"cachedTokens,omitempty" doc:"part of tokens that a provider read from its cache"`
	Cost         *Cost  `json:"cost,omitempty" doc:"cost of these tokens; missing if it is zero"`
	Files        int    `json:"files,omitempty" doc:"of a stored run: number of files in its proposal"`
	Decision     string `json:"decision,omitempty" enum:"waiting,applied,partial,declined,undone" doc:"of a stored run: what has become of its proposal; missing without one, and for a run of a version of Forge that did not keep it"`
	Unverified   string `json:"unverified,omitempty" doc:"why the run did not accept its proposal, one reason per line"`
	// Progress is the result of the latest attempt; nil before the first.
	Progress *AttemptJudged `json:"progress,omitempty" doc:"of a run of this session: result of its latest attempt"`
	Batch    string         `json:"batch,omitempty" doc:"the batch it waits for, which may take a day: batch batch_1 at openai"`
}

// EventsArgs select stored events of a run.
type EventsArgs struct {
	RunID    string `json:"runId" doc:"a run of this session, or a stored one"`
	SinceSeq int    `json:"sinceSeq,omitempty" doc:"only events after this one"`
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

// DoctorResult lists the checks of the installation.
type DoctorResult struct {
	OK     bool          `json:"ok"`
	Checks []DoctorCheck `json:"checks"`
}

// DoctorCheck is one check.
type DoctorCheck struct {
	Name   string `json:"name"`
	State  string `json:"state" enum:"ok,warning,missing"`
	Detail string `json:"detail" doc:"the finding, or how to fix it"`
}

// NoArgs is for commands without arguments.
type NoArgs struct{}

// Bounds limit how far a run goes. A missing or zero field takes the user's setting.
type Bounds struct {
	Attempts  int  `json:"attempts,omitempty" doc:"limit of attempts to write the change, 1 to 20"`
	MaxHops   int  `json:"maxHops,omitempty" doc:"limit of backward edges taken in the graph, such as from a review to the executor, 1 to 1000"`
	Tasks     int  `json:"tasks,omitempty" doc:"limit of nodes that run at once, 1 to 64"`
	Writers   int  `json:"writers,omitempty" doc:"limit of nodes that write changes at once, 1 to 64"`
	Fanout    int  `json:"fanoutDepth,omitempty" doc:"with a plan: into how many levels of pieces a part may be cut, 1 to 3; see inline for none"`
	Sanity    int  `json:"sanityEvery,omitempty" doc:"with a plan: have its planner look at it again after every so many parts, 1 to 60"`
	Rounds    int  `json:"exploreRounds,omitempty" doc:"limit of rounds in which a model names further files to read before it writes, 1 to 50"`
	NoExplore bool `json:"noExplore,omitempty" doc:"skip these rounds"`
}

// Direct is a tool call that Forge runs without a model.
type Direct struct {
	Tool string `json:"tool" doc:"such as apply_patch"`
	Args any    `json:"args" doc:"arguments of the tool, an object"`
}

// Turn is an earlier turn of a conversation. A model sees the newest turns, shortened, as data.
type Turn struct {
	Asked    string `json:"asked" doc:"the user's question or task"`
	Answered string `json:"answered,omitempty" doc:"the answer, or the result of the run"`
}

// AskArgs ask a question about a folder. No file is changed.
type AskArgs struct {
	Question    string  `json:"question,omitempty" doc:"the question; without it the scope is explained"`
	Scope       *Scope  `json:"scope,omitempty" doc:"the document and selection the question is about"`
	Folder      string  `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the scope"`
	Earlier     []Turn  `json:"earlier,omitempty" doc:"earlier turns of the conversation that the question continues, the oldest first"`
	Thread      string  `json:"conversation,omitempty" doc:"id of the conversation to continue, that of its first run: without earlier, its turns are the earlier ones; latest is the newest of the folder"`
	Limits      *Limits `json:"limits,omitempty"`
	Wait        bool    `json:"wait,omitempty" doc:"keep the request open until the run has answered"`
	ClientRunID string  `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}

// ReviewArgs start a review. No file is changed.
type ReviewArgs struct {
	Scope       *Scope  `json:"scope,omitempty" doc:"the document and selection to review; without it all uncommitted changes"`
	Folder      string  `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the scope"`
	Limits      *Limits `json:"limits,omitempty"`
	Wait        bool    `json:"wait,omitempty" doc:"keep the request open until the review has ended"`
	ClientRunID string  `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}

// FinalReviewArgs start the review of a release. No file is changed.
type FinalReviewArgs struct {
	Base        string  `json:"base,omitempty" doc:"the commit before the release: a branch, a tag or an id; without it the last commit"`
	Folder      string  `json:"folder,omitempty" doc:"URI of the workspace folder; without it the only one"`
	Limits      *Limits `json:"limits,omitempty"`
	Wait        bool    `json:"wait,omitempty" doc:"keep the request open until the review has ended"`
	ClientRunID string  `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}

// GenerateSpecArgs start a run that writes or updates the specification of a folder.
type GenerateSpecArgs struct {
	Prompt      string  `json:"prompt,omitempty" doc:"the requirements; without it the selection or the document in scope"`
	Scope       *Scope  `json:"scope,omitempty" doc:"the document and selection it is about"`
	Folder      string  `json:"folder,omitempty" doc:"URI of the workspace folder; without it the one that holds the scope"`
	Approve     string  `json:"approve,omitempty" doc:"ask: show the version and ask the user before it is appended" enum:"ask,no"`
	Limits      *Limits `json:"limits,omitempty"`
	Wait        bool    `json:"wait,omitempty" doc:"keep the request open until the run has ended"`
	ClientRunID string  `json:"clientRunId,omitempty" doc:"makes the command idempotent: the same id returns the same run"`
}
