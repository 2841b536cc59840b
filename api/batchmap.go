package api

import "forge/engine/batch"

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
