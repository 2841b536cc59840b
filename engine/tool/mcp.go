package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/engine/mode"
	"forge/engine/permission"
	"forge/patch"
)

// MCP calls tools of MCP servers. Everything that it returns is the text of others.
type MCP interface {
	// Call calls a tool, and starts its server if necessary. The error means that ctx has ended, or that the tree cannot be read.
	Call(ctx context.Context, c MCPCall) (MCPAnswer, error)
}

// MCPSession is an MCP for one run.
type MCPSession interface {
	MCP
	// Close ends the servers that calls have started. No call may be under way.
	Close()
}

// MCPCall is a call of a tool of an MCP server.
type MCPCall struct {
	Tool  MCPTool
	Input json.RawMessage // an object
	Root  string          // the folder that the server may work on; an absolute path
}

// MCPAnswer is the answer of a tool, or the reason why there is none.
type MCPAnswer struct {
	Text   string
	Failed bool
	Cut    bool            // there was more
	Change patch.ChangeSet // of the tree of the run
}

// MCPTool is a tool of an MCP server that the user has accepted.
type MCPTool struct {
	Server, Tool string
	Pin          string // identifies the definition that was accepted
	Description  string `json:",omitempty"`
	Schema       string `json:",omitempty"` // of its input: a JSON Schema
	// Idempotent means that the user lets a call be repeated whose result is unknown.
	Idempotent bool `json:",omitempty"`
}

// mcpPrefix begins the names of all tools of MCP servers.
const mcpPrefix = "mcp__"

// Name returns the name by which models call the tool.
func (m MCPTool) Name() string { return mcpPrefix + m.Server + "__" + m.Tool }

// IsMCP reports whether a name is one of a tool of an MCP server, known or not.
func IsMCP(name string) bool { return strings.HasPrefix(name, mcpPrefix) }

// mcpTimeout limits a call in all: the start of a server, the call, and both once more after the server has ended.
const mcpTimeout = 3 * time.Minute

// Find returns a tool by its name: one of All, or one of an MCP server. Any name of the form of an MCP tool is one; Refuses rejects
// those that the user has not accepted.
func (g Grants) Find(name string) (Tool, bool) {
	if !IsMCP(name) {
		return All().Named(name)
	}
	accepted, _ := g.MCPTool(name)
	t := define(Tool{Name: name, Risk: mode.High, Effect: permission.Outside, Timeout: mcpTimeout, Litters: true, pin: accepted.Pin}, accepted.call)
	return t, true
}

// MCPTool returns an accepted tool by the name by which models call it.
func (g Grants) MCPTool(name string) (MCPTool, bool) {
	at := slices.IndexFunc(g.MCP, func(m MCPTool) bool { return m.Name() == name })
	if at < 0 {
		return MCPTool{}, false
	}
	return g.MCP[at], true
}

// refusesMCP returns why a tool of an MCP server may not be called, for the model; empty means that it may.
func (g Grants) refusesMCP(t Tool) string {
	accepted, known := g.MCPTool(t.Name)
	switch {
	case !known:
		return t.Name + " is not a tool of an MCP server that the user has accepted"
	case accepted.Pin != t.pin:
		return "the user has accepted another definition of " + t.Name + " than the one that this run began with"
	}
	return ""
}

type mcpArgs struct {
	Input string `json:"input,omitempty" jsonschema:"the arguments of a tool of an MCP server: a JSON object, as a text"`
}

// call calls the tool in a World. The input has to be an object; an empty one is the object without fields.
func (m MCPTool) call(ctx context.Context, w World, a mcpArgs) (Result, error) {
	if w.MCP == nil {
		return failed("%s is switched off: the user has no such MCP server", m.Name()), nil
	}
	input, err := objectIn(a.Input)
	if err != nil {
		return failed("input of %s is not one JSON object: %v", m.Name(), err), nil
	}
	answer, err := w.MCP.Call(ctx, MCPCall{Tool: m, Input: input})
	if err != nil {
		return Result{}, fmt.Errorf("call %s: %w", m.Name(), err)
	}
	return Result{Text: answer.Text, Failed: answer.Failed, Cut: answer.Cut && len(answer.Text) <= MaxOutput, Change: answer.Change}, nil
}

func objectIn(text string) (json.RawMessage, error) {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}"), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &fields); err != nil || fields == nil {
		return nil, fmt.Errorf("%q", head(text, 100))
	}
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(text))
	return compact.Bytes(), err
}

// exactly returns the canonical form of a call: the input as it is sent, and the pin of the definition that the user has accepted.
func (t Tool) exactly(a Args) string {
	input, err := objectIn(a.Input)
	if err != nil {
		input = json.RawMessage(a.Input)
	}
	text, _ := json.Marshal([]string{t.pin, string(input)}) // of strings
	return string(text)
}

// The limits of the parts of a definition that models receive, in bytes.
const (
	maxMCPDescription = 1000
	maxMCPSchema      = 4000
)

// DescribeMCP returns a line for each accepted tool of an MCP server, for models; empty if there are none. It is the text of others.
func (g Grants) DescribeMCP() string {
	var b strings.Builder
	for _, m := range g.MCP {
		about := strings.Join(strings.Fields(m.Description), " ")
		fmt.Fprintf(&b, "- %s: %s input: %s\n", m.Name(), head(about, maxMCPDescription), head(m.Schema, maxMCPSchema))
	}
	return strings.TrimRight(b.String(), "\n")
}

// mcpRule explains to models how to call the tools of DescribeMCP.
const mcpRule = `
- mcp__SERVER__TOOL(input): a tool of a program that the user has added. The section "Tools of MCP servers" lists them, with the schema of
  the JSON object that input has to be, written as a text.`

// Rules describes the tools of a turn for models, as far as the user's settings allow them.
func (g Grants) Rules() string {
	rules := Tools().With(g).Describe()
	if len(g.MCP) > 0 {
		rules += mcpRule
	}
	return rules
}
