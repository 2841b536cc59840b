package ollama

import (
	"encoding/json"
	"errors"
	"io"
	"strings"

	"forge/engine/llm"
	"forge/engine/llm/wire"
)

// chunk is one line of a stream, or the whole document.
type chunk struct {
	Model           string  `json:"model"`
	Message         message `json:"message"`
	Done            bool    `json:"done"`
	DoneReason      string  `json:"done_reason"`
	PromptEvalCount int     `json:"prompt_eval_count"`
	EvalCount       int     `json:"eval_count"`
}

// answer assembles the chunks of one answer.
type answer struct {
	request llm.Request
	size    int // of the requested context, in tokens
	onDelta func(string)
	settle  func() // called when the answer is complete

	text     strings.Builder
	asked    []toolCall
	calls    []llm.ToolCall
	done     bool
	finish   string // done_reason
	model    string
	usage    llm.Usage
	accepted bool // the answer may be used
}

// readStream reads to the end. A stream that ends after its last chunk is complete.
func (a *answer) readStream(body io.Reader) error {
	chunks := json.NewDecoder(body)
	for {
		var next chunk
		err := chunks.Decode(&next)
		switch {
		case err == nil:
			err = a.add(next)
		case a.done:
			return a.verdict()
		case errors.Is(err, io.EOF):
			return wire.ErrUnfinished
		}
		if err != nil {
			return err
		}
	}
}

// readDocument reads an answer that arrives in one piece.
func (a *answer) readDocument(body io.Reader) error {
	var all chunk
	if err := json.NewDecoder(body).Decode(&all); err != nil {
		return err
	}
	if err := a.add(all); err != nil {
		return err
	}
	if !a.done {
		return wire.ErrUnfinished
	}
	return a.verdict()
}

func (a *answer) add(next chunk) error {
	if a.done && (next.Message.Content != "" || len(next.Message.ToolCalls) > 0) {
		return wire.Malformed("text followed the end of the answer")
	}
	if next.Model != "" {
		a.model = next.Model
	}
	a.asked = append(a.asked, next.Message.ToolCalls...)
	if piece := next.Message.Content; piece != "" {
		a.text.WriteString(piece)
		if a.onDelta != nil {
			a.onDelta(piece)
		}
	}
	if next.Done && !a.done {
		a.done, a.finish = true, next.DoneReason
		a.usage = llm.Usage{Input: max(0, next.PromptEvalCount), Output: max(0, next.EvalCount)}
		a.settle()
	}
	return nil
}

// verdict returns the error of an answer that ended but is not usable. If the server lost a part of the prompt, that
// comes first: the answer is to another question.
func (a *answer) verdict() error {
	if err := lost(a.request, a.usage, a.size); err != nil {
		return err
	}
	switch a.finish {
	case "stop":
		return a.accept()
	case "length":
		return &llm.Error{Kind: llm.KindLength, Err: errors.New("the answer reached the limit of its length: ask for less at once, or allow more tokens")}
	case "":
		return wire.ErrUnfinished // the server also reports done if it lost its model
	case "load", "unload":
		return wire.Transient("the server only %sed the model, and did not answer", a.finish)
	default:
		return wire.Malformed("the answer ended with the unknown reason %q", a.finish)
	}
}

// accept checks the tool calls.
func (a *answer) accept() (err error) {
	if a.calls, err = readCalls(a.request, a.asked); err != nil {
		return err
	}
	if a.request.UseTool != "" && len(a.calls) == 0 {
		return wire.Malformed("the model was to use a tool (%s), and answered without", a.request.UseTool)
	}
	a.accepted = true
	return nil
}

// reason returns the finish reason of the answer.
func (a *answer) reason() llm.FinishReason {
	switch {
	case a.accepted && len(a.calls) > 0:
		return llm.FinishTools
	case a.finish == "stop":
		return llm.FinishStop
	case a.finish == "length":
		return llm.FinishLength
	default:
		return ""
	}
}

func (a *answer) response(model string) llm.Response {
	if a.model != "" {
		model = a.model
	}
	return llm.Response{Text: a.text.String(), Calls: a.calls, Finish: a.reason(), Usage: a.usage, Model: model}
}
