package testrun

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
)

// Event is a line of what run.py witnessed.
type Event struct {
	What    string  `json:"what"` // begin, runner, missing, collect, collected, start, end, outcome, left, raised, replaced, foreign, exit
	Name    string  `json:"name"` // of the runner
	ID      string  `json:"id"`   // of a test
	Path    string  `json:"path"`
	Line    int     `json:"line"`
	Count   int     `json:"count"`
	Code    int     `json:"code"`
	Report  string  `json:"report"`  // the digest of pytest's report
	Outcome string  `json:"outcome"` // passed, failed or skipped
	Module  string  `json:"module"`  // the file of one that could not be loaded
	Frames  []frame `json:"frames"`
	Text    string  `json:"text"`
}

// frame is a place in a traceback.
type frame struct {
	Path string
	Line int
}

// UnmarshalJSON reads a pair.
func (f *frame) UnmarshalJSON(text []byte) error {
	var pair []json.RawMessage
	if err := json.Unmarshal(text, &pair); err != nil || len(pair) != 2 {
		return err
	}
	if err := json.Unmarshal(pair[0], &f.Path); err != nil {
		return err
	}
	if string(pair[1]) == "null" {
		return nil
	}
	return json.Unmarshal(pair[1], &f.Line)
}

// Witness is what was seen of a run of tests while it went on.
type Witness struct {
	Runner    string
	Missing   bool // pytest is what the project is tested with, and is not there
	Collected int  // how many tests were to be run; -1 when the process ended before that was known
	Module    string
	Ended     int     // how many tests ended
	Left      int     // how many tests were not begun, since there was no time for them
	Running   []Event // tests that were started and did not end
	outcomes  []Event // of unittest
	Replaced  string  // what of unittest is not what it was
	Foreign   string  // a file of the tree, of which another copy was loaded
	Raised    string  // what ended the runner itself
	RaisedAt  []frame
	Exited    bool     // the runner ended by itself
	Code      int      // with which code
	Digest    string   // of the report that pytest had written when the runner ended
	order     []string // ids of tests, as they were started
}

// Signed returns the lines that run.py itself has written: each has before it the code of all lines so far. What code under test adds to
// the file is left out.
func Signed(text, key string) string {
	var kept strings.Builder
	mac := hmac.New(sha256.New, []byte(key))
	for line := range strings.Lines(text) {
		code, said, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		mac.Write([]byte(said)) // a hash takes everything
		if hex.EncodeToString(mac.Sum(nil)) == code {
			kept.WriteString(said + "\n")
			continue
		}
		mac.Reset()
		mac.Write([]byte(strings.ReplaceAll(kept.String(), "\n", "")))
	}
	return kept.String()
}

// ParseWitness reads what run.py wrote. A line that is none, as the last one of a process that was stopped, is ignored.
func ParseWitness(text string) Witness {
	w := Witness{Collected: -1}
	open := map[string]Event{}
	for line := range strings.Lines(text) {
		var e Event
		if json.Unmarshal([]byte(line), &e) != nil {
			continue
		}
		switch e.What {
		case "start":
			open[e.ID] = e
			w.order = append(w.order, e.ID)
		case "end":
			if _, was := open[e.ID]; was {
				w.Ended++
			}
			delete(open, e.ID)
		default:
			w.session(e)
		}
	}
	for _, id := range w.order {
		if e, is := open[id]; is {
			w.Running = append(w.Running, e)
			delete(open, id)
		}
	}
	return w
}

// session notes an event that is of no single test.
func (w *Witness) session(e Event) {
	switch e.What {
	case "runner":
		w.Runner = e.Name
	case "missing":
		w.Missing = true
	case "collect":
		w.Module = e.Path
	case "collected":
		w.Collected, w.Module = max(0, e.Count), ""
	case "left":
		w.Left = max(0, e.Count)
	case "outcome":
		w.outcomes = append(w.outcomes, e)
	case "replaced":
		w.Replaced = e.Name
	case "foreign":
		w.Foreign = e.Path
	case "raised":
		w.Raised, w.RaisedAt, w.Digest = e.Text, e.Frames, e.Report
	case "exit":
		w.Exited, w.Code, w.Digest = true, e.Code, e.Report
	}
}
