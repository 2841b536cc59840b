package conform

import (
	"errors"
	"fmt"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

// An answer that breaks off anywhere is none.
var cutChecks = []check{
	{name: "cut at every byte", run: func(t *trial) error { return t.everyByte(llmtest.FaultCut, longText, nil) }},
	{name: "ended at every byte", run: func(t *trial) error { return t.everyByte(llmtest.FaultEnd, longText[:600], nil) }},
	{name: "tool calls cut at every byte", needs: []Ability{Tools}, run: func(t *trial) error {
		return t.everyByte(llmtest.FaultCut, "Let me look.", []llmtest.ToolCall{
			{Name: "search", Arguments: map[string]any{"query": "where is it?"}}, {Name: "read_file", Arguments: map[string]any{"query": "slug.go"}},
		})
	}},
}

// longText is 4 kB of what an executor answers, with characters of one to four bytes.
var longText = strings.Repeat(`{"path":"slug.go","text":"// É à “x” 😀 → e-a.\n"}`+"\n", 4096/57+1)[:4096]

// everyByte lets an answer break off behind each of its bytes. 0 of them may be taken for a whole answer, but where
// nothing of it was missing any more.
func (t *trial) everyByte(kind llmtest.FaultKind, text string, calls []llmtest.ToolCall) error {
	text = strings.ToValidUTF8(text, "")
	reply := &llmtest.Reply{Stream: pieces(text), ToolCalls: calls}
	size, err := t.size(reply)
	if err != nil {
		return err
	}
	entries := make([]llmtest.Entry, size)
	for offset := range entries {
		entries[offset] = llmtest.Entry{Reply: reply, Fault: &llmtest.Fault{Kind: kind, AfterBytes: offset}}
	}
	_, m, err := t.start(entries...)
	if err != nil {
		return err
	}
	broken := 0
	for offset := range entries {
		s := t.ask(m, tooledIf(calls))
		complete, err := t.cutShort(s, kind, text, len(calls))
		if err != nil {
			return fmt.Errorf("byte %d of %d: %w", offset, size, err)
		}
		if !complete {
			broken++
		}
	}
	if broken < len(text) {
		return fmt.Errorf("%d of %d cuts broke the answer, which has %d bytes", broken, size, len(text))
	}
	return nil
}

func tooledIf(calls []llmtest.ToolCall) llm.Request {
	if len(calls) > 0 {
		return tooled()
	}
	return hello()
}

// pieces cuts a text into such as models stream when they are quick.
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

// size is how many bytes the answer has on the wire.
func (t *trial) size(reply *llmtest.Reply) (int, error) {
	s, m, err := t.start(llmtest.Entry{Reply: reply})
	if err != nil {
		return 0, err
	}
	if answer := t.ask(m, tooledIf(reply.ToolCalls)); answer.err != nil {
		return 0, answer.err
	}
	if s.received() == 0 {
		return 0, errors.New("the adapter does not use the HTTP client that it is given")
	}
	return s.received(), nil
}

// cutShort says whether an answer is whole, or what is wrong with it.
func (t *trial) cutShort(s said, kind llmtest.FaultKind, text string, calls int) (complete bool, err error) {
	if s.err == nil {
		if s.Text != text || len(s.Calls) != calls {
			return false, fmt.Errorf("a part was taken for the whole: %d of %d bytes, %d of %d calls", len(s.Text), len(text), len(s.Calls), calls)
		}
		return true, t.sound(s)
	}
	kinds := []llm.Kind{llm.KindTruncated, llm.KindTransient}
	if kind == llmtest.FaultEnd && t.way == whole {
		kinds = append(kinds, llm.KindInvalid) // it looks like a document that was written wrong
	}
	if _, err := t.failed(s, kinds...); err != nil {
		return false, err
	}
	if !strings.HasPrefix(text, s.Text) {
		return false, fmt.Errorf("what there is of the text is no beginning of it: %q", s.Text)
	}
	return false, same("the number of calls", 0, len(s.Calls))
}
