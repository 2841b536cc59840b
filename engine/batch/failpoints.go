package batch

// The places where a process may die: around each write, and each call to a provider.
const (
	FailGather       = "batch.item.gather"
	FailGathered     = "batch.item.gathered"
	FailLabel        = "batch.job.label"
	FailLabelled     = "batch.job.labelled"      // the label is stored, nothing is submitted
	FailSubmitting   = "batch.job.submitting"    // the submission is recorded, but not made
	FailAccepted     = "batch.job.accepted"      // the provider has the job, its id is not stored
	FailAcceptedKept = "batch.job.accepted.kept" //
	FailLook         = "batch.job.looked"        // a list lacks the job, and that is not stored
	FailFound        = "batch.job.found"         // a list has the job, its id is not stored
	FailResults      = "batch.job.results"       // the answers have arrived, and are not stored
	FailResultsKept  = "batch.job.results.kept"  //
	FailDeliver      = "batch.item.deliver"      // the answer is stored, its waiter has not received it
	FailDelivered    = "batch.item.delivered"    //
	FailAbandon      = "batch.run.abandon"       //
	FailAbandoned    = "batch.run.abandoned"     // the items are unwanted, the job is not cancelled
	FailCancelled    = "batch.job.cancelled"     // the provider was asked to cancel, and that is not stored
)
