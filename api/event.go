package api

// Event is the notification forge/event, and an element of what forge.events returns. Exactly one of
// the payload fields is set, the one named like the type.
type Event struct {
	RunID string `json:"runId"`
	Seq   int    `json:"seq" doc:"from 1, without gaps"`
	TS    string `json:"ts" doc:"RFC 3339 with milliseconds, UTC"`
	Type  string `json:"type" enum:"run.started,run.resumed,skipped,graph,node,model,gate.started,gate.finished,classified,attempt,diagnosis,learned,review,answer,spec,ask,answered,proposal,run.ended"`
	Data  any    `json:"data" doc:"the payload of that type"`
}

// RunStarted is the payload of run.started.
type RunStarted struct {
	Task    string `json:"task"`
	Folder  string `json:"folder" doc:"URI"`
	Model   string `json:"model"`
	Class   *Class `json:"class,omitempty" doc:"the kind of work, by rules; missing in runs of older versions"`
	Recipe  string `json:"recipe,omitempty" doc:"what is done; missing in runs of older versions"`
	Mode    string `json:"mode,omitempty"`
	Profile string `json:"profile,omitempty" doc:"how the change is asked for; missing where no model is asked for one"`
}

// RunResumed is the payload of run.resumed: the run goes on that had been cut off, paused, or had come to
// nothing.
type RunResumed struct {
	Model        string    `json:"model"`
	Stuck        []Attempt `json:"stuck" doc:"what is tried again because the run had come to nothing in it"`
	MoreAttempts bool      `json:"moreAttempts,omitempty" doc:"the attempts were used up, and there are as many again"`
	Judge        []Attempt `json:"judge,omitempty" doc:"starts of nodes that have the best change of the run checked again, without asking a model"`
}

// Attempt is part of run.resumed.
type Attempt struct {
	Node   string `json:"node"`
	Number int    `json:"number" doc:"from 1"`
}

// FilesSkipped is the payload of skipped: files that are not part of what the run works on.
type FilesSkipped struct {
	Base  string        `json:"base" doc:"id of the snapshot the run works on"`
	Files []SkippedFile `json:"files"`
}

// SkippedFile is part of skipped.
type SkippedFile struct {
	Path   string `json:"path"`
	Reason string `json:"reason"`
}

// SecretsRedacted is the payload of redacted: the secrets that were kept from the model so far. It never has a value.
type SecretsRedacted struct {
	Count   int              `json:"count" doc:"of all of them"`
	Secrets []RedactedSecret `json:"secrets"`
}

// RedactedSecret is part of redacted.
type RedactedSecret struct {
	Name  string `json:"name" doc:"of the variable, the file, or the rule that found it"`
	Count int    `json:"count"`
}

// Graph is the payload of graph.
type Graph struct {
	Base     string `json:"base" doc:"id of the snapshot the run works on"`
	Nodes    []Node `json:"nodes"`
	Edges    []Edge `json:"edges"`
	Attempts int    `json:"attempts" doc:"how often a node may be started"`
}

// Node is the payload of node, and part of graph.
type Node struct {
	ID      string `json:"id"`
	Kind    string `json:"kind"`
	Status  string `json:"status" enum:"PENDING,RUNNING,DONE,BLOCKED,FAILED,SKIPPED"`
	Attempt int    `json:"attempt" doc:"how often it was started"`
	Reason  string `json:"reason,omitempty"`
	Signal  string `json:"signal,omitempty" enum:"SUCCESS,RETRYABLE,TERMINAL,BLOCKED_ON_HUMAN" doc:"what may follow its end: RETRYABLE is tried again by itself, BLOCKED_ON_HUMAN is not"`
}

// Edge is part of graph.
type Edge struct {
	From string `json:"from"`
	To   string `json:"to"`
	Type string `json:"type" enum:"normal,review_fail,review_pass,escalate,failed"`
}

// ModelCall is the payload of model.
type ModelCall struct {
	Node       string `json:"node"`
	Attempt    int    `json:"attempt"`
	Round      int    `json:"round" doc:"0 is the call, 1 and 2 are repairs"`
	Model      string `json:"model"`
	Input      int    `json:"inputTokens"`
	Output     int    `json:"outputTokens"`
	CacheRead  int    `json:"cacheReadTokens,omitempty"`
	CacheWrite int    `json:"cacheWriteTokens,omitempty"`
	Cost       Cost   `json:"cost"`
	Cached     bool   `json:"cached,omitempty" doc:"Forge had kept the answer: it cost nothing"`
	ElapsedMS  int64  `json:"elapsedMs"`
	Failure    string `json:"failure,omitempty"`
	StandIn    string `json:"standIn,omitempty" doc:"the model that is asked instead, because this one could not be helped"`

	Prompt *PromptMade `json:"prompt,omitempty" doc:"what the request was made of"`
}

// PromptMade tells what a request was made of, without its text.
type PromptMade struct {
	Hash     string          `json:"hash" doc:"of its messages; the same snapshot and request have the same"`
	Tokens   int             `json:"tokens" doc:"estimated: bytes divided by four"`
	Budget   int             `json:"budget" doc:"what they could have been"`
	Sections []PromptSection `json:"sections"`
}

