package batch

// State is how a job stands.
type State string

// The states of a job. Gathered is of items that are in none yet.
const (
	Gathered   State = "gathered"
	Submitting State = "submitting" // the provider has been given it, or not: see Desk
	Unsent     State = "unsent"     // the provider has it not; who asks for an item of it again has it submitted
	Submitted  State = "submitted"  // the provider has it
	Ended      State = "ended"      // each of its items has an outcome
)

// next are the states that a state may become.
var next = map[State][]State{
	Submitting: {Submitted, Unsent},
	Unsent:     {Submitting},
	Submitted:  {Ended},
}
