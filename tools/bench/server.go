package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// program is a language server that can be started.
type program struct {
	name string
	argv []string
	env  []string
}

// server is a started language server.
//
// Every server is stopped by who started it.
type server struct {
	*conn
	cmd     *exec.Cmd
	stdin   io.Closer
	stderr  *bytes.Buffer // to be read when the process has ended
	started time.Time
	asked   atomic.Int32 // how many questions it had for the user
}

// How long the answer to a request, and the end of a process that was asked to end, is waited for.
const (
	answerLimit = 2 * time.Minute
	endLimit    = 10 * time.Second
)

// start starts the program in the folder. The clock runs from before the process is made.
func start(ctx context.Context, p program, w workspace) (*server, error) {
	cmd := exec.CommandContext(ctx, p.argv[0], p.argv[1:]...)
	cmd.Dir, cmd.Env = w.root, p.env
	cmd.WaitDelay = endLimit
	stderr := new(bytes.Buffer)
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	s := &server{cmd: cmd, stdin: stdin, stderr: stderr, started: time.Now()}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	s.conn = newConn(stdout, stdin, s.replyTo)
	return s, nil
}

// stop ends the session as the protocol asks, and the process in any case.
func (s *server) stop(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	kill := context.AfterFunc(ctx, func() { _ = s.cmd.Process.Kill() })
	defer kill()
	_, err := s.call(ctx, "shutdown", nil)
	err = errors.Join(err, s.notify("exit", nil), s.stdin.Close())
	s.wait()
	if err = errors.Join(err, s.cmd.Wait()); err != nil {
		return fmt.Errorf("stop the server: %w; it said: %s", err, s.stderr)
	}
	return nil
}

// initialize makes the handshake up to the server's answer.
func (s *server) initialize(ctx context.Context, w workspace) error {
	_, err := s.call(ctx, "initialize", map[string]any{
		"processId":        os.Getpid(),
		"clientInfo":       map[string]any{"name": "bench"},
		"rootUri":          w.uri(""),
		"workspaceFolders": []any{map[string]any{"uri": w.uri(""), "name": "bench"}},
		"capabilities":     json.RawMessage(capabilities),
	})
	return err
}

// open makes the whole handshake and opens the workspace's document.
func (s *server) open(ctx context.Context, w workspace) error {
	if err := s.initialize(ctx, w); err != nil {
		return err
	}
	return errors.Join(s.notify("initialized", struct{}{}), s.notify("textDocument/didOpen", map[string]any{
		"textDocument": map[string]any{"uri": w.uri(openFile), "languageId": "go", "version": 1, "text": w.text},
	}))
}

// capabilities are those of a common editor, as far as they concern what is measured.
const capabilities = `{
	"general": {"positionEncodings": ["utf-16"]},
	"window": {"workDoneProgress": true, "showMessage": {"messageActionItem": {}}},
	"workspace": {
		"applyEdit": true, "configuration": true, "workspaceFolders": true,
		"workspaceEdit": {"documentChanges": true, "resourceOperations": ["create", "rename", "delete"],
			"changeAnnotationSupport": {"groupsOnLabel": true}},
		"didChangeWatchedFiles": {"dynamicRegistration": true}
	},
	"textDocument": {
		"synchronization": {"didSave": true},
		"documentSymbol": {"hierarchicalDocumentSymbolSupport": true},
		"publishDiagnostics": {"relatedInformation": true},
		"codeAction": {"dataSupport": true, "disabledSupport": true, "isPreferredSupport": true,
			"resolveSupport": {"properties": ["edit"]},
			"codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["", "quickfix", "refactor", "refactor.rewrite", "source"]}}}
	}
}`

// replyTo answers a server's requests: settings as they come, yes to the question of trust, else null.
func (s *server) replyTo(method string, params json.RawMessage) any {
	switch method {
	case "workspace/configuration":
		var asked struct{ Items []json.RawMessage }
		_ = json.Unmarshal(params, &asked) // a server that asks for nothing gets nothing
		return make([]any, len(asked.Items))
	case "window/showMessageRequest":
		s.asked.Add(1)
		return trusting(params)
	}
	return nil
}

// trusting picks the answer that trusts the folder; any other question is dismissed.
func trusting(params json.RawMessage) any {
	var question struct {
		Actions []struct {
			Title string `json:"title"`
		}
	}
	_ = json.Unmarshal(params, &question) // a question that cannot be read is dismissed
	for _, action := range question.Actions {
		if strings.HasPrefix(strings.ToLower(action.Title), "trust") {
			return action
		}
	}
	return nil
}
