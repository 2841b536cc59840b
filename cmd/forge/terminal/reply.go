package terminal

import (
	"sync"

	"forge/engine/event"
)

// reply is the text of --answer, which answers the first question of a run that takes a text of the user's own.
type reply struct {
	Text string

	mu       sync.Mutex // guards question: the run asks in a goroutine, and its events are shown in another one
	question string     // the id of the question that it answers; empty before that
}

// to reports whether it is the answer to a question.
func (r *reply) to(q event.Question) bool {
	if r.Text == "" || q.Kind != event.AskClarification || q.FreeText == "" {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.question == "" {
		r.question = q.ID
	}
	return r.question == q.ID
}
