package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// toolCall is a call, or a piece of one.
type toolCall struct {
	Index    *int   `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`
}

// arguments are JSON in a string; some servers send the object itself.
type arguments string

// UnmarshalJSON implements json.Unmarshaler.
func (a *arguments) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '{' {
		*a = arguments(data)
		return nil
	}
	return json.Unmarshal(data, (*string)(a))
}

// calls are assembled from pieces that may be interleaved.
type calls []*call

// call is one call so far.
type call struct {
	index     int
	id, name  string
	arguments strings.Builder
}

func (c *calls) add(piece toolCall) {
	grown := c.find(piece)
	if grown == nil {
		grown = &call{index: len(*c)}
		if piece.Index != nil {
			grown.index = *piece.Index
		}
		*c = append(*c, grown)
	}
	grown.id = cmp.Or(grown.id, piece.ID)
	if piece.Function.Name != grown.name { // some servers repeat it with every piece
		grown.name += piece.Function.Name
	}
	grown.arguments.WriteString(string(piece.Function.Arguments))
}

// find returns the call of a piece, or nil for a new call. Pieces are matched by index, or, if a server sends no
// distinct indexes, by id; a piece with neither continues the last call.
func (c calls) find(piece toolCall) *call {
	for _, open := range slices.Backward(c) {
		switch {
		case piece.Index != nil && open.index != *piece.Index:
		case piece.ID != "" && open.id != "" && piece.ID != open.id:
		default:
			return open
		}
	}
	return nil
}

// checked returns the calls in their order. Without offered tools it does not check names: the reader of a
// batch's results does not know the offer.
func (c calls) checked(offered *[]llm.ToolDef) ([]llm.ToolCall, error) {
	slices.SortStableFunc(c, func(a, b *call) int { return cmp.Compare(a.index, b.index) })
	made := make([]llm.ToolCall, 0, len(c))
	for _, call := range c {
		checked, err := call.checked(offered)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(made, func(other llm.ToolCall) bool { return other.ID == checked.ID }) {
			return nil, wire.Malformed("two calls of tools have the same id")
		}
		made = append(made, checked)
	}
	return made, nil
}

func (c *call) checked(offered *[]llm.ToolDef) (llm.ToolCall, error) {
	given := bytes.TrimSpace([]byte(c.arguments.String()))
	if len(given) == 0 { // some servers send this for no arguments
		given = []byte("{}")
	}
	switch {
	case c.name == "" || offered != nil && !isOffered(c.name, *offered):
		return llm.ToolCall{}, wire.Malformed("the model asked for a tool that it was not offered: %.80q", c.name)
	case c.id == "":
		return llm.ToolCall{}, wire.Malformed("the call of the tool %q has no id", c.name)
	case given[0] != '{' || !json.Valid(given):
		return llm.ToolCall{}, wire.Malformed("the arguments for the tool %q are not one JSON object", c.name)
	}
	return llm.ToolCall{ID: c.id, Name: c.name, Arguments: given}, nil
}

func isOffered(name string, tools []llm.ToolDef) bool {
	return slices.ContainsFunc(tools, func(tool llm.ToolDef) bool { return tool.Name == name })
}
