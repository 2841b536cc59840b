// Package llmtest is the scripted model: replies and faults written in YAML, served in process or over
// HTTP on loopback. It is strict: a request the script does not expect is an error, and so is a line
// of the script that no request used.
//
// A script is a list of entries. A request takes the first entry, in the order of the file, that matches
// it and has times left:
//
//	model: scripted                 # the name it goes by; this is the default
//	models: [scripted, other]       # what the server lists; the default is the model alone
//	window: 8192                    # tokens that it takes, as the server says
//	batch: {polls: 2}               # how the batch APIs behave
//	rules: {secrets: [hunter2]}     # what every request must keep
//	entries:
//	- match: {node: executor, attempt: 1, contains: ["slugify"], schema: executor_reply}
//	  reply:
//	    json: {files: []}           # or text, patch, stream: [{delta: "…", delayMs: 20}],
//	                                # or toolCalls: [{name: search, arguments: {query: "x"}}]
//	  times: 2                      # default 1; -1 is as often as asked
//	- match: {node: review}
//	  fault: {status: 429, retryAfter: "2"}
//
// Entry, Match, Reply, Wire, Corruption, Fault, Batch and Rules say what each field means. Both ways of serving give the same
// pieces of text and the same kinds of failure; a test holds them together.
package llmtest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"go.yaml.in/yaml/v3"

	"forge/engine/llm"
	"forge/engine/llm/llmtest/script"
)

// DefaultModel is what a script without a name for its model calls it.
const DefaultModel = "scripted"

// defaultWindow is how many tokens the model takes unless the script sets it.
const defaultWindow = 8192

// Script is what a scripted model answers, and what it was asked. It is safe for concurrent use. Make one
// with New or Parse.
type Script struct {
	// Now is the clock of dates on the wire; New and Parse set time.Now. Set it before the first request.
	Now func() time.Time
	// Batch is how the batch APIs behave. Set it before the first request.
	Batch Batch
	// Rules are what every request must keep. Set them before the first request.
	Rules script.Rules

	model   string
	models  []string // that the server lists
	window  int      // tokens that the model takes, as the server reports
	entries []Entry

	mu       sync.Mutex // guards what follows
	left     []int      // uses left per entry; negative is no limit
	used     []int      // uses per entry
	requests []llm.Request
	problems []error // requests that were not expected, or that broke a rule
	jobs     []*job
	given    map[string]turn // by the request's key: answers without a fault
	waits    []wait
}

// wait is a caller that waits until the script holds so many requests.
type wait struct {
	requests int
	done     chan struct{}
}

// New returns a script of the entries. The error names the first one that makes no sense.
func New(entries ...Entry) (*Script, error) {
	s := &Script{Now: time.Now, entries: entries, given: map[string]turn{}, window: defaultWindow}
	s.call(DefaultModel)
	for i, entry := range entries {
		if err := entry.check(); err != nil {
			return nil, fmt.Errorf("%s: %w", s.label(i), err)
		}
		s.left = append(s.left, entry.limit())
	}
	s.used = make([]int, len(entries))
	return s, nil
}

// call names the model.
func (s *Script) call(model string) { s.model, s.models = model, []string{model} }

// turn is one request and the entry that it took.
type turn struct {
	request llm.Request
	entry   Entry
	label   string // the entry's, for users
	number  int    // unique among the script's answers
	again   bool   // it was given before
}

// take finds the entry for a request and uses it up once, or returns an error. A request whose key
// has an answer already gets that: it is the same call, made by a caller that does not know its result.
func (s *Script) take(r llm.Request) (turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t, known := s.given[r.Key]; known {
		t.again = true
		return t, nil
	}
	t, err := s.find(r)
	if err == nil && r.Key != "" && t.entry.Fault == nil {
		s.given[r.Key] = t
	}
	return t, err
}

// find uses up the entry for a request. The caller holds mu.
func (s *Script) find(r llm.Request) (turn, error) {
	if rule := s.Rules.Violation(r, s.requests); rule != "" {
		violation := fmt.Errorf("this request breaks a rule of the script: %s: %s", describe(r), rule)
		s.problems = append(s.problems, violation)
		return turn{}, violation
	}
	s.requests = append(s.requests, r)
	s.wake()
	for i, entry := range s.entries {
		if s.left[i] == 0 || !entry.Match.fits(r) {
			continue
		}
		s.left[i]--
		s.used[i]++
		return turn{request: r, entry: entry, label: s.label(i), number: len(s.requests)}, nil
	}
	s.problems = append(s.problems, fmt.Errorf("not expected: %s", describe(r)))
	return turn{}, s.surprise(r)
}

