package llm

import "context"

// Need is what somebody wants a model for.
type Need struct {
	Node string // of the run: "executor"; its role says which tier
	Tier Tier   // overrides the role's; empty does not
	// Folder is where the run is: settings of its own hold there if the user trusts it. Empty is none.
	Folder string
	// Offline asks only models of this machine, whatever the settings say.
	Offline bool
}

// Choice is the model for a need, and what stands in for it.
type Choice struct {
	Primary  Candidate
	Fallback *Candidate // asked whole calls that Primary could not be helped with; nil is none
	// Thinking is how many tokens the model may think before it answers, where the request does not say (Request.Thinking).
	Thinking int
	// Notices are for people: a model that stands in for one that is not there. They come once.
	Notices []string
}

// Candidate is a model with what is known about it. Model is an adapter: nothing is wrapped around it.
type Candidate struct {
	Model    Model
	Provider string // as the settings name it: "openai", "ollama"
	ID       string // as the provider names the model: prices and limits go by it
	Local    bool   // it is on this machine, and costs nothing
	Window   int    // tokens of a request and its answer; 0 is unknown
	Rate     Rate   // the zero Rate is without limit
	Whole    bool   // answers are wanted in one piece: Request.Whole
	// Batch is how requests that may wait a day are given to the provider; nil where that cannot be, or is not wanted.
	Batch Batcher
}

// Rate bounds how often a provider is asked.
type Rate struct {
	PerMinute int // calls
	Burst     int // calls at once; 0 is 1
}

// Chooser chooses models. It is safe for concurrent use, and its error tells the user what to do.
type Chooser interface {
	Choose(ctx context.Context, n Need) (Choice, error)
}
