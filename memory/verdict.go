package memory

import "fmt"

// Verdict is what a gate said: it is the only thing that moves the confidence of a pattern, by one count.
// It is made by Passed and Failed from the report of a gate that was executed. There is no way to make one
// from a number, so that no model's opinion of itself can ever count. The zero value counts nothing and is
// refused.
type Verdict struct {
	passed bool
	report GateReport
}

// GateReport says which check it was, so that the count can be traced back to it, and is counted once
// however often a resumed run reports it.
type GateReport struct {
	Run      string
	Node     string
	Attempt  int    // of the node, from 1
	Gate     string // "go test"
	Executed int    // checks that were executed: at least one
	Summary  string // what the gate said, for people
	Event    int64  // the number of its event in the run's log; 0: unknown
}

// Passed is the verdict of a gate that let a change through.
func Passed(r GateReport) (Verdict, error) { return judged(true, r) }

// Failed is the verdict of a gate that refused a change.
func Failed(r GateReport) (Verdict, error) { return judged(false, r) }

func judged(passed bool, r GateReport) (Verdict, error) {
	switch {
	case r.Run == "" || r.Node == "" || r.Gate == "" || r.Attempt < 1:
		return Verdict{}, fmt.Errorf("%w: a verdict names its run, node, attempt and gate", ErrInvalid)
	case r.Executed < 1:
		return Verdict{}, fmt.Errorf("%w: %s executed nothing: that is no verdict", ErrInvalid, r.Gate)
	}
	return Verdict{passed: passed, report: r}, nil
}

// word is the verdict as it stands in the database.
func (v Verdict) word() string {
	if v.passed {
		return "pass"
	}
	return "fail"
}
