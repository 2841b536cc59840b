package llmtest

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"forge/engine/llm"
	"forge/engine/llm/llmtest/script"
)

// Reply is an answer. At most one of Text, JSON, Patch, Stream and Refusal is set, and exactly one where there are
// no ToolCalls; an answer of no text is a Stream of no pieces.
type Reply struct {
	Text    string            `yaml:"text"`
	JSON    any               `yaml:"json"`    // sent as compact JSON with sorted keys
	Patch   string            `yaml:"patch"`   // sent as it is; the name is for the reader of the script
	Stream  []Piece           `yaml:"stream"`  // sent piece by piece
	Refusal string            `yaml:"refusal"` // the model declines in these words
	Corrupt script.Corruption `yaml:"spoil"`   // what the model gets wrong about an answer that is one JSON object

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

// Wire is how the bytes travel over HTTP. In process it has no effect, but for PieceMs.
type Wire struct {
	SplitBytes int  `yaml:"splitBytes"` // written so many bytes at a time, also in the middle of a character
	CRLF       bool `yaml:"crlf"`       // lines end with CRLF
	Comments   bool `yaml:"comments"`   // a comment precedes each event
	Interleave bool `yaml:"interleave"` // the arguments of several tool calls come in turns
	DataLines  bool `yaml:"dataLines"`  // an event has several lines of data
	Empty      bool `yaml:"empty"`      // empty events follow the first, as those of no choices
	DoubleEnd  bool `yaml:"doubleEnd"`  // the end comes twice
	NoEnd      bool `yaml:"noEnd"`      // nothing follows the finish reason: neither usage nor an end
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
	return r.Corrupt.Check(text)
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
	if err != nil || r.Corrupt == "" {
		return text, err
	}
	return r.Corrupt.Apply(text), nil
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
	if r.Stream != nil && r.Corrupt == "" {
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

// answer is the content of a turn, before it is formatted.
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

// brokenOff is the reply of a fault that breaks one off if the script has none.
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

// answer makes the answer of a turn as if nothing went wrong after the finish reason.
func (s *Script) answer(t turn) answer {
	reply := t.reply()
	a := answer{
		number: t.number, model: s.model, created: s.Now(), delay: milliseconds(reply.DelayMs), wire: reply.Wire,
		thinking: reply.Thinking, pieces: reply.pieces(), refusal: reply.Refusal, usage: reply.count(t.request),
	}
	for i, c := range reply.ToolCalls {
		id := cmp.Or(c.ID, fmt.Sprintf("call_%d_%d", t.number, i+1))
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

// count is the usage of a reply: that of the script, else a token for each four bytes.
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
