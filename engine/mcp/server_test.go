package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

const definition = `{"name":"echo","description":"Echoes.","inputSchema":{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"number"}}}}`

// server is one that misbehaves as how says.
type server struct {
	how    string
	log    *os.File        // a line for each listing and each call
	calls  int             // of this process
	lists  int             // likewise
	caller json.RawMessage // the id of a call that waits for the client
	root   string          // the folder that the client has named
}

func serve(how, log string) {
	file, err := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	s := &server{how: how, log: file}
	switch how {
	case "silent":
		select {}
	case "flood":
		fmt.Print(strings.Repeat("x", 1<<20)) // less than the limit of a message
	case "long line":
		fmt.Print(`{"jsonrpc":"2.0","method":"`, strings.Repeat("x", (8<<20)+1))
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) == nil {
			s.take(m)
		}
	}
	if how == "deaf" {
		select {} // its input has ended, and it does not
	}
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Error  json.RawMessage `json:"error"`
	Result struct {
		Roots []struct{ URI string }
	} `json:"result"`
}

// flood writes a text until its reader closes the stream.
func flood(text string) {
	for {
		if _, err := fmt.Print(text); err != nil {
			quit(0)
		}
	}
}

func reply(id json.RawMessage, field, value string) {
	fmt.Printf(`{"jsonrpc":"2.0","id":%s,"%s":%s}`+"\n", id, field, value)
}

func said(text string) string {
	quoted, _ := json.Marshal(text)
	return fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted)
}

func (s *server) take(m message) {
	switch {
	case m.Method == "initialize":
		reply(m.ID, "result", `{"protocolVersion":"2025-06-18","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"t","version":"1"}}`)
	case m.Method == "notifications/initialized", m.Method == "notifications/roots/list_changed":
		if s.how == "roots" {
			fmt.Println(`{"jsonrpc":"2.0","id":"r","method":"roots/list"}`)
		}
	case m.Method == "tools/list":
		fmt.Fprintln(s.log, "list")
		s.lists++
		s.list(m.ID)
	case m.Method == "tools/call":
		fmt.Fprintln(s.log, "call")
		s.calls++
		s.call(m.ID)
	case m.Method == "" && string(m.ID) == `"r"`:
		s.root = m.Result.Roots[0].URI
	case m.Method == "" && s.caller != nil: // the client's answer to what the server asked for
		reply(s.caller, "result", said("refused: "+string(m.Error)))
		s.caller = nil
	case m.ID != nil && m.Method != "":
		reply(m.ID, "error", `{"code":-32601,"message":"unknown method"}`)
	}
}

func (s *server) list(id json.RawMessage) {
	changed := strings.Replace(definition, "number", "string", 1)
	switch {
	case s.how == "dies":
		fmt.Fprintln(os.Stderr, "out of \x1b[31mluck")
		quit(3)
	case s.how == "wrong id":
		reply(json.RawMessage("4711"), "result", `{"tools":[`+definition+`]}`)
	case s.how == "error":
		reply(id, "error", `{"code":-32000,"message":"no \u001b[31mtools"}`)
	case s.how == "duplicate":
		reply(id, "result", `{"tools":[`+definition+`,`+definition+`]}`)
	case s.how == "endless":
		reply(id, "result", `{"tools":[`+strings.Replace(definition, "echo", "t"+string(id), 1)+`],"nextCursor":"more"}`)
	case s.how == "changed", s.how == "changes" && s.lists > 1:
		reply(id, "result", `{"tools":[`+changed+`]}`)
	case s.how == "reordered":
		reply(id, "result", `{"tools":[{"inputSchema":{"properties":{"a":{"type":"number"},"b":{"type":"string"}},"type":"object"},"description":"Echoes.","name":"echo"}]}`)
	case s.how == "twice":
		reply(id, "result", `{"tools":[`+definition+`]}`)
		reply(id, "result", `{"tools":[]}`)
	default:
		reply(id, "result", `{"tools":[`+definition+`]}`)
	}
}

func (s *server) call(id json.RawMessage) {
	switch s.how {
	case "dies in a call":
		quit(3)
	case "dies in its first call":
		if log, _ := os.ReadFile(s.log.Name()); strings.Count(string(log), "call") == 1 {
			quit(3)
		}
		reply(id, "result", said("done"))
	case "hangs in a call":
	case "floods in a call":
		fmt.Print(strings.Repeat("x", 1<<20)) // less than the limit of a message
	case "floods notices in a call":
		flood(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + strings.Repeat("x", 1<<12) + `"}}` + "\n")
	case "wrong id in a call":
		reply(json.RawMessage("4711"), "result", said("done"))
	case "answers twice":
		reply(id, "result", said(fmt.Sprint("call ", s.calls)))
		reply(id, "result", said("again"))
	case "changes":
		for range 1000 {
			fmt.Println(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)
		}
		reply(id, "result", said("done"))
	case "roots":
		reply(id, "result", said(s.root))
	case "sampling", "elicitation":
		s.caller = id
		method := map[string]string{"sampling": "sampling/createMessage", "elicitation": "elicitation/create"}[s.how]
		fmt.Printf(`{"jsonrpc":"2.0","id":"q","method":%q,"params":{"messages":[],"maxTokens":10,"message":"m","requestedSchema":{"type":"object","properties":{}}}}`+"\n", method)
	case "rejects":
		reply(id, "error", `{"code":-32000,"message":"not \u001b[31mtoday"}`)
	case "malformed":
		reply(id, "result", `{"content":"no list"}`)
	case "rich":
		reply(id, "result", `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"},{"type":"resource_link","uri":"file:///x","name":"x"}],"isError":true}`)
	default:
		reply(id, "result", said("done"))
	}
}
