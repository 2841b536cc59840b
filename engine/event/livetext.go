package event

import (
	"context"
	"iter"
	"sync"
)

// Call names one model call of a run.
type Call struct {
	Node           string
	Attempt, Round int
}

// Delta is the text that a model has added since the follower's last delta.
type Delta struct {
	Call
	At   int    // bytes of the answer before Text; 0 means a restart: earlier text is void
	Text string // not empty
}

// LiveText is the text that the models of a run are producing at this moment. It is for live observers and stored
// nowhere: the log has the result of a call, and the journal its answer. The zero value is ready to use, and safe
// for concurrent use.
//
// A slow follower gets larger deltas; nothing waits for it, and nothing is queued.
type LiveText struct {
	mu     sync.Mutex // guards the fields below
	said   map[Call]*utterance
	begun  int           // number of utterances so far: the next one's number
	moved  chan struct{} // closed and replaced when text arrives; nil without a waiter
	silent bool
}

// utterance is the text of one answer so far. It only grows: a restarted answer is a new one.
type utterance struct {
	number int
	text   []byte
}

// Say adds text to the model's answer in a call; an empty text restarts the answer (llm.Restart).
func (s *LiveText) Say(c Call, piece string) {
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

// Fall forgets the text of a call that has ended.
func (s *LiveText) Fall(c Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.said, c)
}

// End forgets all text and releases all followers: no more text follows.
func (s *LiveText) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said, s.silent = nil, true
	s.wake()
}

// wake wakes the followers. It needs the lock.
func (s *LiveText) wake() {
	if s.moved != nil {
		close(s.moved)
		s.moved = nil
	}
}

// Received returns how much text the models have sent so far in calls of some nodes. It grows while one streams.
func (s *LiveText) Received(of func(node string) bool) (sum int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c, u := range s.said {
		if of(c.Node) {
			sum += u.number + 1 + len(u.text)
		}
	}
	return sum
}

// Follow yields the current text, and new text, until End or ctx is done. Text that was added and forgotten while
// the follower was busy is not yielded.
func (s *LiveText) Follow(ctx context.Context) iter.Seq[Delta] {
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

// mark is the part of an utterance that a follower has received.
type mark struct{ number, bytes int }

// since returns the text that is new to a follower, and marks it as received.
func (s *LiveText) since(heard map[Call]mark) (deltas []Delta, ended bool, moved <-chan struct{}) {
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
