package api

// BatchListArgs filter the list of batches.
type BatchListArgs struct {
	RunID string `json:"runId,omitempty" doc:"only batches of this run; without it those of all runs"`
	Open  bool   `json:"open,omitempty" doc:"only batches with outstanding answers"`
}

// BatchPollArgs select the batches whose state is requested from providers.
type BatchPollArgs struct {
	ID   string `json:"id,omitempty" doc:"id or label of one batch; without it all open batches"`
	Wait bool   `json:"wait,omitempty" doc:"poll until the batches have ended, which may take a day; cancel the request to stop"`
}

// BatchesResult lists batches of all folders and sessions, newest first.
type BatchesResult struct {
	Batches []Batch `json:"batches"`
	Trouble string  `json:"trouble,omitempty" doc:"the providers that could not be polled, and why"`
}

// Batch is a group of requests that a provider answers together. A group that is not submitted yet has no label.
type Batch struct {
	ID        string   `json:"id,omitempty" doc:"id given by the provider; missing until it is known"`
	Label     string   `json:"label,omitempty" doc:"label given by Forge before the provider assigns an id"`
	Provider  string   `json:"provider"`
	Model     string   `json:"model"`
	State     string   `json:"state" enum:"gathered,submitting,unsent,submitted,ended"`
	Cancelled bool     `json:"cancelled,omitempty" doc:"it was cancelled: its answers are discarded"`
	Items     int      `json:"items"`
	Answered  int      `json:"answered" doc:"number of items with an answer or an error"`
	Missing   int      `json:"missing" doc:"number of items that expired at the provider"`
	Runs      []string `json:"runs" doc:"runs that wait for it"`
	Created   string   `json:"created" doc:"RFC 3339, UTC"`
	Submitted string   `json:"submitted,omitempty"`
	Expires   string   `json:"expires,omitempty"`
	Ended     string   `json:"ended,omitempty"`
	Trouble   string   `json:"trouble,omitempty" doc:"error of the last poll"`
}
