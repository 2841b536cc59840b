package llm

import (
	"context"
	"time"
)

// Batcher submits requests to a provider that answers within a day for a lower price. Each method makes one
// call of the provider, without retries; their errors are *Error.
type Batcher interface {
	// Submit starts a job of several items. List returns the label: it is chosen and stored before the call, so
	// that a job whose id was lost in a crash is found again.
	Submit(ctx context.Context, label string, items []BatchItem) (BatchJob, error)
	// Poll returns the state of a job.
	Poll(ctx context.Context, id string) (BatchJob, error)
	// Results returns the answers of a job that has ended, by the keys of the items; an item without an answer has expired.
	Results(ctx context.Context, id string) (map[string]BatchResult, error)
	// List returns the jobs submitted since a time, the newest first.
	List(ctx context.Context, since time.Time) ([]BatchJob, error)
	// Cancel asks the provider to stop a job. Earlier answers can be fetched.
	Cancel(ctx context.Context, id string) error
}

// BatchItem is one request of a job.
type BatchItem struct {
	Key     string // unique in the job: [a-zA-Z0-9_-], at most 64 characters
	Request Request
}

// BatchJob is a provider's information about a job.
type BatchJob struct {
	ID string
	// Label is the label of the submission. It is empty if the provider does not return it: Anthropic returns it only in the
	// results, so List knows it for jobs that have ended, and for those that the same client has submitted.
	Label     string
	Items     int  // number of requests; 0 if unknown
	Ended     bool // Results can be fetched
	Submitted time.Time
	Expires   time.Time // zero if unknown
}

// BatchResult is the result of one item.
type BatchResult struct {
	Response Response
	Err      error // an *Error, or nil; KindMissing if it expired
}
