package checks

import "forge/engine/gate"

// Check is one finding about the installation.
type Check struct {
	Name   string
	State  CheckState
	Detail string // what was found, or what to do
}

// CheckState is the result of a check.
type CheckState string

// The states. Missing means that runs cannot work without it.
const (
	CheckOK      CheckState = "ok"
	CheckWarning CheckState = "warning"
	CheckMissing CheckState = "missing"
)

// CheckGate reports whether a gate can run.
func CheckGate(full string, g gate.Gate, missing []Lack) Check {
	for _, lack := range missing {
		switch {
		case lack.Gate != full:
		case lack.Partly:
			return Check{Name: full, State: CheckWarning, Detail: lack.String()}
		default:
			return Check{Name: full, State: CheckMissing, Detail: lack.String()}
		}
	}
	if a, is := g.(adjusted); is {
		g = a.Gate
	}
	if b, is := g.(brokenGate); is {
		return Check{Name: full, State: CheckMissing, Detail: "correct it in your settings: " + b.why}
	}
	return Check{Name: full, State: CheckOK, Detail: "would check this folder"}
}
