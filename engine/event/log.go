package event

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"sync"
	"time"
)

// Log is the ordered log of one run. Append numbers the events; Follow replays them and continues
// live. A Log is safe for concurrent use; NewLog creates it.
type Log struct {
	runID string
	clock func() time.Time

	guard func(document []byte) []byte // changes the data of each event, as JSON; see Guard

	mu      sync.Mutex // guards the fields below
	events  []Event
	now     Standing // the fold of events
	closed  bool
	grown   chan struct{}  // closed and replaced whenever events or closed change
	dropped int            // appends after the end; see Append
	told    map[string]int // how often the run appended each event before it was resumed; see Tell
}

// NewLog returns the empty log of a run. now is the clock for the events' times.
func NewLog(runID string, now func() time.Time) *Log {
	return &Log{runID: runID, clock: now, now: Stand(nil), grown: make(chan struct{})}
}

// Restore returns the log of a run that continues: open, with its earlier events. They are renumbered,
// so that a lost event leaves no gap.
func Restore(runID string, now func() time.Time, earlier []Event) *Log {
	l := NewLog(runID, now)
	l.told = map[string]int{}
	for i, e := range earlier {
		e.RunID, e.Seq = runID, i+1
		l.events = append(l.events, e)
		l.now.Add(e)
		l.told[identity(e.Data)]++
	}
	return l
}

// Guard sets a function that changes the data of every later event, as JSON: it removes text that users must not
// read. Call it before the first event.
func (l *Log) Guard(guard func(document []byte) []byte) { l.guard = guard }

// guarded returns the data of an event after the guard. An event that cannot be decoded after it is dropped.
func (l *Log) guarded(d Data) Data {
	if l.guard == nil {
		return d
	}
	document, err := json.Marshal(d)
	if err != nil {
		return Unknown{Name: d.Type(), Raw: json.RawMessage("null")}
	}
	safe := l.guard(document)
	if bytes.Equal(document, safe) {
		return d
	}
	read, err := decode(d.Type(), safe)
	if err != nil {
		return Unknown{Name: d.Type(), Raw: json.RawMessage("null")}
	}
	return read
}

// identity returns an event's type and data, without its time.
func identity(d Data) string {
	text, err := json.Marshal(d)
	if err != nil { // such an event equals no other
		return ""
	}
	return d.Type() + " " + string(text)
}

// AppendOnce is Append for the code of a run, which is replayed when the run is resumed: it does not repeat an
// event that the log already has.
func (l *Log) AppendOnce(d Data) {
	if d = l.guarded(d); !l.known(d) {
		l.append(d)
	}
}

func (l *Log) known(d Data) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.told) == 0 {
		return false
	}
	id := identity(d)
	if id == "" || l.told[id] == 0 {
		return false
	}
	l.told[id]--
	return true
}

// Append adds an event. RunEnded closes the log: later events are dropped, so that nothing happens in a run after its end.
func (l *Log) Append(d Data) { l.append(l.guarded(d)) }

func (l *Log) append(d Data) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		l.dropped++
		return
	}
	e := Event{RunID: l.runID, Seq: len(l.events) + 1, Time: l.clock().UTC(), Data: d}
	l.events = append(l.events, e)
	l.now.Add(e)
	if _, end := d.(RunEnded); end {
		l.closed = true
	}
	close(l.grown)
	l.grown = make(chan struct{})
}

// Standing returns the state of the run after all events so far.
func (l *Log) Standing() Standing {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now.Clone()
}

// Len returns the number of events so far, which is that of the last one.
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.events)
}

// Since returns a copy of the events after sequence number seq.
func (l *Log) Since(seq int) []Event {
	events, _, _ := l.after(seq)
	return events
}

// Follow yields the events after sequence number seq, then new ones, until the run has ended or ctx is
// done. Every follower gets every event.
func (l *Log) Follow(ctx context.Context, seq int) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		for {
			events, ended, grown := l.after(seq)
			for _, e := range events {
				if !yield(e) {
					return
				}
				seq = e.Seq
			}
			if ended {
				return
			}
			select {
			case <-grown:
			case <-ctx.Done():
				return
			}
		}
	}
}

// after returns the events after seq, whether the log has ended, and a channel that is closed when there are more.
func (l *Log) after(seq int) (events []Event, ended bool, grown <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	seq = min(max(seq, 0), len(l.events))
	return append([]Event(nil), l.events[seq:]...), l.closed, l.grown
}
