package overseer

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
)

// Class is why attempts do not come nearer to what was asked for.
type Class string

// The classes. Exactly one holds of an attempt that failed; None is the class of one from which the next may simply go on.
const (
	None           Class = ""
	Stuck          Class = "stuck"           // the same is tried again and again
	MissingContext Class = "missing_context" // what failed names what was never read
	Blocked        Class = "blocked"         // no edit can help: the user must do something first
	Unclear        Class = "unclear"         // nobody can tell: the user is asked
)

// Facts are what a run knows of its attempts when the latest has failed.
type Facts struct {
	Attempts []Attempt     // oldest first, the latest last
	Reports  []gate.Report // of gates on the latest, less what failed before the run (gate.Baseline)
	Opinions []gate.Report // of a reviewer, in the form of gates: they name files, and show no obstacle
	// Request is what was asked for, with its specification and the tests that were written for it: what these name themselves, as an
	// error that is to be handled, is no sign that the machine is at fault.
	Request string
	Actions []Action   // edits and calls of tools, oldest first
	Edited  [][]string // the files of each edit, oldest first
	Causes  []string   // root causes that were told by a debugger, oldest first
	// Read are the files that the model was shown, and Unread those of the tree that it was not.
	Read, Unread []string
	// Defined says in which files a name that could not be resolved is defined; see Unresolved.
	Defined map[string][]string
}

// Sign is one rule that holds.
type Sign struct {
	Class    Class
	Rule     string   // names it: "same failures"
	Reason   string   // for people
	MustRead []string // of MissingContext: files of the tree
	Unblock  string   // of Blocked: what the user can do
}

// Finding is what the rules say together.
type Finding struct {
	Sign
	// Tie are signs of different classes between which the rules cannot choose; Class is Unclear then. A model may choose one.
	Tie []Sign
}

// Classify says why the latest attempt failed, by rules alone. Where several hold, a cause (Blocked, MissingContext) explains a symptom
// (Stuck), and two causes are a tie.
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

// Choose is the sign of a tie that a class names: Unclear where it names none of them.
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

// stuck is what shows that the same is tried again.
func stuck(f Facts) (Sign, bool) {
	said := func(rule, reason string) (Sign, bool) { return Sign{Class: Stuck, Rule: rule, Reason: reason}, true }
	a := Assess(f.Attempts)
	switch {
	case repeatedCause(f.Causes):
		return said("same root cause", "the same root cause was named again: "+f.Causes[len(f.Causes)-1])
	case a.Same:
		return said("same failures", "what fails is what failed in the attempt before")
	case a.Oscillating:
		return said("oscillation", "what fails is what failed some attempts ago: the attempts go back and forth")
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
	return n >= 2 && normalise(causes[n-1]) != "" && strings.EqualFold(normalise(causes[n-1]), normalise(causes[n-2]))
}

// mostEdits is how often in a row one file may be edited alone.
const mostEdits = 3

// editedInARow is the file that each of the latest edits changed, and nothing else, more often than it may be; empty where there is none.
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
