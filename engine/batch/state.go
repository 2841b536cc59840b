package batch

// State is the state of a job.
type State string

// The states of a job. Gathered applies to items without a job.
const (
	Gathered   State = "gathered"
	Submitting State = "submitting" // the provider may have it: see Desk
	Unsent     State = "unsent"     // the provider does not have it; the next request for one of its items submits it
	Submitted  State = "submitted"  // the provider has it
	Ended      State = "ended"      // each of its items has an outcome
)

// next lists the legal changes of states.
var next = map[State][]State{
	Submitting: {Submitted, Unsent},
	Unsent:     {Submitting},
	Submitted:  {Ended},
}
