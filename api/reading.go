package api

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