// ModelWarming is the payload of warming: a server of this machine loads the model of a call, which takes seconds to minutes.
type ModelWarming struct {
	Node    string `json:"node"`
	Attempt int    `json:"attempt"`
	Model   string `json:"model"`
}

// ToolUsed is the payload of tool: what was looked at or done for a model.
type ToolUsed struct {
	Node    string `json:"node"`
	Attempt int    `json:"attempt"`
	Tool    string `json:"tool"`
	Args    string `json:"args" doc:"as JSON, the beginning of it"`
	Failed  bool   `json:"failed" doc:"there was no answer, and the model was told why"`
	Cut     bool   `json:"cut" doc:"there was more than the model was told"`
	Bytes   int    `json:"bytes" doc:"that the model was told"`
}

// ModelWarmed is the payload of warmed: the model is loaded, or could not be, and the call is made.
type ModelWarmed struct {
	Node      string `json:"node"`
	Attempt   int    `json:"attempt"`
	Model     string `json:"model"`
	ElapsedMS int64  `json:"elapsedMs"`
	Failure   string `json:"failure,omitempty" doc:"why it is not loaded; the call is made all the same"`
}

// GateStarted is the payload of gate.started.
type GateStarted struct {
	Node    string `json:"node"`
	Attempt int    `json:"attempt"`
	Gate    string `json:"gate"`
	Index   int    `json:"index" doc:"from 1"`
	Of      int    `json:"of"`
}

// GateFinished is the payload of gate.finished.
type GateFinished struct {
	Node    string `json:"node"`
	Attempt int    `json:"attempt"`
	Gate    Gate   `json:"gate"`
}

// Gate is one gate's report.
type Gate struct {
	Name      string    `json:"name"`
	Verdict   string    `json:"verdict" enum:"pass,fail,error,not-run"`
	Summary   string    `json:"summary"`
	Weight    string    `json:"weight,omitempty" enum:"required,when-green,advisory" doc:"what the verdict decides: it must pass, it must pass where it passed before the change, or it is shown only"`
	Findings  []Finding `json:"findings"`
	Known     int       `json:"known,omitempty" doc:"findings from before the change; they are not listed"`
	Flaky     []string  `json:"flaky,omitempty" doc:"tests that failed once, and passed when they ran again"`
	Notice    string    `json:"notice,omitempty" doc:"a line to read before the change is accepted, such as which existing tests it replaces"`
	Executed  int       `json:"executed"`
	Passed    int       `json:"passed"`
	ElapsedMS int64     `json:"elapsedMs"`
}

// Finding is one place where a tree does not hold.
type Finding struct {
	Path     string `json:"path,omitempty"`
	Line     int    `json:"line,omitempty" doc:"from 1"`
	Column   int    `json:"column,omitempty" doc:"from 1"`
	EndLine  int    `json:"endLine,omitempty" doc:"the last line, where it is another one"`
	Severity string `json:"severity" enum:"error,warning,info"`
	Rule     string `json:"rule,omitempty"`
	Message  string `json:"message"`
	Test     string `json:"test,omitempty"`
}

// Reviewed is the payload of review: what a reviewer says, as a gate says it. It is an opinion: error means that nobody could
// read it, and not-run that nobody was asked.
type Reviewed struct {
	Node    string `json:"node"`
	Attempt int    `json:"attempt"`
	Review  Gate   `json:"review"`
	Note    string `json:"note,omitempty" doc:"what was left out, because it names places that are not there"`
}

// AnswerReady is the payload of answer: what a run was asked for.
type AnswerReady struct {
	Text string `json:"text" doc:"Markdown"`
	Path string `json:"path,omitempty" doc:"of the file that has it, in Forge's own state"`
}

// SpecKept is the payload of spec: a version was appended to the specification of the folder.
type SpecKept struct {
	Version   int    `json:"version"`
	Changelog string `json:"changelog" doc:"one line"`
}

// Ask is the payload of ask: a question that waits for forge.answer.
type Ask struct {
	AskID    string   `json:"askId"`
	Kind     string   `json:"kind" enum:"trust,approve,clarify,unblock,permit"`
	Title    string   `json:"title"`
	Detail   string   `json:"detail,omitempty" doc:"Markdown"`
	Choices  []Choice `json:"choices"`
	Default  string   `json:"default" doc:"id of the careful choice"`
	FreeText string   `json:"freeText,omitempty" doc:"what may be written instead of choosing, as in: what should be different; absent where only a choice counts"`
}

// Choice is one answer to a question.
type Choice struct {
	ID    string `json:"id"`
	Title string `json:"title"`
}

// Answered is the payload of answered.
type Answered struct {
	AskID  string `json:"askId"`
	Choice string `json:"choice,omitempty" doc:"empty when nobody answered"`
	Text   string `json:"text,omitempty" doc:"what was written instead of choosing"`
}

// ProposalReady is the payload of proposal.
type ProposalReady struct {
	ProposalID string `json:"proposalId"`
	Files      int    `json:"files"`
	Hunks      int    `json:"hunks"`
	Unverified string `json:"unverified,omitempty" doc:"what speaks against it, a line each, where the run did not accept it"`
}

// RunEnded is the payload of run.ended.
type RunEnded struct {
	State  string `json:"state" enum:"succeeded,blocked,failed,cancelled,paused,interrupted"`
	Reason string `json:"reason,omitempty"`
}
