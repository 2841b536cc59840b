package activity

// The places of this package where a process may die.
const (
	FailpointModelSending  = "run.model.sending"  // a model is chosen, nothing is reserved or sent yet
	FailpointGateStarting  = "run.gate.starting"  // the tree is as the gate wants it
	FailpointQuestionAsked = "run.question.asked" // the question is told, nobody has answered
	FailpointTreeWritten   = "run.tree.written"   // the scratch tree has a change, the journal does not know
)

// Failpoints lists them.
func Failpoints() []string {
	return []string{FailpointModelSending, FailpointGateStarting, FailpointQuestionAsked, FailpointTreeWritten}
}
