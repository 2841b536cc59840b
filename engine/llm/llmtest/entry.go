package llmtest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/llm"
)

// Entry is one expected request and what it gets: a reply, a fault, or a fault that a reply breaks off with.
type Entry struct {
	Match Match  `yaml:"match"`
	Reply *Reply `yaml:"reply"`
	Fault *Fault `yaml:"fault"`
	Times int    `yaml:"times"` // how often it is used; 0 is once, -1 as often as asked

	line int // in the file; 0 for an entry made in Go
}

// Match says which requests an entry is for. What is not set matches everything.
type Match struct {
	Node     string   `yaml:"node"`     // "pay/executor" is of one part of a plan, "executor" of any
	Attempt  int      `yaml:"attempt"`  // from 1
	Contains []string `yaml:"contains"` // each of them stands somewhere in the messages
	Schema   string   `yaml:"schema"`   // the schema's name
	Call     Call     `yaml:"call"`     // of a batch API; the entry is about that call, and has a fault alone
}

func (m Match) fits(r llm.Request) bool {
	if m.Call != "" || m.Node != "" && m.Node != r.Node && m.Node != llm.NodeRole(r.Node) || m.Attempt != 0 && m.Attempt != r.Attempt || m.Schema != "" && !m.fitsSchema(r) {
		return false
	}
	return !slices.ContainsFunc(m.Contains, func(part string) bool {
		return !slices.ContainsFunc(r.Messages, func(message llm.Message) bool { return strings.Contains(message.Text, part) })
	})
}

// fitsSchema lets a schema without a name pass for any: not every format has a place for the name.
func (m Match) fitsSchema(r llm.Request) bool {
	return m.Schema == r.SchemaName || r.SchemaName == "" && len(r.Schema) > 0
}

// String says what is matched, for people.
func (m Match) String() string {
	var parts []string
	if m.Node != "" {
		parts = append(parts, fmt.Sprintf("node %q", m.Node))
	}
	if m.Attempt != 0 {
		parts = append(parts, fmt.Sprintf("attempt %d", m.Attempt))
	}
	if m.Call != "" {
		parts = append(parts, fmt.Sprintf("the batch call %q", m.Call))
	}
	if m.Schema != "" {
		parts = append(parts, fmt.Sprintf("schema %q", m.Schema))
	}
	for _, part := range m.Contains {
		parts = append(parts, fmt.Sprintf("text with %q", part))
	}
	if parts == nil {
		return "any request"
	}
	return strings.Join(parts, ", ")
}

func (e Entry) limit() int {
	if e.Times == 0 {
		return 1
	}
	return e.Times
}

func (e Entry) check() error {
	switch {
	case e.Times < -1:
		return fmt.Errorf("times is %d: give how often, or -1 for as often as asked", e.Times)
	case e.Match.Call != "" && !slices.Contains(allCalls, e.Match.Call):
		return fmt.Errorf("there is no batch call %q: it is one of %q", e.Match.Call, allCalls)
	case e.Match.Call != "" && (e.Fault == nil || e.Reply != nil):
		return errors.New("an entry for a call of a batch API has a fault, and nothing else")
	case e.Reply == nil && e.Fault == nil:
		return errors.New("it has neither a reply nor a fault")
	case e.Fault == nil:
		return e.Reply.check()
	}
	if err := e.Fault.check(); err != nil {
		return err
	}
	if e.Reply == nil {
		return nil
	}
	if !e.Fault.breaksReply() {
		return fmt.Errorf("the fault %q sends no reply: leave one of them out", e.Fault.kind())
	}
	return e.Reply.check()
}
