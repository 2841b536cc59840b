package llmtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"forge/engine/llm/llmtest/script"
)

// Reply is an answer. At most one of Text, JSON, Patch, Stream and Refusal is set, and exactly one where there are
// no ToolCalls; an answer of no text is a Stream of no pieces.
type Reply struct {
	Text    string       `yaml:"text"`
	JSON    any          `yaml:"json"`    // sent as compact JSON with sorted keys
	Patch   string       `yaml:"patch"`   // sent as it is; the name is for the reader of the script
	Stream  []Piece      `yaml:"stream"`  // sent piece by piece
	Refusal string       `yaml:"refusal"` // the model declines in these words
	Spoil   script.Spoil `yaml:"spoil"`   // what the model gets wrong about an answer that is one JSON object

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

// Wire says how the bytes travel over HTTP. In process it has no effect, but for PieceMs.
type Wire struct {
	SplitBytes int  `yaml:"splitBytes"` // written so many bytes at a time, also in the middle of a character
	CRLF       bool `yaml:"crlf"`       // lines end with CRLF
	Comments   bool `yaml:"comments"`   // a comment stands before each event
	Interleave bool `yaml:"interleave"` // the arguments of several tool calls come in turns
	DataLines  bool `yaml:"dataLines"`  // an event has several lines of data
	Empty      bool `yaml:"empty"`      // events that carry nothing stand behind the first, as those of no choices
	DoubleEnd  bool `yaml:"doubleEnd"`  // the end comes twice
	NoEnd      bool `yaml:"noEnd"`      // what comes behind the finish reason does not come: neither usage nor an end
	PieceMs    int  `yaml:"pieceMs"`    // before each piece of text; in process as well
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
	text, err := r.plain()
	if err != nil {
		return err
	}
	return r.Spoil.Check(text)
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

// text is the whole answer, as the model gets it right or wrong.
func (r Reply) text() (string, error) {
	text, err := r.plain()
	if err != nil || r.Spoil == "" {
		return text, err
	}
	return r.Spoil.Apply(text), nil
}

// plain is the answer without what is spoiled about it.
func (r Reply) plain() (string, error) {
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
	if r.Stream != nil && r.Spoil == "" {
		return r.Stream
	}
	text, _ := r.text() // checked when the script was made
	pieces := []Piece{}
	for _, part := range cut(text) {
		pieces = append(pieces, Piece{Delta: part, DelayMs: r.Wire.PieceMs})
	}
	return pieces
}

// cut cuts a text into pieces, none of them empty and not too many.
func cut(text string) []string {
	const most = 1 << 12
	var parts []string
	runes := []rune(text)
	for size := max(pieceRunes, len(runes)/most); len(runes) > 0; {
		n := min(size, len(runes))
		parts = append(parts, string(runes[:n]))
		runes = runes[n:]
	}
	return parts
}
