package conform_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
	"forge/internal/testkit"
)

// Checks that an answer which breaks off anywhere is none.
var cutChecks = []check{
	{name: "cut at every byte", run: func(t *trial) error { return t.everyByte(llmtest.FaultCut, longText, nil) }},
	{name: "ended at every byte", run: func(t *trial) error { return t.everyByte(llmtest.FaultEnd, longText[:600], nil) }},
	{name: "tool calls cut at every byte", needs: []Ability{Tools}, run: func(t *trial) error {
		return t.everyByte(llmtest.FaultCut, "Let me look.", []llmtest.ToolCall{
			{Name: "search", Arguments: map[string]any{"query": "where is it?"}}, {Name: "read_file", Arguments: map[string]any{"query": "slug.go"}},
		})
	}},
}

// longText is 4 kB of an executor's answer, with characters of one to four bytes.
var longText = strings.Repeat(`{"path":"slug.go","text":"// É à “x” 😀 → e-a.\n"}`+"\n", 4096/57+1)[:4096]

// everyByte truncates an answer at each of its bytes, or with -short at every fifth. No part may be taken for the complete answer,
// unless nothing was missing.
func (t *trial) everyByte(kind llmtest.FaultKind, text string, calls []llmtest.ToolCall) error {
	text = strings.ToValidUTF8(text, "")
	reply := &llmtest.Reply{Stream: pieces(text), ToolCalls: calls}
	kept, err := t.record(reply, tooledIf(calls))
	if err != nil {
		return err
	}
	size := len(kept.body)
	if size == 0 {
		return errors.New("the adapter does not use the HTTP client that it is given")
	}
	kept.kind = kind
	m := t.made(t.options("http://127.0.0.1", &http.Client{Transport: kept}))
	broken := 0
	for kept.offset = 0; kept.offset < size; kept.offset += testkit.Step(5) {
		complete, err := t.cutShort(t.ask(m, tooledIf(calls)), kind, text, len(calls))
		if err != nil {
			return fmt.Errorf("byte %d of %d: %w", kept.offset, size, err)
		}
		if !complete {
			broken += testkit.Step(5)
		}
	}
	if broken < len(text) {
		return fmt.Errorf("%d of %d cuts broke the answer, which has %d bytes", broken, size, len(text))
	}
	t.say("an answer of %d bytes, %d on the wire, %s behind each of them: 0 parts were taken for the whole", len(text), size, kind)
	return t.overTheWire(kind, reply, size)
}

// overTheWire makes a connection truncate an answer as everyByte did, at some of its bytes: the first ones, the last ones,
// and some between.
func (t *trial) overTheWire(kind llmtest.FaultKind, reply *llmtest.Reply, size int) error {
	var entries []llmtest.Entry
	for offset := range size {
		if offset < 16 || offset >= size-16 || offset%(size/32+1) == 0 {
			entries = append(entries, llmtest.Entry{Reply: reply, Fault: &llmtest.Fault{Kind: kind, AfterBytes: offset}})
		}
	}
	_, m, err := t.start(entries...)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		s := t.ask(m, tooledIf(reply.ToolCalls))
		if _, err := t.cutShort(s, kind, textOf(reply), len(reply.ToolCalls)); err != nil {
			return fmt.Errorf("over the wire, byte %d of %d: %w", entry.Fault.AfterBytes, size, err)
		}
	}
	return nil
}

func textOf(reply *llmtest.Reply) string {
	var text strings.Builder
	for _, piece := range reply.Stream {
		text.WriteString(piece.Delta)
	}
	return text.String()
}

func tooledIf(calls []llmtest.ToolCall) llm.Request {
	if len(calls) > 0 {
		return tooled()
	}
	return hello()
}

// pieces splits a text into the pieces of a fast model.
func pieces(text string) []llmtest.Piece {
	all := []llmtest.Piece{}
	for len(text) > 0 {
		n := min(256, len(text))
		for n < len(text) && text[n]&0xC0 == 0x80 { // not in the middle of a character
			n++
		}
		all = append(all, llmtest.Piece{Delta: text[:n]})
		text = text[n:]
	}
	return all
}

// cutShort returns whether an answer is complete, or what is wrong with it.
func (t *trial) cutShort(s said, kind llmtest.FaultKind, text string, calls int) (complete bool, err error) {
	if s.err == nil {
		if s.Text != text || len(s.Calls) != calls {
			return false, fmt.Errorf("a part was taken for the whole: %d of %d bytes, %d of %d calls", len(s.Text), len(text), len(s.Calls), calls)
		}
		return true, t.sound(s)
	}
	kinds := []llm.Kind{llm.KindTruncated, llm.KindTransient}
	if kind == llmtest.FaultEnd && t.way == whole {
		kinds = append(kinds, llm.KindInvalid) // it looks like an invalid document
	}
	if _, err := t.failed(s, kinds...); err != nil {
		return false, err
	}
	if !strings.HasPrefix(text, s.Text) {
		return false, fmt.Errorf("what there is of the text is no beginning of it: %q", s.Text)
	}
	return false, same("the number of calls", 0, len(s.Calls))
}
