package lsp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.lsp.dev/protocol"

	"forge/api"
	"forge/api/service"
	"forge/engine/event"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

// detailLimit is how many characters of a question's detail fit into a message.
const detailLimit = 400

// slot is where the answer to one question goes. The first answer counts.
type slot struct {
	answered chan struct{} // closed after answer and err are set
	once     sync.Once
	answer   event.Answer
	err      error
}

// offer gives an answer and reports whether it was the one that counts.
func (s *slot) offer(a event.Answer, err error) (counts bool) {
	s.once.Do(func() {
		s.answer, s.err, counts = a, err, true
		close(s.answered)
	})
	return counts
}

// questions are the questions of this session.
type questions struct {
	mu    sync.Mutex
	slots map[[2]string]*slot // by run and question; guarded by mu
}

func newQuestions() *questions { return &questions{slots: map[[2]string]*slot{}} }

// slot returns the slot of a question. The asker and the answer may come in any order.
func (q *questions) slot(runID, id string) *slot {
	q.mu.Lock()
	defer q.mu.Unlock()
	key := [2]string{runID, id}
	if q.slots[key] == nil {
		q.slots[key] = &slot{answered: make(chan struct{})}
	}
	return q.slots[key]
}

// forget discards the questions of a run: a resumed run asks the unanswered ones again.
func (q *questions) forget(runID string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	maps.DeleteFunc(q.slots, func(key [2]string, _ *slot) bool { return key[0] == runID })
}

// questioner puts the questions of runs to the user, and takes the answers. It owns the questions of the session, and may call the client.
type questioner struct {
	questions *questions
	runs      *editor.Runs
	session   *editor.Session
	client    *transport.Client
	copies    *copies
	work      *transport.Tasks
}

// asker puts questions to the user at the editor. A rich client saw the question as an event and
// answers with forge.answer; any other is asked with a message, and may answer with forge.answer too.
func (qu *questioner) asker() event.Asker {
	return event.AskerFunc(func(ctx context.Context, q event.Question) (event.Answer, error) {
		s := qu.questions.slot(q.RunID, q.ID)
		if !qu.session.Features().Rich {
			ctx, cancel := context.WithCancel(ctx)
			shown := make(chan struct{})
			defer func() { cancel(); <-shown }()
			qu.goOr(shown, func() { qu.askByMessage(ctx, q, s) })
		}
		select {
		case <-s.answered:
			return s.answer, s.err
		case <-ctx.Done():
			s.offer(event.Answer{}, ctx.Err())
			return event.Answer{}, ctx.Err()
		}
	})
}

// goOr runs do in a goroutine and closes done after it.
func (qu *questioner) goOr(done chan struct{}, do func()) {
	go func() {
		defer close(done)
		defer qu.work.Survive("question")
		do()
	}()
}

// askByMessage asks with window/showMessageRequest. Dismissed and failed both mean that there is no
// answer: neither is consent.
func (qu *questioner) askByMessage(ctx context.Context, q event.Question, s *slot) {
	d := qu.draftOf(ctx, q)
	params := &protocol.ShowMessageRequestParams{Type: protocol.MessageTypeInfo, Message: questionText(q) + d.hint()}
	for _, c := range q.Choices {
		params.Actions = append(params.Actions, protocol.MessageActionItem{Title: c.Title})
	}
	chosen, err := qu.client.ShowMessageRequest(ctx, params)
	if ctx.Err() != nil {
		return // answered elsewhere, or the run has ended
	}
	if err != nil || chosen == nil {
		s.offer(event.Answer{}, event.ErrNoAnswer)
		return
	}
	i := slices.IndexFunc(q.Choices, func(c event.Choice) bool { return c.Title == chosen.Title })
	if i < 0 {
		s.offer(event.Answer{}, event.ErrNoAnswer)
		return
	}
	answer := event.Answer{Choice: q.Choices[i].ID}
	if text, changed := d.changed(); changed && answer.Choice != q.Default {
		answer = event.Answer{Choice: q.Default, Text: wantedVersion + text} // consent to a text of theirs is a wish for another draft
	}
	s.offer(answer, nil)
}

// questionText is a question as a message shows it: the whole title, and the beginning of the detail.
func questionText(q event.Question) string {
	text := "Forge: " + inert.OneLine(q.Title, 200)
	if detail := strings.TrimSpace(inert.Text(q.Detail)); detail != "" {
		text += "\n\n" + inert.Shorten(detail, detailLimit)
	}
	return text
}

// answer answers forge.answer.
func (qu *questioner) answer(_ context.Context, a *api.AnswerArgs) (api.AnswerResult, error) {
	r, err := qu.runs.Find(a.RunID)
	if err != nil {
		return api.AnswerResult{}, err
	}
	q, open, err := questionOf(r, a.AskID)
	if err != nil {
		return api.AnswerResult{}, err
	}
	if err := allowed(q, a); err != nil {
		return api.AnswerResult{}, err
	}
	if !open {
		return api.AnswerResult{}, nil
	}
	counts := qu.questions.slot(r.ID, q.ID).offer(answerOf(q, a), nil)
	return api.AnswerResult{Accepted: counts}, nil
}

// questionOf finds a question the run has asked, and whether it is open.
func questionOf(r *editor.Run, id string) (q event.Question, open bool, err error) {
	var asked []string
	for _, q := range r.Standing().Questions {
		if q.ID == id {
			return q.Question, q.Open, nil
		}
		asked = append(asked, q.ID)
	}
	return q, false, transport.InvalidParams("askId: run %s has not asked %q; it has asked: %s", r.ID, id, strings.Join(asked, ", "))
}

// allowed checks that an answer picks one of the choices, or is a text where the question takes one. No text of the user is
// ignored.
func allowed(q event.Question, a *api.AnswerArgs) error {
	ids := make([]string, len(q.Choices))
	for i, c := range q.Choices {
		ids[i] = c.ID
	}
	written := strings.TrimSpace(a.Text) != ""
	switch {
	case written && q.FreeText == "":
		return transport.InvalidParams("text: this question takes no text; choose one of %s", strings.Join(ids, ", "))
	case written && a.Choice != "" && a.Choice != q.Default:
		return transport.InvalidParams("text: it takes the place of a choice; leave out choice, or the text")
	case written && a.Choice == "", slices.Contains(ids, a.Choice):
		return nil
	}
	return transport.InvalidParams("choice: %q is not an answer; want one of %s", a.Choice, strings.Join(ids, ", "))
}

// answerOf is an answer that is allowed.
func answerOf(q event.Question, a *api.AnswerArgs) event.Answer {
	if a.Choice != "" {
		return event.Answer{Choice: a.Choice, Text: a.Text}
	}
	if id, is := q.Chosen(a.Text); is {
		return event.Answer{Choice: id}
	}
	return event.Answer{Choice: q.Default, Text: a.Text}
}

// given is an answer in words that the user gave before the resumed run asks.
type given struct{ service.Reply }

// before answers with the words the question that they are for. The asker receives the other questions.
func (g *given) before(a event.Asker) event.Asker {
	return event.AskerFunc(func(ctx context.Context, q event.Question) (event.Answer, error) {
		if answer, is := g.To(q); is {
			return answer, nil
		}
		return a.Ask(ctx, q)
	})
}

// unused returns a message if the run has ended without a question that the words answer.
func (g *given) unused() string {
	if !g.Unused() {
		return ""
	}
	return "Forge: your answer was not used, because the run asked no question that it is for: " + inert.OneLine(g.Text, 200)
}
