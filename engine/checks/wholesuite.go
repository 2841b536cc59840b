package checks

// WholeSuite is when tests unrelated to a change run, if a folder has so many tests that its checks run a part of them.
type WholeSuite string

// The times at which they run.
const (
	SuiteBackground WholeSuite = "background" // after the proposal, while a front waits for an answer anyway
	SuiteBefore     WholeSuite = "before"     // as a part of the run: failures go back to the model
	SuiteNever      WholeSuite = "never"
)
