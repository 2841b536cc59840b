package api

// Class is the kind of work that a task is taken for: part of run.started, and the result of forge.classify.
type Class struct {
	Kind           string  `json:"kind" enum:"bugfix,refactor,feature,optimisation,analysis,setup,test,conversation"`
	Confidence     float64 `json:"confidence" doc:"0 to 1"`
	Certainty      string  `json:"certainty,omitempty" doc:"the same for people; missing in runs of older versions" enum:"sure,probably,not sure"`
	Scope          string  `json:"scope" doc:"the folder it is about, relative; . is all of it"`
	RequiresTests  bool    `json:"requiresTests"`
	RequiresReview bool    `json:"requiresReview"`
}

// ClassifyArgs asks what kind of work a task is.
type ClassifyArgs struct {
	Task string `json:"task"`
	Path string `json:"path,omitempty" doc:"what the person points at, relative to the folder"`
}

// AttemptJudged is the payload of attempt: how an attempt to write the change came out.
type AttemptJudged struct {
	Part           string   `json:"part,omitempty" doc:"of the plan; without it the whole task"`
	Attempt        int      `json:"attempt"`
	Of             int      `json:"of" doc:"how many there may be"`
	Passed         int      `json:"passed" doc:"checks"`
	Total          int      `json:"total"`
	Score          float64  `json:"score" doc:"passed of total: 0 to 1"`
	Velocity       float64  `json:"velocity" doc:"score won per attempt, over the last four at most"`
	Failures       []string `json:"failures" doc:"what failed, by names that survive edits"`
	Stagnation     string   `json:"stagnation,omitempty" doc:"why the attempts come no nearer"`
	Recommendation string   `json:"recommendation" enum:"PASS,RETRY_WITH_DEBUGGER,ESCALATE"`
}

// WorkReported is the payload of report: how the work of an attempt ended as whoever did it has it, before anybody judges it.
type WorkReported struct {
	Part     string      `json:"part,omitempty" doc:"of the plan; without it the whole task"`
	Node     string      `json:"node"`
	Attempt  int         `json:"attempt" doc:"from 1"`
	State    string      `json:"state" enum:"DONE,DONE_WITH_CONCERNS,BLOCKED"`
	Reason   string      `json:"reason,omitempty" doc:"of BLOCKED"`
	Concerns []string    `json:"concerns" doc:"what a reviewer should look at twice"`
	Tools    []ToolCount `json:"toolCallSummary" doc:"tools that the model has used in this attempt, in the order of their first use"`
}

// ToolCount is part of report.
type ToolCount struct {
	Tool   string `json:"tool"`
	Used   int    `json:"used"`
	Failed int    `json:"failed" doc:"those that had no answer"`
}

// Diagnosed is the payload of diagnosis: what is made of attempts that failed, before the next one.
type Diagnosed struct {
	Part      string   `json:"part,omitempty" doc:"of the plan; without it the whole task"`
	Attempt   int      `json:"attempt" doc:"the next one"`
	Class     string   `json:"class,omitempty" doc:"stuck, missing_context, blocked or unclear"`
	Rule      string   `json:"rule,omitempty"`
	Reason    string   `json:"reason,omitempty"`
	RootCause string   `json:"rootCause,omitempty"`
	Strategy  string   `json:"strategy,omitempty"`
	MustRead  []string `json:"mustRead" doc:"files"`
}

// Learned is the payload of learned: what memory was taught by the gates of an attempt.
type Learned struct {
	Part     string           `json:"part,omitempty" doc:"of the plan; without it the whole task"`
	Attempt  int              `json:"attempt"`
	Patterns []LearnedPattern `json:"patterns"`
}

// LearnedPattern is part of learned.
type LearnedPattern struct {
	Category   string  `json:"category"`
	Text       string  `json:"text"`
	Successes  int     `json:"successes"`
	Failures   int     `json:"failures"`
	Confidence float64 `json:"confidence"`
}
