package llmtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"forge/engine/llm"
)

// answer is what a turn says, before a format words it.
type answer struct {
	number  int // unique among the script's answers
	model   string
	created time.Time
	delay   time.Duration // before the first piece

	thinking string
	pieces   []Piece
	refusal  string
	calls    []call
	finish   string // OpenAI's word for it
	usage    llm.Usage
	wire     Wire
	forced   string // the tool that the request forces, by name
}

// call is a tool that the answer asks for. The arguments need not be JSON.
type call struct{ id, name, arguments string }

// brokenOff is the reply of a fault that breaks one off where the script gives none.
var brokenOff = Reply{Text: "This answer is broken off on purpose."}

// reply is what the turn's entry replies, or would if its fault did not break it off.
func (t turn) reply() Reply {
	if t.entry.Reply == nil {
		return brokenOff
	}
	return *t.entry.Reply
}

func (t turn) fault() Fault {
	if t.entry.Fault == nil {
		return Fault{}
	}
	return *t.entry.Fault
}

// answer makes the answer of a turn as if nothing went wrong behind the finish reason.
func (s *Script) answer(t turn) answer {
	reply := t.reply()
	a := answer{
		number: t.number, model: s.model, created: s.Now(), delay: milliseconds(reply.DelayMs), wire: reply.Wire,
		thinking: reply.Thinking, pieces: reply.pieces(), refusal: reply.Refusal, usage: reply.count(t.request),
	}
	for i, c := range reply.ToolCalls {
		id := c.ID
		if id == "" {
			id = fmt.Sprintf("call_%d_%d", t.number, i+1)
		}
		arguments, _ := c.arguments() // checked when the script was made
		a.calls = append(a.calls, call{id, c.Name, arguments})
	}
	if name := t.request.UseTool; name != llm.AnyTool {
		a.forced = name
	}
	a.finish = finishOf(t.fault(), reply)
	return a
}

func finishOf(f Fault, r Reply) string {
	switch {
	case f.finish() != "":
		return f.finish()
	case r.Finish != "":
		return r.Finish
	case len(r.ToolCalls) > 0:
		return "tool_calls"
	default:
		return "stop"
	}
}

// text is that of all pieces.
func (a answer) text() string {
	var text strings.Builder
	for _, piece := range a.pieces {
		text.WriteString(piece.Delta)
	}
	return text.String()
}

// count is the usage of a reply: as the script says, else a token for each four bytes.
func (r Reply) count(q llm.Request) llm.Usage {
	counted := llm.Usage{Input: r.Usage.Input, Output: r.Usage.Output, CacheRead: r.Usage.CacheRead, CacheWrite: r.Usage.CacheWrite}
	if counted.Input == 0 {
		size := 0
		for _, m := range q.Messages {
			size += len(m.Text)
		}
		counted.Input = tokens(size)
	}
	if counted.Output == 0 {
		text, _ := r.text() // checked when the script was made
		size := len(text) + len(r.Refusal)
		for _, c := range r.ToolCalls {
			arguments, _ := c.arguments()
			size += len(c.Name) + len(arguments)
		}
		counted.Output = tokens(size)
	}
	return counted
}

func tokens(size int) int { return (size + 3) / 4 }

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// object returns a text as JSON if it is one JSON object.
func object(text string) (json.RawMessage, bool) {
	var members map[string]json.RawMessage
	return json.RawMessage(text), json.Unmarshal([]byte(text), &members) == nil && members != nil
}

// deal deals the calls of tools: each begins, gets its arguments in pieces and ends before the next one, or the pieces of all come in turns.
func (a answer) deal(begin func(i int, c call), add func(i int, piece string), end func(i int)) {
	if !a.wire.Interleave {
		for i, c := range a.calls {
			begin(i, c)
			for _, piece := range cut(c.arguments) {
				add(i, piece)
			}
			end(i)
		}
		return
	}
	most := 0
	for i, c := range a.calls {
		begin(i, c)
		most = max(most, len(cut(c.arguments)))
	}
	for round := range most {
		for i, c := range a.calls {
			if pieces := cut(c.arguments); round < len(pieces) {
				add(i, pieces[round])
			}
		}
	}
	for i := range a.calls {
		end(i)
	}
}
