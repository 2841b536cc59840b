package flow

// The places where a process may die: before and after each write to the journal.
const (
	FailBegin     = "flow.run.begin"
	FailBegun     = "flow.run.begun"
	FailClaim     = "flow.run.claim"
	FailClaimed   = "flow.run.claimed"
	FailEnd       = "flow.run.end"
	FailEnded     = "flow.run.ended"
	FailRequest   = "flow.run.request"
	FailRequested = "flow.run.requested"
	FailForget    = "flow.run.forget"
	FailForgotten = "flow.run.forgotten"

	FailDo       = "flow.do.begin"
	FailDoBegun  = "flow.do.begun"
	FailDone     = "flow.do.finish" // the activity has ended, its result is not journaled
	FailDoneKept = "flow.do.finished"

	FailAsk        = "flow.wait.begin"
	FailAskBegun   = "flow.wait.begun"
	FailAnswer     = "flow.wait.finish" // the answer has arrived and is not journaled
	FailAnswerKept = "flow.wait.finished"
)

// points are the places around the two writes of a step.
type points struct{ begin, begun, finish, finished string }

var failpoints = map[Kind]points{
	KindDo:   {FailDo, FailDoBegun, FailDone, FailDoneKept},
	KindWait: {FailAsk, FailAskBegun, FailAnswer, FailAnswerKept},
}
