package mode

import (
	"path"
	"strings"
)

// Request is a text to classify.
type Request struct {
	Text  string
	Focus string // the path that the user pointed at; may be empty
	Kind  Kind   // that the user named themselves; may be empty
}

// Class is what a request is taken for.
type Class struct {
	Kind Kind
	// Confidence is 0.6·min(1, top/5) + 0.2·min(1, scope/3) + 0.2·min(1, risk/5), of the weights of the kind's keywords, or of the form of a
	// question, the places that the request names, and its risky words. It is 1 where the user named the kind.
	Confidence float64
	Scope      string   // the folder that the request is about, slash-separated; "." is all of it
	Keywords   []string // that were found of the kind, in the order of the table
	Trivial    bool     // it needs no review
	// RequiresTests and RequiresReview are what such work needs before it counts as done.
	RequiresTests, RequiresReview bool
}

// The thresholds of certainty.
const (
	sure       = 0.55 // below it a model may be asked
	byModel    = 0.75 // the least that a model's word counts for
	chatLength = 400  // bytes that a conversation may have
)

// Sure reports whether the rules alone may name the kind.
func (c Class) Sure() bool { return c.Confidence >= sure || c.Kind == KindConversation }

// Certainty says in words how sure a class is.
type Certainty string

// The certainties.
const (
	IsSure     Certainty = "sure"
	IsProbable Certainty = "probably"
	IsUnsure   Certainty = "not sure"
)

// Certainty is how sure the class is, for people: probably is where something speaks for it, and not enough.
func (c Class) Certainty() Certainty {
	switch {
	case c.Sure():
		return IsSure
	case len(c.Keywords) > 0:
		return IsProbable
	}
	return IsUnsure
}

// Recipe is what the work is done by: that of the kind, where that is sure, else Implement.
func (c Class) Recipe() Recipe {
	if recipe := c.Kind.Recipe(); recipe != "" && c.Sure() {
		return recipe
	}
	return Implement
}

// Key is the class as lessons are kept under it: "bugfix:pay".
func (c Class) Key() string { return string(c.Kind) + ":" + c.Scope }

// Classify says what a request is.
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

// Named is the class with the kind that a model has named; a word that is none leaves it as it is.
func (c Class) Named(kind string) Class {
	for _, k := range Kinds() {
		if string(k) == kind {
			c.Kind, c.Confidence = k, max(c.Confidence, byModel)
			return c.complete()
		}
	}
	return c
}

// complete adds what follows from the kind.
func (c Class) complete() Class {
	c.RequiresTests = c.Kind == KindBugfix || c.Kind == KindFeature || c.Kind == KindRefactor
	c.RequiresReview = !c.Trivial && c.Kind != KindAnalysis && c.Kind != KindConversation
	return c
}

// share is n of most, at most 1.
func share(n, most int) float64 { return float64(min(n, most)) / float64(most) }

// scope is the folder of the first place that has one.
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
