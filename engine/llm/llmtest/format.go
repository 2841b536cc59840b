package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"forge/engine/llm"
)

// format is how a provider words requests and answers.
type format interface {
	// read reads a request's body as far as a script can match it.
	read(body []byte) (asked, error)
	// stream are the events of an answer, the last of which is the end.
	stream(a answer) []frame
	// whole is an answer in one document.
	whole(a answer) []byte
	// refuse is what a failed request gets, with its status.
	refuse(r refusal) (status int, body []byte)
	// streams is the content type of a stream.
	streams() string

	// malformed is half an event, empty events that carry nothing, and broken one that reports an error.
	malformed(w Wire) frame
	empty(w Wire) []frame
	broken(w Wire) frame
}

// asked is a request as it came over the wire.
type asked struct {
	llm.Request

	stream bool
	model  string
}

// frame is one event of a stream.
type frame struct {
	delay time.Duration // before it
	bytes []byte        // as it travels over HTTP
	whole int           // how many of the bytes make it complete

	finish string // the finish reason it carries
}

// event puts data into the form of an event stream; an empty name is none.
func (w Wire) event(name string, data []byte) frame {
	newline := w.newline()
	var b bytes.Buffer
	if w.Comments {
		b.WriteString(": still here" + newline + newline)
	}
	if name != "" {
		b.WriteString("event: " + name + newline)
	}
	for _, line := range w.dataLines(data) {
		b.WriteString("data: ")
		b.Write(line)
		b.WriteString(newline)
	}
	whole := b.Len()
	b.WriteString(newline)
	return frame{bytes: b.Bytes(), whole: whole}
}

// dataLines cuts data where JSON may have a line break.
func (w Wire) dataLines(data []byte) [][]byte {
	if end := len(data) - 1; w.DataLines && end > 1 && data[0] == '{' {
		return [][]byte{data[:1], data[1:end], data[end:]}
	}
	return [][]byte{data}
}

// line puts data into the form of a stream of lines.
func (w Wire) line(data []byte) frame {
	line := append(bytes.Clone(data), w.newline()...)
	return frame{bytes: line, whole: len(data)}
}

func (w Wire) newline() string {
	if w.CRLF {
		return "\r\n"
	}
	return "\n"
}

// fields are those of a JSON object.
type fields = map[string]any

// encode writes a wire document, which cannot fail: all of them are made of strings, numbers and checked JSON.
func encode(v any) []byte {
	encoded, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return encoded
}

// functionTool is a tool as OpenAI and Ollama define it.
type functionTool struct {
	Function struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		Parameters  json.RawMessage `json:"parameters"`
	} `json:"function"`
}

func toolDefs(tools []functionTool) (all []llm.ToolDef) {
	for _, t := range tools {
		all = append(all, llm.ToolDef{Name: t.Function.Name, Description: t.Function.Description, Schema: t.Function.Parameters})
	}
	return all
}

// content is a message's text, which may come as a string or as a list of parts.
type content string

// UnmarshalJSON implements json.Unmarshaler.
func (c *content) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		*c = content(text)
		return nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(data, &parts); err != nil {
		return fmt.Errorf("a message's content is neither a text nor a list of parts: %w", err)
	}
	var joined strings.Builder
	for _, part := range parts {
		joined.WriteString(part.Text)
	}
	*c = content(joined.String())
	return nil
}

// notA is the error for a body that is no request of a kind.
func notA(kind string, err error) error { return fmt.Errorf("the request is not a %s: %w", kind, err) }
