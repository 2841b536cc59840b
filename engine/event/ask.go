package event

import (
	"context"
	"errors"
	"strings"
	"time"
)

// QuestionKind is what an answer decides.
type QuestionKind string

// The kinds of question.
const (
	AskTrust         QuestionKind = "trust"   // may processes run in this folder at all
	AskApproval      QuestionKind = "approve" // is this specification what was meant
	AskClarification QuestionKind = "clarify" // the specification lacks information
	AskUnblock       QuestionKind = "unblock" // the run cannot continue by itself
	AskPermission    QuestionKind = "permit"  // may a model use a tool
	// AskUnconfined decides whether code of the folder is executed on a system that cannot confine it.
	AskUnconfined QuestionKind = "unconfined"
)

// Choice is one possible answer.
type Choice struct {
	ID    string // stable, for programs: "approve"
	Title string // for users: "Approve"
}

// Question is asked once and answered at most once.
type Question struct {
	ID      string // unique within the run
	RunID   string
	Kind    QuestionKind
	Title   string   // one line
	Detail  string   // Markdown, may be empty
	Choices []Choice // at least one
	Default string   // the ID of the careful choice, used if no user can be asked
	// FreeText describes what the user may write instead of choosing, such as "what should be different". Empty: only a choice
	// counts.
	FreeText string
	// File is a file that the question is about, and that the user may change before they consent; empty if there is none.
	File string `json:",omitempty"`
	// Flag is the flag of forge run with which the user can consent beforehand; empty if there is none.
	Flag string `json:",omitempty"`
	// Closed means, in events that are replayed, that the question is not to be asked again. It is not stored.
	Closed bool `json:"-"`
}

// Chosen returns the choice that a user has typed in words: its title, or yes, y, no or n for the only one whose title begins with Yes or No. Of
// several permissions, yes is the first, the least of them.
func (q Question) Chosen(typed string) (id string, is bool) {
	typed = strings.ToLower(strings.TrimSpace(typed))
	var begin []string // the choices that begin with the typed word
	for _, c := range q.Choices {
		title := strings.ToLower(c.Title)
		first, _, _ := strings.Cut(title, ",")
		switch {
		case typed != "" && typed == title:
			return c.ID, true
		case (first == "yes" || first == "no") && (typed == first || typed == first[:1]):
			begin = append(begin, c.ID)
		}
	}
	if len(begin) == 0 || len(begin) > 1 && q.Kind != AskPermission {
		return "", false
	}
	return begin[0], true
}

// Answer is the user's answer: the ID of a choice, and free text if the question accepts it. With a text, the choice is the
// default, and the text is what counts: it is never consent, also if the default would be.
type Answer struct {
	Choice string
	Text   string
	At     time.Time `json:",omitzero"`  // when a run received it; fronts leave it out
	Absent bool      `json:",omitempty"` // no user could be asked: the choice is the default
}

// ErrNoAnswer means that the user was asked and did not answer, because the question was dismissed or
// the front closed. The run parks: it neither continues nor fails.
var ErrNoAnswer = errors.New("no answer")

// Asker asks the user a question and blocks until there is an answer or ctx ends. It returns
// ErrNoAnswer if the user closed the question without choosing.
type Asker interface {
	Ask(ctx context.Context, q Question) (Answer, error)
}

// AskerFunc adapts a function to an Asker.
type AskerFunc func(ctx context.Context, q Question) (Answer, error)

// Ask calls f.
func (f AskerFunc) Ask(ctx context.Context, q Question) (Answer, error) { return f(ctx, q) }

// DefaultAnswers answers every question with its careful default, for fronts without a user.
var DefaultAnswers Asker = AskerFunc(func(_ context.Context, q Question) (Answer, error) {
	return Answer{Choice: q.Default, Absent: true}, nil
})
