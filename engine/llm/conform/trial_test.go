package conform_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/engine/llm/wire"
)

// key is a key that must only occur in a request's headers.
const key = "sk-canary-0f4b2d8e91c7"

// clock is the time of both sides, if it matters.
var clock = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// trial is one check of one adapter. end ends what it started.
type trial struct {
	Adapter
	way    way
	say    func(format string, args ...any)
	within func() context.Context
	ends   []func() error
}

func (t *trial) end() error {
	var problems []error
	for i := len(t.ends) - 1; i >= 0; i-- {
		problems = append(problems, t.ends[i]())
	}
	return errors.Join(problems...)
}

// serve starts a server with a script, which must be used up at the end.
func (t *trial) serve(entries ...llmtest.Entry) (*session, error) {
	s, err := t.serveAny(entries...)
	if err == nil {
		t.ends = append(t.ends, s.script.Verify)
	}
	return s, err
}

// serveAny is serve for calls that may end before they reach the server.
func (t *trial) serveAny(entries ...llmtest.Entry) (*session, error) {
	script, err := llmtest.New(entries...)
	if err != nil {
		return nil, err
	}
	script.Now = func() time.Time { return clock }
	s, err := listen(t.within(), script)
	if err != nil {
		return nil, err
	}
	t.ends = append(t.ends, func() error { s.close(); return nil })
	return s, nil
}

// model creates the adapter for a session; adjust may be nil.
func (t *trial) model(s *session, adjust func(*wire.Options)) llm.Model {
	options := t.options(s.base, s.client)
	if adjust != nil {
		adjust(&options)
	}
	return t.made(options)
}

// options returns those of an adapter under test, without time-outs.
func (t *trial) options(base string, client *http.Client) wire.Options {
	return wire.Options{
		BaseURL: base, Key: key, Model: llmtest.DefaultModel, HTTP: client, TagRequests: true,
		HeaderTimeout: time.Hour, IdleTimeout: time.Hour, Now: func() time.Time { return clock },
	}
}

// made creates the adapter, and closes it at the end.
func (t *trial) made(o wire.Options) llm.Model {
	m := t.New(o)
	if closer, ok := m.(interface{ Close() }); ok {
		t.ends = append(t.ends, func() error { closer.Close(); return nil })
	}
	return m
}

// start is serve and model in one.
func (t *trial) start(entries ...llmtest.Entry) (*session, llm.Model, error) {
	s, err := t.serve(entries...)
	if err != nil {
		return nil, nil, err
	}
	return s, t.model(s, nil), nil
}

// said is the result of a call.
type said struct {
	llm.Response
	pieces []string
	err    error
}

// ask asks a model, in the trial's way.
func (t *trial) ask(m llm.Model, r llm.Request) said {
	r.Whole = t.way == whole
	var s said
	s.Response, s.err = m.Complete(t.within(), r, func(piece string) { s.pieces = append(s.pieces, piece) })
	return s
}

// hello returns the simplest request.
func hello() llm.Request {
	return llm.Request{Node: "executor", Attempt: 1, MaxTokens: 512, Messages: []llm.Message{{Role: llm.User, Text: "Hello?"}}}
}

// sound returns what violates the requirements for every call.
func (t *trial) sound(s said) error {
	for _, piece := range s.pieces {
		if piece == "" {
			return errors.New("an empty piece was passed on")
		}
	}
	shown := strings.Join(s.pieces, "")
	switch {
	case t.way == whole && shown != "":
		return fmt.Errorf("a whole answer was passed on in pieces: %q", shown)
	case t.way == streamed && shown != s.Text:
		return fmt.Errorf("the pieces make %q, the text is %q", shown, s.Text)
	case s.err != nil && strings.Contains(s.err.Error(), key):
		return errors.New("the key is in the error")
	case strings.Contains(s.Text, key):
		return errors.New("the key is in the answer")
	}
	return nil
}

// answered returns why s is not the wanted answer.
func (t *trial) answered(s said, want string) error {
	if s.err != nil {
		return fmt.Errorf("no answer: %w", s.err)
	}
	if err := t.sound(s); err != nil {
		return err
	}
	return errors.Join(same("the text", want, s.Text), same("the finish reason", llm.FinishStop, s.Finish),
		same("the number of calls", 0, len(s.Calls)))
}

// failed returns the failure of a call that must fail as one of the kinds.
func (t *trial) failed(s said, kinds ...llm.Kind) (*llm.Error, error) {
	if s.err == nil {
		return nil, fmt.Errorf("it was taken for an answer: %q", s.Text)
	}
	if err := t.sound(s); err != nil {
		return nil, err
	}
	var failure *llm.Error
	if !errors.As(s.err, &failure) {
		return nil, fmt.Errorf("the error is of no kind: %w", s.err)
	}
	for _, foreign := range []string{"Go struct", "Go value", "*openai", "*anthropic", "%!"} {
		if strings.Contains(s.err.Error(), foreign) {
			return nil, fmt.Errorf("the error speaks of the program: %w", s.err)
		}
	}
	if failure.Model == "" {
		return nil, fmt.Errorf("the error names no model: %w", s.err)
	}
	for _, kind := range kinds {
		if failure.Kind == kind {
			return failure, nil
		}
	}
	return nil, fmt.Errorf("the kind is %s, not one of %s: %w", failure.Kind, kinds, s.err)
}

// same returns an error if two values differ.
func same[T comparable](what string, want, got T) error {
	if want != got {
		return fmt.Errorf("%s is %#v, not %#v", what, got, want)
	}
	return nil
}
