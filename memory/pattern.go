package memory

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Category is what kind of thing a pattern says.
type Category string

// The seven categories.
const (
	Convention     Category = "convention"
	FailurePattern Category = "failure_pattern"
	SuccessPattern Category = "success_pattern"
	TestCommand    Category = "test_command"
	Architecture   Category = "architecture"
	Dependency     Category = "dependency"
	ToolUsage      Category = "tool_usage"
)

// Categories are all of them, in the order they are shown.
var Categories = []Category{Convention, FailurePattern, SuccessPattern, TestCommand, Architecture, Dependency, ToolUsage}

// Pattern is something learned: what was seen, and what to do about it. Category and Text, however it is
// spelled in upper and lower case, are its identity.
type Pattern struct {
	ID       ID
	Category Category
	Text     string // a sentence, or a key like "bugfix:engine/step" that Key makes
	Fix      string
	Context  string // where it was seen, for people and for recall
	Tags     []string
	Source   Source // who named it first

	// The fields below are read, and never written: they are counted from verdicts of gates.
	Successes, Failures int
	Confidence          float64 // with what has faded; see Confidence and Decay
	Created, Judged     time.Time
}

// Key is the text of a pattern about an intent in a scope ("bugfix", "engine/step"): one spelling, made in
// one place, so that what is recorded under it is found under it.
func Key(intent, scope string) string { return fold(intent) + ":" + fold(scope) }

// fold makes two spellings of a text the same: case and runs of white space do not count.
func fold(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// check refuses a pattern that could not be found again.
func (p Pattern) check() error {
	if !slices.Contains(Categories, p.Category) {
		return fmt.Errorf("%w: the category must be one of %q, not %q", ErrInvalid, Categories, p.Category)
	}
	if fold(p.Text) == "" {
		return fmt.Errorf("%w: a pattern needs a text", ErrInvalid)
	}
	return p.Source.check()
}

// Confidence is Laplace's rule of succession over verdicts of gates: (s+1)/(s+f+2). It is 0.5 where
// nothing has been judged.
func Confidence(successes, failures int) float64 {
	return float64(successes+1) / float64(successes+failures+2)
}

// How a confidence fades.
const (
	fadeFactor = 0.95
	fadePeriod = 30 * day
	// HiddenBelow is the confidence under which a pattern is not recalled. It is not deleted: a verdict
	// brings it back.
	HiddenBelow = 0.05
)

// Decay is what is left of a confidence after a time without a verdict: ×0.95 for each thirty days that are
// over. It is a function of time, not of how often somebody computes it.
func Decay(confidence float64, idle time.Duration) float64 {
	if idle < fadePeriod {
		return confidence
	}
	return confidence * math.Pow(fadeFactor, float64(idle/fadePeriod))
}

// statedConfidence is what the user's own word counts for until a gate has contradicted it.
const statedConfidence = 0.7

// confidenceAt is the confidence of a pattern at a time. The user's word begins at 0.7, which verdicts that
// agree only raise; the first that does not puts it under the same rule as all others.
func (p Pattern) confidenceAt(now time.Time) float64 {
	c := Confidence(p.Successes, p.Failures)
	if p.Source.Origin == User && p.Failures == 0 {
		c = max(c, statedConfidence)
	}
	last := p.Judged
	if last.IsZero() {
		last = p.Created
	}
	return Decay(c, now.Sub(last))
}
