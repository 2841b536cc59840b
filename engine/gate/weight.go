package gate

// Weight is what the verdict of a gate decides.
type Weight int

// The weights. docs/gates.md lists which gate has which.
const (
	Required  Weight = iota // it must pass: syntax, builds, tests
	WhenGreen               // it must pass where it passed before the change: linters and type checkers
	Advisory                // it is shown, and decides nothing: formatters, audits, and gates that could not run before
)

// String returns the name of the weight for users and the wire.
func (w Weight) String() string {
	switch w {
	case WhenGreen:
		return "when-green"
	case Advisory:
		return "advisory"
	default:
		return "required"
	}
}

// Weighed is a gate with its own weight; other gates have the weight of their stage.
type Weighed interface{ Weight() Weight }

// WeightOf returns the weight of a gate, unless settings override it.
func WeightOf(g Gate) Weight {
	if w, is := g.(Weighed); is {
		return w.Weight()
	}
	switch StageOf(g) {
	case StageFormat, StageAudit:
		return Advisory
	case StageLint:
		return WhenGreen
	default:
		return Required
	}
}

// Decides reports whether a report affects whether a change is accepted.
func (r Report) Decides() bool { return r.Weight != Advisory }

// Verified reports whether a gate that decides has executed something and passed: a change that no such gate has checked may be
// right, but is not verified. A gate that is failing as before, without any passing check, verifies nothing: code that does not
// compile hides new faults.
func Verified(reports []Report) bool {
	for _, r := range reports {
		if r.Decides() && r.Verdict == Pass && r.Executed > 0 && (r.Known == 0 || r.Passed > 0) {
			return true
		}
	}
	return false
}
