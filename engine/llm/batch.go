package llm

import (
	"context"
	"time"
)

// Batcher gives requests to a provider that answers within a day, for less. Its methods make one call of the
// provider each, and no retries; their errors are *Error.
type Batcher interface {
	// Submit starts a job of several items. The label comes back in List: it is chosen and kept before the call, so
	// that a job whose id was lost in a crash is found again.
	Submit(ctx context.Context, label string, items []BatchItem) (BatchJob, error)
	// Poll says how a job is.
	Poll(ctx context.Context, id string) (BatchJob, error)
	// Results gives the answers of a job that has ended, by the keys of the items; an item without one is
	// missing: the provider let it expire.
	Results(ctx context.Context, id string) (map[string]BatchResult, error)
	// List gives the jobs that were submitted since a moment, the newest first.
	List(ctx context.Context, since time.Time) ([]BatchJob, error)
	// Cancel asks the provider to stop a job. What was answered until then can be fetched.
	Cancel(ctx context.Context, id string) error
}

// BatchItem is one request of a job.
type BatchItem struct {
	Key     string // unique in the job: [a-zA-Z0-9_-], at most 64 characters
	Request Request
}

// BatchJob is what a provider says of a job.
type BatchJob struct {
	ID string
	// Label is what it was submitted with. It is empty where the provider does not say: Anthropic has no place for it but in
	// the results, so that List knows it of jobs that have ended, and of those that the same client has submitted.
	Label     string
	Items     int  // requests in it; 0 where the provider does not say
	Ended     bool // Results can be fetched
	Submitted time.Time
	Expires   time.Time // zero where the provider does not say
}

// BatchResult is what one item came to.
type BatchResult struct {
	Response Response
	Err      error // an *Error, or nil; KindMissing where it expired
}
