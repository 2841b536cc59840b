package api

import "forge/engine/batch"

// BatchListArgs choose batches.
type BatchListArgs struct {
	RunID string `json:"runId,omitempty" doc:"of one run; without it of all"`
	Open  bool   `json:"open,omitempty" doc:"only those whose answers are still to come"`
}

// BatchPollArgs choose what providers are asked about.
type BatchPollArgs struct {
	ID   string `json:"id,omitempty" doc:"of one batch, or its label; without it all that are open"`
	Wait bool   `json:"wait,omitempty" doc:"ask as often as is fit until they have ended, which may take a day; cancel the request to stop"`
}

// BatchesResult is batches of all folders and sessions, the newest first.
type BatchesResult struct {
	Batches []Batch `json:"batches"`
	Trouble string  `json:"trouble,omitempty" doc:"which providers could not be asked, and why"`
}

// Batch is several requests that a provider answers together, or requests that are in none yet: those have no label.
type Batch struct {
	ID        string   `json:"id,omitempty" doc:"as the provider names it; missing until it is known"`
	Label     string   `json:"label,omitempty" doc:"as Forge names it, before the provider does"`
	Provider  string   `json:"provider"`
	Model     string   `json:"model"`
	State     string   `json:"state" enum:"gathered,submitting,unsent,submitted,ended"`
	Cancelled bool     `json:"cancelled,omitempty" doc:"its answers are not wanted any more"`
	Items     int      `json:"items"`
	Answered  int      `json:"answered" doc:"of the items, well or badly"`
	Missing   int      `json:"missing" doc:"of the items: the provider let them expire"`
	Runs      []string `json:"runs" doc:"that wait for it"`
	Created   string   `json:"created" doc:"RFC 3339, UTC"`
	Submitted string   `json:"submitted,omitempty"`
	Expires   string   `json:"expires,omitempty"`
	Ended     string   `json:"ended,omitempty"`
	Trouble   string   `json:"trouble,omitempty" doc:"what went wrong when the provider was asked last"`
}

// BatchFilter is what the arguments ask for.
func BatchFilter(a BatchListArgs) batch.Filter { return batch.Filter{Run: a.RunID, Open: a.Open} }

// BatchesOf returns batches as they go over the wire, and what could not be asked.
func BatchesOf(jobs []batch.Job, trouble error) BatchesResult {
	result := BatchesResult{Batches: list(jobs, batchOf)}
	if trouble != nil {
		result.Trouble = trouble.Error()
	}
	return result
}

func batchOf(j batch.Job) Batch {
	return Batch{
		ID: j.ID, Label: j.Label, Provider: j.Provider, Model: j.Model, State: string(j.State), Cancelled: j.Cancelled,
		Items: j.Items, Answered: j.Answered, Missing: j.Missing, Runs: list(j.Runs, same[string]),
		Created: stamp(j.Created), Submitted: stamp(j.Submitted), Expires: stamp(j.Expires), Ended: stamp(j.Ended), Trouble: j.Trouble,
	}
}
