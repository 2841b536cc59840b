package overseer

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
)

// Class is the reason why attempts make no progress.
type Class string

// The classes. Exactly one applies to a failed attempt; None means that the next attempt may simply continue.
const (
	None           Class = ""
	Stuck          Class = "stuck"           // the same is tried repeatedly
	MissingContext Class = "missing_context" // the failure names files that were never read
	Blocked        Class = "blocked"         // no edit can help: the user must do something first
	Unclear        Class = "unclear"         // the rules cannot decide: the user is asked
)

// Facts are what a run knows about its attempts when the latest has failed.
type Facts struct {
	Attempts []Attempt     // oldest first, the latest last
	Reports  []gate.Report // of gates on the latest attempt, without failures from before the run (gate.Baseline)
	Opinions []gate.Report // of a reviewer, in the form of gate reports: they name files, and show no obstacle
	// Request is the task, with its specification and its tests: an error that these name, because it is to be handled, does not
	// indicate a fault of the machine.
	Request string
	Actions []Action   // edits and calls of tools, oldest first
	Edited  [][]string // the files of each edit, oldest first
	Causes  []string   // root causes from a debugger, oldest first
	// Read are the files that the model saw, and Unread the other files of the tree.
	Read, Unread []string
	// Defined maps unresolved names to the files that define them; see Unresolved.
	Defined map[string][]string
}

// Sign is one rule that applies.
type Sign struct {
	Class    Class
	Rule     string   // names it: "same failures"
	Reason   string   // for users
	MustRead []string // of MissingContext: files of the tree
	Unblock  string   // of Blocked: advice for the user
}

// Finding is the combined result of the rules.
type Finding struct {
	Sign
	// Tie are signs of different classes between which the rules cannot choose; Class is Unclear then. A model may choose one.
	Tie []Sign
}

// Classify returns why the latest attempt failed, by rules alone. If several apply, a cause (Blocked, MissingContext) takes
// precedence over a symptom (Stuck), and two causes are a tie.
func Classify(f Facts) Finding {
	var causes []Sign
	for _, rule := range []func(Facts) (Sign, bool){blocked, contradiction, missingContext} {
		if s, holds := rule(f); holds {
			causes = append(causes, s)
		}
	}
	symptom, isStuck := stuck(f)
	weak, suspected := suspectedBlock(f)
	switch {
	case len(causes) == 1:
		return Finding{Sign: causes[0]}
	case len(causes) > 1 && sameClass(causes):
		return Finding{Sign: causes[0]}
	case len(causes) > 1:
		return Finding{Sign: unclear(causes), Tie: causes}
	case isStuck && suspected:
		return Finding{Sign: unclear([]Sign{symptom, weak}), Tie: []Sign{symptom, weak}}
	case isStuck:
		return Finding{Sign: symptom}
	}
	return Finding{}
}

// Choose returns the sign of a tie with a class; Unclear if there is none.
func (f Finding) Choose(c Class) Sign {
	for _, s := range f.Tie {
		if s.Class == c {
			return s
		}
	}
	return f.Sign
}

func sameClass(signs []Sign) bool {
	return !slices.ContainsFunc(signs, func(s Sign) bool { return s.Class != signs[0].Class })
}

func unclear(between []Sign) Sign {
	var reasons []string
	for _, s := range between {
		reasons = append(reasons, fmt.Sprintf("%s (%s)", s.Class, s.Reason))
	}
	return Sign{Class: Unclear, Rule: "tie", Reason: "it may be " + strings.Join(reasons, ", or ")}
}

// stuck returns the sign of repetition.
func stuck(f Facts) (Sign, bool) {
	said := func(rule, reason string) (Sign, bool) { return Sign{Class: Stuck, Rule: rule, Reason: reason}, true }
	a := Assess(f.Attempts)
	switch {
	case repeatedCause(f.Causes):
		return said("same root cause", "the same root cause was named again: "+f.Causes[len(f.Causes)-1])
	case a.Same:
		return said("same failures", "the failures are those of the previous attempt")
	case a.Oscillating:
		return said("oscillation", "the failures are those of some attempts ago: the attempts alternate")
	case a.Plateau:
		return said("no progress", "two attempts resolved nothing and brought no better score")
	}
	if path := editedInARow(f.Edited); path != "" {
		return said("same file", fmt.Sprintf("%s was edited more than %d times in a row", path, mostEdits))
	}
	if why := Looping(f.Actions); why != "" {
		return said("loop", why)
	}
	return Sign{}, false
}

func repeatedCause(causes []string) bool {
	n := len(causes)
	return n >= 2 && Normalise(causes[n-1]) != "" && strings.EqualFold(Normalise(causes[n-1]), Normalise(causes[n-2]))
}

// mostEdits is how often in a row one file may be edited alone.
const mostEdits = 3

// editedInARow returns the file that too many of the latest edits changed alone, or "".
func editedInARow(edits [][]string) string {
	row := newest(edits, mostEdits+1)
	if len(row) <= mostEdits || len(row[0]) != 1 {
		return ""
	}
	for _, paths := range row {
		if !slices.Equal(paths, row[0]) {
			return ""
		}
	}
	return row[0][0]
}
