package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
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
	Node     string   `yaml:"node"`
	Attempt  int      `yaml:"attempt"`  // from 1
	Contains []string `yaml:"contains"` // each of them stands somewhere in the messages
	Schema   string   `yaml:"schema"`   // the schema's name
}

func (m Match) fits(r llm.Request) bool {
	if m.Node != "" && m.Node != r.Node || m.Attempt != 0 && m.Attempt != r.Attempt || m.Schema != "" && m.Schema != r.SchemaName {
		return false
	}
	for _, part := range m.Contains {
		if !occurs(part, r.Messages) {
			return false
		}
	}
	return true
}

func occurs(part string, messages []llm.Message) bool {
	for _, message := range messages {
		if strings.Contains(message.Text, part) {
			return true
		}
	}
	return false
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

// Reply is an answer. Exactly one of Text, JSON, Patch, Stream and Refusal is set; an answer of no text is
// a Stream of no pieces.
type Reply struct {
	Text    string  `yaml:"text"`
	JSON    any     `yaml:"json"`    // sent as compact JSON with sorted keys
	Patch   string  `yaml:"patch"`   // sent as it is; the name is for the reader of the script
	Stream  []Piece `yaml:"stream"`  // sent piece by piece
	Refusal string  `yaml:"refusal"` // the model declines in these words

	DelayMs int       `yaml:"delayMs"` // before the first piece
	Finish  string    `yaml:"finish"`  // the finish reason on the wire; empty is stop
	Usage   UsageLine `yaml:"usage"`
	Wire    Wire      `yaml:"wire"`
}

// Piece is one piece of a streamed answer.
type Piece struct {
	Delta   string `yaml:"delta"`
	DelayMs int    `yaml:"delayMs"` // before it
}

// UsageLine counts tokens. What is 0 is counted as four bytes to a token.
type UsageLine struct {
	Input  int `yaml:"input"`
	Output int `yaml:"output"`
}

// Wire says how the bytes travel over HTTP. In process it has no effect.
type Wire struct {
	SplitBytes int  `yaml:"splitBytes"` // written so many bytes at a time, also in the middle of a character
	CRLF       bool `yaml:"crlf"`       // lines end with CRLF
	Comments   bool `yaml:"comments"`   // a comment stands before each event
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

func (r Reply) check() error {
	set := 0
	for _, is := range []bool{r.Text != "", r.JSON != nil, r.Patch != "", r.Stream != nil, r.Refusal != ""} {
		if is {
			set++
		}
	}
	if set != 1 {
		return fmt.Errorf("the reply has %d of text, json, patch, stream and refusal: give exactly one", set)
	}
	_, err := r.text()
	return err
}

// text is the whole answer.
func (r Reply) text() (string, error) {
	switch {
	case r.JSON != nil:
		encoded, err := json.Marshal(r.JSON)
		if err != nil {
			return "", errors.New("the reply's json has a key that is no string, or a number that JSON does not know")
		}
		return string(encoded), nil
	case r.Stream != nil:
		var text strings.Builder
		for _, piece := range r.Stream {
			text.WriteString(piece.Delta)
		}
		return text.String(), nil
	default:
		return r.Text + r.Patch, nil
	}
}

// pieceRunes is how many characters a piece has where the script does not cut the answer itself.
const pieceRunes = 16

// pieces are the deltas of the answer, none of them empty.
func (r Reply) pieces() []Piece {
	if r.Stream != nil {
		return r.Stream
	}
	text, _ := r.text() // checked when the script was made
	var pieces []Piece
	for runes := []rune(text); len(runes) > 0; {
		n := min(pieceRunes, len(runes))
		pieces = append(pieces, Piece{Delta: string(runes[:n])})
		runes = runes[n:]
	}
	return pieces
}
