package service

import (
	"cmp"
	"slices"
	"sync"

	"forge/engine/event"
)

// Reply is an answer in words that the user gives before a resumed run asks. It answers one question: the first one for information; or, if it is
// a yes or a no, one that the run has asked in the same words before. It is no consent to anything else.
type Reply struct {
	Text string        // empty: none
	Seen []event.Event // of the run before it was resumed: the user knows the questions in them

	mu       sync.Mutex // guards question: the run asks in a goroutine, and its events are shown in another one
	question string     // the id of the question that it answers; empty before
}

// Unused reports whether there is a text, and no question of the run so far that it answers.
func (r *Reply) Unused() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Text != "" && r.question == ""
}

// To returns the answer to a question, if the text is for it.
func (r *Reply) To(q event.Question) (answer event.Answer, is bool) {
	if r.Text == "" || q.FreeText == "" {
		return answer, false
	}
	choice, chosen := q.Chosen(r.Text)
	seen := slices.ContainsFunc(r.Seen, func(e event.Event) bool {
		asked, is := e.Data.(event.Asked)
		return is && asked.Question.Title == q.Title && asked.Question.Detail == q.Detail
	})
	switch {
	case q.Kind == event.AskClarification:
		answer = event.Answer{Choice: q.Default, Text: r.Text}
	case q.Kind == event.AskUnblock && chosen && seen:
		answer.Choice = choice
	default:
		return answer, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.question = cmp.Or(r.question, q.ID)
	return answer, r.question == q.ID
}
