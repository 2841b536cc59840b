package flow

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Kind is the kind of a step in a journal.
type Kind string

// The kinds of steps.
const (
	KindDo   Kind = "do"
	KindWait Kind = "wait"
)

// Step is a row of the journal.
type Step struct {
	Seq        int64 // its place in the journal, from 1; 0 before it is written
	Run        string
	Node       string
	Attempt    int
	Name       string
	Generation int // how many rows of the same step precede it: they were forgotten, or never finished with another input
	Kind       Kind
	Do         string // the activity
	InputHash  string // of kind, activity and input, hex
	Key        string // the key that the activity receives, hex
	Started    time.Time
	Starts     int             // how often it was begun: more than once if processes died or the run was cancelled
	Ended      time.Time       // zero: it has not finished
	Output     json.RawMessage // nil if it failed or has not finished
	Failure    *Failure        // nil unless it failed
	Forgotten  bool            // it no longer counts: Forget was called after it
}

// Finished reports whether there is an output or a failure.
func (s Step) Finished() bool { return !s.Ended.IsZero() }

// result returns what the step's caller gets, each time.
func (s Step) result() (json.RawMessage, error) {
	if s.Failure != nil {
		f := *s.Failure
		return nil, &f
	}
	return bytes.Clone(s.Output), nil
}

// end records how the activity ended.
func (s *Step) end(at time.Time, output json.RawMessage, err error) {
	s.Ended = at
	if err != nil {
		s.Failure = &Failure{Message: err.Error()}
		var f *Failure
		if errors.As(err, &f) {
			s.Failure.Kind = f.Kind
		}
		return
	}
	s.Output = bytes.Clone(output)
	if len(s.Output) == 0 {
		s.Output = json.RawMessage("null")
	}
}

// key identifies this generation of the step. It is the same each time the generation is performed.
func (s Step) key() string {
	sum := sha256.New()
	for _, part := range []string{s.Run, s.Node, s.Name, s.InputHash} {
		fmt.Fprintf(sum, "%d\n%s\n", len(part), part)
	}
	fmt.Fprintf(sum, "%d\n%d\n", s.Attempt, s.Generation)
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// compact returns JSON without blanks between its tokens. Other input stays as it is.
func compact(input json.RawMessage) []byte {
	var out bytes.Buffer
	if json.Compact(&out, input) != nil {
		return input
	}
	return out.Bytes()
}
