package wire

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"forge/internal/inert"
	"forge/internal/lazyregexp"
)

// complaint is a server's error message, in any form.
type complaint struct {
	Message string
	Type    string
	Code    string
	Param   string // the affected field of the request

	understood bool // it was an error object
}

// complaint parses {"error": {…}} (OpenAI), {"error": "…"} (Ollama), {"message": …} (vLLM), {"detail": …}
// (FastAPI), {"base_resp": {…}} (MiniMax), any of them as the only element of a list (Gemini), or takes the text
// as it is. It removes the key before it shortens the text, so that no part of the key remains.
func (s *Server) complaint(body []byte) complaint {
	said := parseComplaint(body)
	said.Message = shorten(s.redact(said.Message))
	said.Type, said.Code = shorten(s.redact(said.Type)), shorten(s.redact(said.Code))
	said.Param = shorten(s.redact(said.Param))
	return said
}

func parseComplaint(body []byte) complaint {
	var list []json.RawMessage
	if json.Unmarshal(body, &list) == nil && len(list) == 1 {
		body = list[0]
	}
	var said fields
	if json.Unmarshal(body, &said) != nil {
		return complaint{Message: pageless(string(body))}
	}
	if said.BaseResp.fails() {
		return said.BaseResp.complaint()
	}
	var inner fields
	if json.Unmarshal(said.Error, &inner) == nil {
		inner.Error = nil
		said = inner
	}
	for _, message := range []json.RawMessage{said.Message, said.Error, said.Detail} {
		if text := loose(message); text != "" {
			return complaint{Message: text, Type: loose(said.Type), Code: loose(said.Code), Param: loose(said.Param), understood: true}
		}
	}
	return complaint{Message: string(body)}
}

// fields are those of all forms together.
type fields struct {
	Error, Message, Detail, Type, Code, Param json.RawMessage

	Object   json.RawMessage
	BaseResp *baseResp `json:"base_resp"`
}

// holdsError reports whether a payload is an error instead of a piece of the answer.
func holdsError(payload []byte) bool {
	if !bytes.Contains(payload, []byte(`"error"`)) && !bytes.Contains(payload, []byte(`"base_resp"`)) {
		return false
	}
	var said fields
	if json.Unmarshal(payload, &said) != nil {
		return false
	}
	return len(said.Error) > 0 && string(said.Error) != "null" || string(said.Object) == `"error"` || said.BaseResp.fails()
}

// pageless returns "" for a web page, whose source is of no use.
func pageless(text string) string {
	if strings.HasPrefix(strings.TrimSpace(text), "<") {
		return ""
	}
	return text
}

// loose reads a string, or any other value as it is written; null is empty.
func loose(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

// OneLine shortens a server's text to one line of a message: without the key, 300 characters, safe to show.
func (s *Server) OneLine(text string) string { return shorten(s.redact(text)) }

// shorten shortens a text to one line of a message: 300 characters, safe to show.
func shorten(text string) string {
	const enough = 300
	clean := []rune(strings.Join(strings.Fields(inert.Text(text)), " "))
	if len(clean) > enough {
		return string(clean[:enough]) + "…"
	}
	return string(clean)
}

// is reports whether the type or the code is one of the names.
func (s complaint) is(names ...string) bool {
	return slices.Contains(names, s.Type) || slices.Contains(names, s.Code)
}

// status returns the HTTP status that gateways put into the code of an error within a stream.
func (s complaint) status() int {
	code, err := strconv.Atoi(s.Code)
	if err != nil || http.StatusText(code) == "" && code != statusOverloaded {
		return 0
	}
	return code
}

// serverFault matches errors without a type that are not the request's fault.
var serverFault = lazyregexp.New(`(?i)server error|internal error|overload|temporar|try again|timed? ?out|unavailable|has terminated|\bbusy\b`)

// ofServer reports whether a complaint is about the server itself: a retry may succeed.
func (s complaint) ofServer() bool {
	if s.Type == "" && s.Code == "" {
		return serverFault.MatchString(s.Message)
	}
	return s.is("api_error", "overloaded_error", "timeout_error", "server_error", "internal_server_error", "internal_error", "service_unavailable")
}

// statusOverloaded is the status of Anthropic-like gateways without capacity.
const statusOverloaded = 529

func (s complaint) text() string {
	if s.Message == "" {
		return "the server gave no reason"
	}
	return s.Message
}
