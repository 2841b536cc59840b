package gate

// Weight is what the verdict of a gate decides.
type Weight int

// The weights. docs/gates.md lists which gate has which.
const (
	Required  Weight = iota // it must pass: syntax, builds, tests
	WhenGreen               // it must pass where it passed before the change: linters and type checkers
	Advisory                // it is shown, and decides nothing: formatters, audits, and whatever could not run before
)

// String gives the weight as users and the wire know it.
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

// Weighed is a gate that says what its verdict decides. One that does not has the weight of its stage.
type Weighed interface{ Weight() Weight }

// WeightOf is what the verdict of a gate decides where no settings say otherwise.
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

// Decides reports whether a report has a say in whether a change holds.
func (r Report) Decides() bool { return r.Weight != Advisory }

// Verified reports whether a gate that decides has executed something and passed: a change that nothing of weight has looked at may be right, and is not
// verified. What is red as it was before, and found nothing that holds, has seen nothing of the change: what does not compile hides what is new.
func Verified(reports []Report) bool {
	for _, r := range reports {
		if r.Decides() && r.Verdict == Pass && r.Executed > 0 && (r.Known == 0 || r.Passed > 0) {
			return true
		}
	}
	return false
}
