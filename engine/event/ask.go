package event

import (
	"context"
	"errors"
)

// QuestionKind says what an answer decides.
type QuestionKind string

// The kinds of question.
const (
	AskTrust         QuestionKind = "trust"   // may processes run in this folder at all
	AskApproval      QuestionKind = "approve" // is this specification what was meant
	AskClarification QuestionKind = "clarify" // the specification needs to know something
	AskUnblock       QuestionKind = "unblock" // the run cannot go on by itself
	AskPermission    QuestionKind = "permit"  // may a model use a tool
)

// Choice is one answer a person can pick.
type Choice struct {
	ID    string // stable, for programs: "approve"
	Title string // for people: "Approve"
}

// Question is put to a person once and answered at most once.
type Question struct {
	ID      string // unique within the run
	RunID   string
	Kind    QuestionKind
	Title   string   // one line
	Detail  string   // Markdown, may be empty
	Choices []Choice // at least one
	Default string   // the ID of the careful choice, taken when nobody can be asked
	// FreeText says what a person may write instead of choosing, as fronts word it: "what should be different". Empty: only a choice
	// counts.
	FreeText string
}

// Answer is a person's answer: the ID of a choice, and free text where the question takes it. Who writes a text chooses nothing:
// its choice is the default, never consent.
type Answer struct {
	Choice string
	Text   string
}

// ErrNoAnswer says that the person was asked and gave no answer (dismissed, or the front went away).
// The run parks: it neither goes on nor fails.
var ErrNoAnswer = errors.New("no answer")

// Asker puts a question to a person and blocks until there is an answer or ctx ends. It returns
// ErrNoAnswer when the person closed the question without choosing.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// AskerFunc makes an Asker of a function.
type AskerFunc func(ctx context.Context, q Question) (Answer, error)

// Ask calls f.
func (f AskerFunc) Ask(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// Defaults answers every question with its careful default, as a front without a person must.
var DefaultAnswers Asker = AskerFunc(func(_ context.Context, q Question) (Answer, error) {
	return Answer{Choice: q.Default}, nil
})
