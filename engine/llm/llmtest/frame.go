package llmtest

import (
	"bytes"
	"encoding/json"
	"time"

	"forge/engine/llm"
)

// frame is one event of a stream, as it travels and as it is understood. Both ways of serving walk the
// same frames, so a cut at a byte means the same to both.
type frame struct {
	delay time.Duration // before it
	bytes []byte        // as it travels over HTTP
	whole int           // how many of the bytes make it complete

	delta   string // the text it carries
	refusal string
	finish  string // the finish reason it carries
}

// chunk is an event of OpenAI's chat completions
// (https://platform.openai.com/docs/api-reference/chat-streaming).
type chunk struct {
	ID      string   `json:"id"`
	Object  string   `json:"object"`
	Created int64    `json:"created"`
	Model   string   `json:"model"`
	Choices []choice `json:"choices"`
	Usage   *usage   `json:"usage,omitempty"`
}

type choice struct {
	Index  int     `json:"index"`
	Delta  delta   `json:"delta"`
	Finish *string `json:"finish_reason"`
}

type delta struct {
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
	Refusal string  `json:"refusal,omitempty"`
}

type usage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
}

// voice turns a reply into frames.
type voice struct {
	chunk chunk // id, object, created and model of each
	wire  Wire
}

// brokenOff is the reply of a fault that breaks one off where the script gives none.
var brokenOff = Reply{Text: "This answer is broken off on purpose."}

// frames are the events that answer a turn as if nothing went wrong after the finish reason.
func (s *Script) frames(t turn) []frame {
	reply := brokenOff
	if t.entry.Reply != nil {
		reply = *t.entry.Reply
	}
	v := voice{wire: reply.Wire, chunk: chunk{ID: t.id, Object: "chat.completion.chunk", Created: s.Now().Unix(), Model: s.model}}
	empty := ""
	all := []frame{v.say(choice{Delta: delta{Role: "assistant", Content: &empty}})}
	all[0].delay = milliseconds(reply.DelayMs)
	if reply.Refusal != "" {
		all = append(all, v.say(choice{Delta: delta{Refusal: reply.Refusal}}))
	}
	for _, piece := range reply.pieces() {
		next := v.say(choice{Delta: delta{Content: &piece.Delta}})
		next.delay = milliseconds(piece.DelayMs)
		all = append(all, next)
	}
	finish := finishOf(t.entry, reply)
	counted := reply.count(t.request)
	last := v.chunk
	last.Choices, last.Usage = []choice{}, &usage{counted.Input, counted.Output, counted.Input + counted.Output}
	return append(all, v.say(choice{Finish: &finish}), v.event(encode(last)), v.event([]byte("[DONE]")))
}

func finishOf(e Entry, r Reply) string {
	if e.Fault != nil && e.Fault.finish() != "" {
		return e.Fault.finish()
	}
	if r.Finish != "" {
		return r.Finish
	}
	return "stop"
}

func (v voice) say(c choice) frame {
	spoken := v.chunk
	spoken.Choices = []choice{c}
	f := v.event(encode(spoken))
	f.refusal = c.Delta.Refusal
	if c.Delta.Content != nil {
		f.delta = *c.Delta.Content
	}
	if c.Finish != nil {
		f.finish = *c.Finish
	}
	return f
}

// event puts data into the form of an event stream.
func (v voice) event(data []byte) frame {
	newline := "\n"
	if v.wire.CRLF {
		newline = "\r\n"
	}
	var b bytes.Buffer
	if v.wire.Comments {
		b.WriteString(": still here" + newline + newline)
	}
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString(newline)
	whole := b.Len()
	b.WriteString(newline)
	return frame{bytes: b.Bytes(), whole: whole}
}

// count is the usage of a reply: as the script says, else a token for each four bytes.
func (r Reply) count(q llm.Request) llm.Usage {
	counted := llm.Usage{Input: r.Usage.Input, Output: r.Usage.Output}
	if counted.Input == 0 {
		size := 0
		for _, m := range q.Messages {
			size += len(m.Text)
		}
		counted.Input = tokens(size)
	}
	if counted.Output == 0 {
		text, _ := r.text() // checked when the script was made
		counted.Output = tokens(len(text) + len(r.Refusal))
	}
	return counted
}

func tokens(size int) int { return (size + 3) / 4 }

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// encode writes a wire struct, which cannot fail: all of them are made of strings and numbers.
func encode(v any) []byte {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return encoded
}
