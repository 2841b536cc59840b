package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Reply is an answer. At most one of Text, JSON, Patch, Stream and Refusal is set, and exactly one where there are
// no ToolCalls; an answer of no text is a Stream of no pieces.
type Reply struct {
	Text    string  `yaml:"text"`
	JSON    any     `yaml:"json"`    // sent as compact JSON with sorted keys
	Patch   string  `yaml:"patch"`   // sent as it is; the name is for the reader of the script
	Stream  []Piece `yaml:"stream"`  // sent piece by piece
	Refusal string  `yaml:"refusal"` // the model declines in these words

	ToolCalls []ToolCall `yaml:"toolCalls"` // behind the text
	Thinking  string     `yaml:"thinking"`  // before it, where the format has a place for it

	DelayMs int       `yaml:"delayMs"` // before the first piece
	Finish  string    `yaml:"finish"`  // the finish reason, in OpenAI's words; empty is stop, or tool_calls
	Usage   UsageLine `yaml:"usage"`
	Wire    Wire      `yaml:"wire"`
}

// Piece is one piece of a streamed answer.
type Piece struct {
	Delta   string `yaml:"delta"`
	DelayMs int    `yaml:"delayMs"` // before it
}

// ToolCall is a tool that the model asks for.
type ToolCall struct {
	ID        string `yaml:"id"` // empty is one that the script makes
	Name      string `yaml:"name"`
	Arguments any    `yaml:"arguments"` // sent as compact JSON with sorted keys; nil is {}
	Raw       string `yaml:"raw"`       // instead of Arguments: sent as it is, also where it is no JSON
}

// UsageLine counts tokens. Input and Output that are 0 are counted as four bytes to a token.
type UsageLine struct {
	Input      int `yaml:"input"` // neither read from a cache nor written to one
	Output     int `yaml:"output"`
	CacheRead  int `yaml:"cacheRead"`
	CacheWrite int `yaml:"cacheWrite"`
}

// Wire says how the bytes travel over HTTP. In process it has no effect.
type Wire struct {
	SplitBytes int  `yaml:"splitBytes"` // written so many bytes at a time, also in the middle of a character
	CRLF       bool `yaml:"crlf"`       // lines end with CRLF
	Comments   bool `yaml:"comments"`   // a comment stands before each event
	Interleave bool `yaml:"interleave"` // the arguments of several tool calls come in turns
}

func (r Reply) check() error {
	set := 0
	for _, is := range []bool{r.Text != "", r.JSON != nil, r.Patch != "", r.Stream != nil, r.Refusal != ""} {
		if is {
			set++
		}
	}
	if set > 1 || set == 0 && len(r.ToolCalls) == 0 {
		return fmt.Errorf("the reply has %d of text, json, patch, stream and refusal: give exactly one, or toolCalls", set)
	}
	for i, call := range r.ToolCalls {
		if err := call.check(); err != nil {
			return fmt.Errorf("tool call %d: %w", i+1, err)
		}
	}
	_, err := r.text()
	return err
}

func (c ToolCall) check() error {
	if c.Arguments != nil && c.Raw != "" {
		return errors.New("it has arguments and raw: give one of them")
	}
	_, err := c.arguments()
	return err
}

// arguments are what travels as the call's arguments.
func (c ToolCall) arguments() (string, error) {
	switch {
	case c.Raw != "":
		return c.Raw, nil
	case c.Arguments == nil:
		return "{}", nil
	}
	encoded, err := json.Marshal(c.Arguments)
	if err != nil {
		return "", errors.New("its arguments have a key that is no string, or a number that JSON does not know")
	}
	return string(encoded), nil
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

// pieces are the deltas of the answer.
func (r Reply) pieces() []Piece {
	if r.Stream != nil {
		return r.Stream
	}
	text, _ := r.text() // checked when the script was made
	var pieces []Piece
	for _, part := range cut(text) {
		pieces = append(pieces, Piece{Delta: part})
	}
	return pieces
}

// cut cuts a text into pieces, none of them empty.
func cut(text string) []string {
	var parts []string
	for runes := []rune(text); len(runes) > 0; {
		n := min(pieceRunes, len(runes))
		parts = append(parts, string(runes[:n]))
		runes = runes[n:]
	}
	return parts
}
