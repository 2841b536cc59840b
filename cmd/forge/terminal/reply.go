package terminal

import (
	"cmp"
	"fmt"
	"slices"
	"sync"

	"forge/engine/event"
)

// reply is the text of --answer. It answers one question of a resumed run: the first one for information; or, if it is a yes or a no, one that the
// run has asked in the same words before. It is no consent to anything else.
type reply struct {
	Text string

	seen     []event.Question // those of the run before it was resumed
	mu       sync.Mutex       // guards question: the run asks in a goroutine, and its events are shown in another one
	question string           // the id of the question that it answers; empty before
}

// Saw remembers the questions of a run as those that the user has seen.
func (r *reply) Saw(events []event.Event) {
	for _, e := range events {
		if asked, is := e.Data.(event.Asked); is {
			r.seen = append(r.seen, asked.Question)
		}
	}
}

// to returns the answer to a question, if the text is for it.
func (r *reply) to(q event.Question) (answer event.Answer, is bool) {
	if r.Text == "" || q.FreeText == "" {
		return answer, false
	}
	choice, chosen := q.Chosen(r.Text)
	switch {
	case q.Kind == event.AskClarification:
		answer = event.Answer{Choice: q.Default, Text: r.Text}
	case q.Kind == event.AskUnblock && chosen && slices.ContainsFunc(r.seen, func(s event.Question) bool { return s.Title == q.Title && s.Detail == q.Detail }):
		answer.Choice = choice
	default:
		return answer, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.question = cmp.Or(r.question, q.ID)
	return answer, r.question == q.ID
}

// TellUnused says, after a run, that --answer has answered no question.
func (d *Dialogue) TellUnused() {
	d.Reply.mu.Lock()
	defer d.Reply.mu.Unlock()
	if d.Reply.Text != "" && d.Reply.question == "" {
		fmt.Fprintln(d.Err, "[forge] --answer was not used: the run asked nothing that it answers")
	}
}

// affirming describes how to answer yes once the run has ended with the default, which is not yes; empty if no words do.
func affirming(q event.Question) string {
	if yes, is := q.Chosen("yes"); !is || yes == q.Default || q.Kind != event.AskUnblock || q.FreeText == "" {
		return ""
	}
	return fmt.Sprintf(". To say yes once the run has ended: forge resume %s --answer yes", q.RunID)
}
