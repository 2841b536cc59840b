package review

// The places of this package where a process may die.
const (
	FailpointEditSending = "edit.sending" // an edit is noted, the client was not asked
	FailpointEditReplied = "edit.replied" // the client has answered, nothing is verified or recorded
)
