package batch

// Where a process may die: around each thing that is written, and each that is asked of a provider.
const (
	FailGather       = "batch.item.gather"
	FailGathered     = "batch.item.gathered"
	FailLabel        = "batch.job.label"
	FailLabelled     = "batch.job.labelled"      // the label is kept, nothing is submitted
	FailSubmitting   = "batch.job.submitting"    // that it is submitted is kept, and it is not
	FailAccepted     = "batch.job.accepted"      // the provider has the job, its id is not kept
	FailAcceptedKept = "batch.job.accepted.kept" //
	FailLook         = "batch.job.looked"        // a list was without the job, and that is not kept
	FailFound        = "batch.job.found"         // a list has the job, its id is not kept
	FailResults      = "batch.job.results"       // the answers are here, and not kept
	FailResultsKept  = "batch.job.results.kept"  //
	FailDeliver      = "batch.item.deliver"      // the answer is kept, who waits has not got it
	FailDelivered    = "batch.item.delivered"    //
	FailAbandon      = "batch.run.abandon"       //
	FailAbandoned    = "batch.run.abandoned"     // nobody wants the items any more, the job is not cancelled
	FailCancelled    = "batch.job.cancelled"     // the provider was asked to cancel, that is not kept
)

// Failpoints are the names of this package's places.
func Failpoints() []string {
	return []string{
		FailGather, FailGathered, FailLabel, FailLabelled, FailSubmitting, FailAccepted, FailAcceptedKept, FailLook, FailFound, FailResults,
		FailResultsKept, FailDeliver, FailDelivered, FailAbandon, FailAbandoned, FailCancelled,
	}
}
