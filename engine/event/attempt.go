package event

import "forge/engine/gate"

// GateStarted reports that a gate starts.
type GateStarted struct {
	Node    string `wire:"node"`
	Attempt int    `wire:"attempt"`
	Gate    string `wire:"gate"`
	Index   int    `wire:"index" doc:"from 1"`
	Of      int    `wire:"of" doc:"number of gates in this round"`
}

// Type returns the name of the event.
func (GateStarted) Type() string { return "gate.started" }

// GateFinished contains a gate's report.
type GateFinished struct {
	Node    string      `wire:"node"`
	Attempt int         `wire:"attempt"`
	Report  gate.Report `wire:"gate"`
}

// Type returns the name of the event.
func (GateFinished) Type() string { return "gate.finished" }

// WorkState is the result of an attempt's work, as its executor reports it.
type WorkState string

// The states of work. None of them means that the change is right: gates and the reviewer decide that.
const (
	WorkDone             WorkState = "DONE"
	WorkDoneWithConcerns WorkState = "DONE_WITH_CONCERNS"
	WorkBlocked          WorkState = "BLOCKED"
)

// WorkReported is the result of an attempt's work, before it is judged.
type WorkReported struct {
	Part     string      `json:",omitempty" wire:"part,omitempty" doc:"part of the plan; without it the whole task"`
	Node     string      `wire:"node"`
	Attempt  int         `wire:"attempt" doc:"from 1"`
	State    WorkState   `wire:"state" enum:"DONE,DONE_WITH_CONCERNS,BLOCKED"`
	Reason   string      `wire:"reason,omitempty" doc:"of BLOCKED"`
	Concerns []string    `wire:"concerns" doc:"what a reviewer should check"`
	Tools    []ToolCount `wire:"toolCallSummary" doc:"tools that the model has used in this attempt, in the order of their first use"`
	// Unchanged and Unplanned are how the change of a part differs from the files in the plan.
	Unchanged []string `json:",omitempty" wire:"unchanged,omitempty" doc:"files that the plan gives to the part, and that are as they were"`
	Unplanned []string `json:",omitempty" wire:"unplanned,omitempty" doc:"changed files that the plan does not give to the part"`
}

// Type returns the name of the event.
func (WorkReported) Type() string { return "report" }

// ToolCount is the number of calls of a tool.
type ToolCount struct {
	Tool   string `wire:"tool"`
	Used   int    `wire:"used"`
	Failed int    `wire:"failed" doc:"calls among used that failed"`
}

// AttemptJudged is the result of an attempt to write the change, and the trend of the attempts so far. It is also part of the
// result of commands, hence its tags of encoding/json.
type AttemptJudged struct {
	Part           string   `json:"part,omitempty" doc:"part of the plan; without it the whole task"`
	Attempt        int      `json:"attempt" doc:"from 1"`
	Of             int      `json:"of" doc:"limit of attempts"`
	Passed         int      `json:"passed" doc:"checks"`
	Total          int      `json:"total"`
	Score          float64  `json:"score" doc:"passed of total: 0 to 1"`
	Velocity       float64  `json:"velocity" doc:"gain of the score per attempt, over the last four at most; 0 before the third attempt"`
	Failures       []string `json:"failures" doc:"ids of failures, which are stable across edits; sorted"`
	Stagnation     string   `json:"stagnation,omitempty" doc:"why the attempts make no progress: same failures, oscillation, no progress"`
	Recommendation string   `json:"recommendation" enum:"PASS,RETRY_WITH_DEBUGGER,ESCALATE"`
}

// Type returns the name of the event.
func (AttemptJudged) Type() string { return "attempt" }

// Diagnosed is the cause found for attempts that failed, before the next one begins.
type Diagnosed struct {
	Part      string `json:",omitempty" wire:"part,omitempty" doc:"part of the plan; without it the whole task"`
	Attempt   int    `wire:"attempt" doc:"the next attempt"`
	Class     string `wire:"class,omitempty" doc:"stuck, missing_context, blocked or unclear; missing if nothing prevents progress"`
	Rule      string `wire:"rule,omitempty" doc:"the rule that matched; model if a model broke a tie"`
	Reason    string `wire:"reason,omitempty"` // for users
	RootCause string `wire:"rootCause,omitempty" doc:"result of the debugger; missing if it was not called"`
	Strategy  string `wire:"strategy,omitempty" doc:"strategy of the debugger for the next attempt"`
	// Reproduced is the call of a tool with which the debugger saw the failure.
	Reproduced string   `json:",omitempty" wire:"reproducedWith,omitempty" doc:"command or tool with which the debugger has reproduced the failure"`
	MustRead   []string `wire:"mustRead" doc:"files"`
}

// Type returns the name of the event.
func (Diagnosed) Type() string { return "diagnosis" }

// Learned contains the patterns of memory that the gates of an attempt have judged. It follows AttemptJudged.
type Learned struct {
	Part     string           `json:",omitempty" wire:"part,omitempty" doc:"part of the plan; without it the whole task"`
	Attempt  int              `wire:"attempt"`
	Patterns []LearnedPattern `wire:"patterns"`
}

// Type returns the name of the event.
func (Learned) Type() string { return "learned" }

// LearnedPattern is one pattern of memory after a verdict.
type LearnedPattern struct {
	Category   string  `wire:"category"`
	Text       string  `wire:"text"`
	Successes  int     `wire:"successes"`
	Failures   int     `wire:"failures"`
	Confidence float64 `wire:"confidence"`
}
