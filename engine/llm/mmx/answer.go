package mmx

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"forge/engine/llm"
)

// reply is the answer as mmx prints it.
type reply struct {
	Type       string  `json:"type"`
	Content    []block `json:"content"`
	Model      string  `json:"model"`
	StopReason string  `json:"stop_reason"`
	Usage      struct {
		Input      int `json:"input_tokens"`
		Output     int `json:"output_tokens"`
		CacheRead  int `json:"cache_read_input_tokens"`
		CacheWrite int `json:"cache_creation_input_tokens"`
	} `json:"usage"`
}

// read parses the output of mmx. It is an answer only if it is exactly one complete document with a stop reason.
func read(r llm.Request, printed []byte, model string) (llm.Response, error) {
	var said reply
	decoder := json.NewDecoder(bytes.NewReader(printed))
	err := decoder.Decode(&said)
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return llm.Response{}, broken("mmx ended well, but its answer breaks off")
	case err != nil:
		return llm.Response{}, invalid("mmx printed something that is no answer: is it an old version? `npm install -g mmx-cli` gets the newest")
	}
	if rest := bytes.TrimSpace(printed[decoder.InputOffset():]); len(rest) > 0 {
		return llm.Response{}, invalid("mmx printed more than an answer (%d bytes after it)", len(rest))
	}
	response := llm.Response{Model: model, Usage: llm.Usage{
		Input: said.Usage.Input, Output: said.Usage.Output, CacheRead: said.Usage.CacheRead, CacheWrite: said.Usage.CacheWrite,
	}}
	if said.Model != "" {
		response.Model = said.Model
	}
	return assemble(r, said, response)
}

// assemble joins the parts of the answer, and returns what is wrong with it.
func assemble(r llm.Request, said reply, response llm.Response) (llm.Response, error) {
	var text strings.Builder
	for _, part := range said.Content {
		if part.Type == "text" { // not what it thought
			text.WriteString(part.Text)
		}
	}
	response.Text = text.String()
	switch said.StopReason {
	case "end_turn", "stop_sequence", "stop":
		response.Finish = llm.FinishStop
	case "tool_use":
		response.Finish = llm.FinishTools
	case "max_tokens":
		response.Finish = llm.FinishLength
		return response, &llm.Error{Kind: llm.KindLength, Err: errors.New("the answer reached the limit of its length: ask for less at once, or allow more tokens")}
	case "refusal":
		response.Finish = llm.FinishRefusal
		return response, &llm.Error{Kind: llm.KindRefused, Err: errors.New("the model declined")}
	case "model_context_window_exceeded":
		response.Finish = llm.FinishLength
		return response, &llm.Error{Kind: llm.KindOverflow, Err: errors.New("prompt and answer exceed the model's context: send less")}
	case "":
		return response, broken("mmx printed an answer without its end")
	default:
		return response, invalid("the answer ended with the unknown reason %q", said.StopReason)
	}
	return withCalls(r, said, response)
}

// withCalls adds the tool calls, after a check.
func withCalls(r llm.Request, said reply, response llm.Response) (llm.Response, error) {
	known := map[string]bool{}
	for _, t := range offered(r) {
		known[t.Name] = true
	}
	for _, part := range said.Content {
		if part.Type != "tool_use" {
			continue
		}
		if !known[part.Name] {
			return response, invalid("the model asks for a tool that it was not offered: %q", part.Name)
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(part.Input, &object); err != nil || object == nil {
			return response, invalid("the model asks for the tool %q with arguments that are not one JSON object", part.Name)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, part.Input); err != nil { // mmx prints it indented
			return response, invalid("read the arguments of the tool %q: %v", part.Name, err)
		}
		response.Calls = append(response.Calls, llm.ToolCall{ID: part.ID, Name: part.Name, Arguments: compact.Bytes()})
	}
	switch {
	case len(response.Calls) > 0:
		response.Finish = llm.FinishTools
	case response.Finish == llm.FinishTools:
		return response, invalid("the model announced a tool call and made none")
	case r.UseTool != "":
		return response, invalid("the model was to use a tool (%s), and answered without", r.UseTool)
	}
	return response, nil
}

func invalid(format string, args ...any) error {
	return &llm.Error{Kind: llm.KindInvalid, Err: fmt.Errorf(format, args...)}
}

func broken(why string) error { return &llm.Error{Kind: llm.KindTruncated, Err: errors.New(why)} }
