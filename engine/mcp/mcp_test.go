package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"forge/engine/mcp"
	"forge/engine/sandbox"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain becomes a server if it is started as one.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "serve" {
		serve(os.Args[2])
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

const tool = `{"name":"echo","description":"Echoes.","inputSchema":{"type":"object","properties":{"b":{"type":"string"},"a":{"type":"number"}}}}`

// serve is a server that misbehaves as its name says.
func serve(how string) {
	if how == "silent" {
		select {}
	}
	if how == "flood" {
		part := strings.Repeat("x", 1<<16)
		for {
			if _, err := fmt.Print(part); err != nil {
				return
			}
		}
	}
	if how == "long line" {
		fmt.Print(`{"jsonrpc":"2.0","method":"`, strings.Repeat("x", 100<<20))
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
		}
		if json.Unmarshal(lines.Bytes(), &request) != nil || request.ID == nil {
			continue
		}
		answer(how, request.Method, request.ID)
	}
	if how == "deaf" {
		select {} // its input has ended, and it does not
	}
}

func answer(how, method string, id json.RawMessage) {
	reply := func(id json.RawMessage, field, value string) {
		fmt.Printf(`{"jsonrpc":"2.0","id":%s,"%s":%s}`+"\n", id, field, value)
	}
	switch {
	case method == "initialize":
		reply(id, "result", `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"t","version":"1"}}`)
	case method != "tools/list":
		reply(id, "error", `{"code":-32601,"message":"unknown method"}`)
	case how == "dies":
		fmt.Fprintln(os.Stderr, "out of \x1b[31mluck")
		os.Exit(3)
	case how == "wrong id":
		reply(json.RawMessage("4711"), "result", `{"tools":[`+tool+`]}`)
	case how == "error":
		reply(id, "error", `{"code":-32000,"message":"no \u001b[31mtools"}`)
	case how == "duplicate":
		reply(id, "result", `{"tools":[`+tool+`,`+tool+`]}`)
	case how == "endless":
		name := "t" + string(id)
		reply(id, "result", `{"tools":[`+strings.Replace(tool, "echo", name, 1)+`],"nextCursor":"more"}`)
	case how == "changed":
		reply(id, "result", `{"tools":[`+strings.Replace(tool, "number", "string", 1)+`]}`)
	case how == "reordered":
		reply(id, "result", `{"tools":[{"inputSchema":{"properties":{"a":{"type":"number"},"b":{"type":"string"}},"type":"object"},"description":"Echoes.","name":"echo"}]}`)
	case how == "twice":
		reply(id, "result", `{"tools":[`+tool+`]}`)
		reply(id, "result", `{"tools":[]}`)
	default:
		reply(id, "result", `{"tools":[`+tool+`]}`)
	}
}

func list(t *testing.T, how string, limit time.Duration) ([]mcp.Tool, error) {
	t.Helper()
	self, err := os.Executable()
	require.NoError(t, err)
	o := mcp.Options{Runner: sandbox.New(sandbox.Options{Environ: os.Environ()}), Version: "test", Start: limit}
	return mcp.List(context.Background(), o, mcp.Server{Name: "t", Command: []string{self, "serve", how}})
}

func TestList_PinsTheDefinitionOfATool(t *testing.T) {
	first, err := list(t, "honest", 0)
	require.NoError(t, err)
	require.Len(t, first, 1)
	require.Equal(t, "echo", first[0].Name)
	require.Equal(t, "Echoes.", first[0].Description)
	require.True(t, mcp.ValidPin(first[0].Pin))
	for how, same := range map[string]bool{"reordered": true, "twice": true, "changed": false} {
		again, err := list(t, how, 0)
		require.NoError(t, err, how)
		require.Equal(t, same, again[0].Pin == first[0].Pin, how)
	}
}

func TestList_FailsOnAHostileServer(t *testing.T) {
	for how, want := range map[string]string{
		"dies": "exit code 3: out of ", "error": "no ", "duplicate": `the tool "echo" twice`, "endless": "more than 200 tools",
		"flood": "invalid character", "long line": "more than 8 MiB",
	} {
		tools, err := list(t, how, 0)
		require.ErrorContains(t, err, want, how)
		require.NotContains(t, err.Error(), "\x1b", how)
		require.Empty(t, tools, how)
	}
}

func TestList_EndsAServerThatHangs(t *testing.T) {
	for _, how := range []string{"silent", "wrong id"} {
		_, err := list(t, how, 300*time.Millisecond)
		require.ErrorContains(t, err, "within 300ms", how)
	}
}

func TestList_ReportsAMissingProgram(t *testing.T) {
	o := mcp.Options{Runner: sandbox.New(sandbox.Options{Environ: os.Environ()})}
	_, err := mcp.List(context.Background(), o, mcp.Server{Name: "t", Command: []string{"no-such-server"}})
	var missing *sandbox.NotStartedError
	require.ErrorAs(t, err, &missing)
}
