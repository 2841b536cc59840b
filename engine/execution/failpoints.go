package execution

// The failpoints of this package: places where tests let the process die. Package flow has its own ones around the journal.
const (
	FailpointRunStarting    = "run.starting"    // nothing is known of the run yet
	FailpointModelJournaled = "run.model.kept"  // an answer of the model is journaled, nothing was made of it
	FailpointGateJournaled  = "run.gate.kept"   // a gate's report is journaled, nothing was made of it
	FailpointAnswered       = "run.answer.kept" // the user's answer is journaled, nothing was made of it
	FailpointSnapshot       = "run.snapshot"    // the snapshot is taken, the journal does not know
	FailpointProposal       = "run.proposal"    // the proposal is made, and not reported
	FailpointEnding         = "run.ending"      // the last event is reported, the run is not ended
	FailpointResuming       = "run.resuming"    // the run is claimed, nothing is played yet
)
