package checks

// WholeSuite says when the tests are run that a change does not concern, where a folder has so many that its checks run a part of them.
type WholeSuite string

// When they are run.
const (
	SuiteBackground WholeSuite = "background" // after there is a proposal, where a front waits for an answer anyway
	SuiteBefore     WholeSuite = "before"     // as a part of the run: what fails goes back to the model
	SuiteNever      WholeSuite = "never"
)
