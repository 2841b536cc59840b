package activity

// The places of this package where a process may die.
const (
	FailpointModelSending  = "run.model.sending"  // a model is chosen, nothing is reserved or sent yet
	FailpointGateStarting  = "run.gate.starting"  // the tree is in the state that the gate needs
	FailpointQuestionAsked = "run.question.asked" // the question is emitted and not answered
	FailpointTreeWritten   = "run.tree.written"   // the scratch tree has a change that the journal lacks
)
