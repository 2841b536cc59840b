package mode

import (
	"path"
	"strings"
)

// Request is a text to classify.
type Request struct {
	Text  string
	Focus string // a path from the user; may be empty
	Kind  Kind   // the user's own choice; may be empty
}

// Class is the classification of a request.
type Class struct {
	Kind Kind
	// Confidence is 0.6·min(1, top/5) + 0.2·min(1, scope/3) + 0.2·min(1, risk/5), of the weights of the kind's keywords, or of the
	// form of a question, the places that the request names, and its risky words. It is 1 if the user named the kind.
	Confidence float64
	Scope      string   // the folder of the request, slash-separated; "." is all of it
	Keywords   []string // matched keywords of the kind, in the order of the table
	Trivial    bool     // it needs no review
	// RequiresTests and RequiresReview are the conditions for such work to count as done.
	RequiresTests, RequiresReview bool
}

// The thresholds of certainty.
const (
	sure       = 0.55 // below it a model may classify
	byModel    = 0.75 // the lowest confidence of a model's classification
	chatLength = 400  // longest conversation, in bytes
)

// Sure reports whether the rules alone may choose the kind.
func (c Class) Sure() bool { return c.Confidence >= sure || c.Kind == KindConversation }

// Certainty describes the confidence of a class.
type Certainty string

// The certainties.
const (
	IsSure     Certainty = "sure"
	IsProbable Certainty = "probably"
	IsUnsure   Certainty = "not sure"
)

// Certainty returns the certainty of the class for users: probably means some evidence, but not enough.
func (c Class) Certainty() Certainty {
	switch {
	case c.Sure():
		return IsSure
	case len(c.Keywords) > 0:
		return IsProbable
	}
	return IsUnsure
}

// Recipe returns the recipe of the kind if it is sure, otherwise Implement.
func (c Class) Recipe() Recipe {
	if recipe := c.Kind.Recipe(); recipe != "" && c.Sure() {
		return recipe
	}
	return Implement
}

// Chosen returns how a request is carried out for which the user has named no recipe, by the kind of work that a model has named: its recipe, and
// whether its tests need not fail first. Tests and documents are the model's to name if the rules are not sure of another kind, because gates let such work
// change nothing else. Of any other kind without failing tests the rules must have found words, too: a model must not be able to leave tests out.
func (c Class) Chosen(named Kind) (recipe Recipe, noTests bool) {
	agreed := c.Kind == named && len(c.Keywords) > 0
	switch named {
	case KindTest, KindDocumentation:
		if agreed || !c.Sure() {
			return named.Recipe(), true
		}
	case KindRefactor, KindSetup, KindOptimisation:
		if agreed {
			return named.Recipe(), true
		}
	}
	return Implement, false
}

// Key returns the key of the class for lessons: "bugfix:pay".
func (c Class) Key() string { return string(c.Kind) + ":" + c.Scope }

// Classify classifies a request.
func Classify(r Request) Class {
	text := strings.ToLower(r.Text)
	best, weight, found := top(text)
	places := places(r)
	chats := weight == 0 && len(places) == 0 && chats(text)
	if asks, opening := question(text); asks > 0 && !chats {
		best, weight, found = KindAnalysis, asks, []string{opening}
	}
	c := Class{Kind: best, Keywords: found, Scope: scope(places), Trivial: trivial(text)}
	c.Confidence = 0.6*share(weight, 5) + 0.2*share(len(places), 3) + 0.2*share(risk(text), 5)
	switch {
	case r.Kind != "":
		c.Kind, c.Confidence = r.Kind, 1
	case chats:
		c.Kind, c.Confidence = KindConversation, byModel
	case weight == 0 && strings.HasSuffix(strings.TrimSpace(text), "?"):
		c.Kind = KindAnalysis
	case weight == 0 && reports(text):
		c.Kind = KindBugfix
	}
	return c.complete()
}

// Named returns the class with the kind that a model has named; an unknown word changes nothing.
func (c Class) Named(kind string) Class {
	for _, k := range Kinds() {
		if string(k) == kind {
			c.Kind, c.Confidence = k, max(c.Confidence, byModel)
			return c.complete()
		}
	}
	return c
}

// complete adds the fields that follow from the kind.
func (c Class) complete() Class {
	c.RequiresTests = c.Kind == KindBugfix || c.Kind == KindFeature || c.Kind == KindRefactor
	c.RequiresReview = !c.Trivial && c.Kind != KindAnalysis && c.Kind != KindConversation
	return c
}

// share returns n/most, at most 1.
func share(n, most int) float64 { return float64(min(n, most)) / float64(most) }

// scope returns the folder of the first place that has one.
func scope(places []string) string {
	for _, p := range places {
		if strings.HasSuffix(p, "/") {
			return path.Clean(p)
		}
		if path.Ext(p) != "" {
			return path.Dir(path.Clean(p))
		}
	}
	return "."
}

// Risk ranks the possible harm of an action to the user's work or machine.
type Risk int

// The risks. The zero Risk is the lowest: an unknown action must be High.
const (
	Low Risk = iota
	Medium
	High
	Critical
)

// String returns the risk for users.
func (r Risk) String() string {
	switch r {
	case Low:
		return "low"
	case Medium:
		return "medium"
	case High:
		return "high"
	case Critical:
		return "critical"
	}
	return "critical" // an unknown value is the highest
}

// Suggested returns the mode as chosen by a source less trusted than the user: it asks before each tool that the default
// mode would ask about.
func (m Mode) Suggested() Mode {
	usual, _ := Lookup("") // the default exists
	m.MaxAutoRisk = min(m.MaxAutoRisk, usual.MaxAutoRisk)
	return m
}

// Automatic reports whether the mode uses a tool of this risk without asking the user. Critical tools always need consent.
func (m Mode) Automatic(r Risk) bool { return r <= m.MaxAutoRisk && r < Critical }