// Requests returns what was asked so far, in order; what was asked again with the key of an answer that was given
// is not among them. Over HTTP, node, attempt and key are those that the client sent as X-Forge-Node,
// X-Forge-Attempt and Idempotency-Key.
func (s *Script) Requests() []llm.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]llm.Request(nil), s.requests...)
}

// Asked returns a channel that is closed once Requests returns n requests or more.
func (s *Script) Asked(n int) <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := wait{n, make(chan struct{})}
	s.waits = append(s.waits, w)
	s.wake()
	return w.done
}

// wake ends the waits for the requests that are here. The caller holds mu.
func (s *Script) wake() {
	s.waits = slices.DeleteFunc(s.waits, func(w wait) bool {
		if len(s.requests) < w.requests {
			return false
		}
		close(w.done)
		return true
	})
}

// label names an entry for users: "entry 3 (line 14)".
func (s *Script) label(i int) string {
	if line := s.entries[i].line; line > 0 {
		return fmt.Sprintf("entry %d (line %d)", i+1, line)
	}
	return fmt.Sprintf("entry %d", i+1)
}

// Parse reads a script. name is what errors call it, usually the path. A field that is not known, a second
// document and an entry that makes no sense are errors with a line.
func Parse(name string, data []byte) (*Script, error) {
	var file struct {
		Model   string       `yaml:"model"`
		Models  []string     `yaml:"models"`
		Window  int          `yaml:"window"`
		Batch   Batch        `yaml:"batch"`
		Rules   script.Rules `yaml:"rules"`
		Entries []Entry      `yaml:"entries"`
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read script %s: %w", name, err)
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("read script %s: there is a second document, or what follows the first is malformed", name)
	}
	if len(file.Entries) == 0 {
		return nil, fmt.Errorf("read script %s: there are no entries", name)
	}
	number(data, file.Entries)
	script, err := New(file.Entries...)
	if err != nil {
		return nil, fmt.Errorf("read script %s: %w", name, err)
	}
	if file.Model != "" {
		script.call(file.Model)
	}
	if len(file.Models) > 0 {
		script.models = file.Models
	}
	script.Batch, script.Rules = file.Batch, file.Rules
	if file.Window > 0 {
		script.window = file.Window
	}
	return script, nil
}

// number notes the line of each entry. The data was parsed before, so what is not found here stays 0.
func number(data []byte, entries []Entry) {
	var root yaml.Node
	if yaml.Unmarshal(data, &root) != nil || len(root.Content) == 0 {
		return
	}
	fields := root.Content[0].Content
	for i := 0; i+1 < len(fields); i += 2 {
		if fields[i].Value != "entries" {
			continue
		}
		for k, node := range fields[i+1].Content {
			if k < len(entries) {
				entries[k].line = node.Line
			}
		}
	}
}

func describe(r llm.Request) string {
	return fmt.Sprintf("node %q, attempt %d, schema %q", r.Node, r.Attempt, r.SchemaName)
}

// surprise is the error for a request that fits no entry with times left: it names these, and what each of them waits for. The caller holds mu.
func (s *Script) surprise(r llm.Request) error {
	var expected []string
	for i, entry := range s.entries {
		if s.left[i] != 0 {
			expected = append(expected, s.label(i)+": "+entry.Match.String())
		}
	}
	if expected == nil {
		expected = []string{"nothing more"}
	}
	return fmt.Errorf("the script does not expect this request: %s; it expects %s", describe(r), strings.Join(expected, "; "))
}

// Unused names the entries that were used less often than their times demand. An entry without a limit
// counts as used after one use.
func (s *Script) Unused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var unused []string
	for i, entry := range s.entries {
		if s.left[i] > 0 || s.used[i] == 0 {
			unused = append(unused, fmt.Sprintf("%s was used %d times of %d: %s",
				s.label(i), s.used[i], max(1, entry.limit()), entry.Match))
		}
	}
	return unused
}

// Verify returns nil if every entry was used, every request expected and no rule broken, else an error that lists
// the exceptions. Call it at the end of a test.
func (s *Script) Verify() error {
	var problems []error
	for _, unused := range s.Unused() {
		problems = append(problems, errors.New(unused))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	problems = append(problems, s.problems...)
	return errors.Join(problems...)
}
