package llm

import "context"

// Need describes what a model is needed for.
type Need struct {
	Node string // node of the run, such as "executor"; its role determines the tier
	Tier Tier   // overrides the role's; empty does not
	// Folder is the folder of the run: its own settings apply if the user trusts it. Empty is none.
	Folder string
	// Offline permits only models of this machine, regardless of the settings.
	Offline bool
	// Model is the model that the user has named for the run, as "model" or "provider/model": it replaces the models of the settings. Empty does not.
	Model string
}

// Choice is the model for a need, and its fallback.
type Choice struct {
	Primary  Candidate
	Fallback *Candidate // called if Primary fails; nil is none
	// Thinking is how many tokens the model may think before it answers, unless the request sets it (Request.Thinking).
	Thinking int
	// Notices are for users, such as the replacement of a missing model. Each is returned once.
	Notices []string
}

// Candidate is a model with its known properties. Model is an unwrapped adapter.
type Candidate struct {
	Model    Model
	Provider string // its name in the settings: "openai", "ollama"
	ID       string // the provider's name of the model, the key for prices and limits
	Local    bool   // on this machine, and free
	Window   int    // tokens of a request and its answer; 0 is unknown
	Rate     Rate   // the zero Rate is unlimited
	Whole    bool   // request answers in one piece: Request.Whole
	// Batch submits requests that may wait a day; nil if that is impossible, or not wanted.
	Batch Batcher
}

// Rate limits how often a provider is called.
type Rate struct {
	PerMinute int // calls
	Burst     int // calls at once; 0 is 1
}

// Chooser chooses models. It is safe for concurrent use, and its error describes what the user can do.
type Chooser interface {
	Choose(ctx context.Context, n Need) (Choice, error)
}
