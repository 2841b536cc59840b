package event

import (
	"context"
	"iter"
	"sync"
)

// Call names one call of a model in a run.
type Call struct {
	Node           string
	Attempt, Round int
}

// Delta is what a model has said since a follower heard of it last.
type Delta struct {
	Call
	At   int    // bytes of the answer before Text; 0 restarts it: earlier text is void
	Text string // not empty
}

// Speech is the text that the models of a run are producing at this moment. It is for live observers and stored
// nowhere: the log has the result of a call, and the journal its answer. The zero value is ready to use, by several
// goroutines.
//
// A follower that is slow hears more at once; nothing waits for it, and nothing is queued.
type Speech struct {
	mu     sync.Mutex // guards what follows
	said   map[Call]*utterance
	begun  int           // utterances so far: the next one's number
	moved  chan struct{} // closed and replaced when text arrives; nil without a waiter
	silent bool
}

// utterance is the text of one answer, as far as it is there. It only grows: one that starts again is another one.
type utterance struct {
	number int
	text   []byte
}

// Say adds a piece to the model's text in a call; an empty one restarts its answer (llm.Restart).
func (s *Speech) Say(c Call, piece string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.silent {
		return
	}
	if piece == "" {
		delete(s.said, c)
		return
	}
	if s.said == nil {
		s.said = map[Call]*utterance{}
	}
	u := s.said[c]
	if u == nil {
		u = &utterance{number: s.begun}
		s.begun++
		s.said[c] = u
	}
	u.text = append(u.text, piece...)
	s.wake()
}

// Fall forgets what was said in a call that has ended, and that no piece of it comes any more.
func (s *Speech) Fall(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.said, c)
}

// End forgets everything and lets go of all followers: nothing more is said.
func (s *Speech) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said, s.silent = nil, true
	s.wake()
}

// wake lets followers look again. It needs the lock.
func (s *Speech) wake() {
	if s.moved != nil {
		close(s.moved)
		s.moved = nil
	}
}

// Follow yields what is being said, and what comes, until End or ctx is done. What was said and forgotten while the
// follower was busy is not yielded.
func (s *Speech) Follow(ctx context.Context) iter.Seq[Delta] {
	return func(yield func(Delta) bool) {
		heard := map[Call]mark{}
		for {
			deltas, ended, moved := s.since(heard)
			for _, d := range deltas {
				if !yield(d) {
					return
				}
			}
			if ended {
				return
			}
			select {
			case <-moved:
			case <-ctx.Done():
				return
			}
		}
	}
}

// mark is how much of which utterance a follower has heard.
type mark struct{ number, bytes int }

// since gives what is new to a follower, and notes that it has heard it.
func (s *Speech) since(heard map[Call]mark) (deltas []Delta, ended bool, moved <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range heard {
		if s.said[c] == nil {
			delete(heard, c)
		}
	}
	for c, u := range s.said {
		m, known := heard[c]
		if !known || m.number != u.number {
			m = mark{number: u.number}
		}
		if m.bytes < len(u.text) {
			deltas = append(deltas, Delta{Call: c, At: m.bytes, Text: string(u.text[m.bytes:])})
			m.bytes = len(u.text)
		}
		heard[c] = m
	}
	if s.moved == nil {
		s.moved = make(chan struct{})
	}
	return deltas, s.silent, s.moved
}
