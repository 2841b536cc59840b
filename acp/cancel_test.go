package acp_test

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"forge/acp"
	"forge/engine/event"
)

// session/cancel ends a run that waits for its model, and one that waits for its user; the answer says so, and nothing is written.
func TestCancel_EndsTheTurn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script string
		client func(e *editor)
		begun  func(u sdk.SessionUpdate) bool
	}{
		"a model that hangs": {
			script: "\n- {match: {node: orchestrator}, fault: {kind: hang}}",
			begun:  func(u sdk.SessionUpdate) bool { return u.Plan != nil },
		},
		"a question": {
			script: change, client: func(e *editor) { e.ignore = make(chan struct{}) },
			begun: func(u sdk.SessionUpdate) bool { return u.ToolCall != nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, setting{script: c.script, client: c.client, writes: true})
			ended := make(chan sdk.PromptResponse)
			go func() {
				defer close(ended)
				if answer, err := d.prompt("note two"); err == nil {
					ended <- answer
				}
			}()
			d.until(c.begun)
			require.NoError(t, d.conn.Cancel(t.Context(), sdk.CancelNotification{SessionId: d.opened.SessionId}))
			require.Equal(t, sdk.StopReasonCancelled, (<-ended).StopReason)
			runs, err := d.engine.Runs(t.Context(), d.root)
			require.NoError(t, err)
			require.Equal(t, event.Cancelled, runs[0].State)
			require.Equal(t, notes, d.disk("notes.md"))
		})
	}
}

// A turn that is cancelled while the client decides about the change writes nothing; the change is offered again.
func TestCancel_DuringTheConsentWritesNothing(t *testing.T) {
	t.Parallel()
	var d *harness
	d = start(t, setting{script: change, writes: true, answer: func(r sdk.RequestPermissionRequest) string {
		if asks(r) {
			_ = d.conn.Cancel(context.Background(), sdk.CancelNotification{SessionId: d.opened.SessionId})
			return "" // as the protocol demands
		}
		return allowing(r)
	}})
	require.Equal(t, sdk.StopReasonCancelled, d.say("note two").StopReason)
	require.Equal(t, notes, d.disk("notes.md"))
	d.answer = nil
	d.say("/resume")
	require.Equal(t, changed, d.disk("notes.md"), d.text())
}

// A prompt that follows another one before that has ended replaces it.
func TestPrompt_WaitsForTheOneBefore(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: "\n- {match: {node: orchestrator}, fault: {kind: hang}}" + answered})
	first := make(chan sdk.StopReason, 1)
	go func() {
		answer, _ := d.prompt("note two")
		first <- answer.StopReason
	}()
	d.until(func(u sdk.SessionUpdate) bool { return u.Plan != nil })
	require.Equal(t, sdk.StopReasonEndTurn, d.say("/ask what is in here").StopReason)
	require.Equal(t, sdk.StopReasonCancelled, <-first)
}

// A client that does not send a text in time: nothing is started, because its unsaved changes are unknown.
func TestPrompt_NeedsTheTextsOfTheClient(t *testing.T) {
	t.Parallel()
	silent := make(chan struct{})
	d := start(t, setting{reads: true, patience: time.Millisecond, client: func(e *editor) {
		e.onRead = func(string) (string, error) { <-silent; return "", nil }
	}})
	defer close(silent)
	_, err := d.prompt("fix notes.md")
	require.ErrorContains(t, err, "unsaved changes are unknown")
	require.Empty(t, d.script.Requests())
}

// What the protocol forbids is an error that says what is accepted, and the session goes on.
func TestSession_RejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: answered})
	require.EqualValues(t, 1, d.hello.ProtocolVersion)
	require.True(t, d.hello.AgentCapabilities.LoadSession)
	require.Empty(t, d.hello.AuthMethods)
	for name, c := range map[string]struct {
		do   func() error
		says string
	}{
		"relative cwd": {func() error {
			_, err := d.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: "project", McpServers: []sdk.McpServer{}})
			return err
		}, "not an absolute path"},
		"no folder": {func() error {
			_, err := d.conn.NewSession(t.Context(), sdk.NewSessionRequest{Cwd: d.full("gone"), McpServers: []sdk.McpServer{}})
			return err
		}, "not a folder"},
		"unknown session": {func() error {
			_, err := d.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: "acp-none", Prompt: []sdk.ContentBlock{sdk.TextBlock("x")}})
			return err
		}, "session/new"},
		"image":   {func() error { _, err := d.prompt("", sdk.ImageBlock("AAAA", "image/png")); return err }, "images"},
		"nothing": {func() error { _, err := d.prompt("  "); return err }, "there is no task"},
		"authenticate": {func() error {
			_, err := d.conn.Authenticate(t.Context(), sdk.AuthenticateRequest{MethodId: "oauth"})
			return err
		}, "forge setup"},
		"option": {func() error {
			_, err := d.conn.SetSessionConfigOption(t.Context(), sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
				SessionId: d.opened.SessionId, ConfigId: "x", Value: "y",
			}})
			return err
		}, "the only option is mode"},
		"undo":   {func() error { _, err := d.prompt("/undo r-none"); return err }, ""},
		"resume": {func() error { _, err := d.prompt("/resume r-none"); return err }, "no such run"},
	} {
		err := c.do()
		if c.says == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, c.says, name)
	}
	require.Equal(t, sdk.StopReasonEndTurn, d.say("/ask what is in here").StopReason)
}

// A client that stops reading, or only hangs up, ends the server.
func TestServe_EndsWithItsClient(t *testing.T) {
	t.Parallel()
	for name, broken := range map[string]bool{"input ends": false, "output breaks": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in, toServer := io.Pipe()
			fromServer, out := io.Pipe()
			served := make(chan struct{})
			go func() {
				defer close(served)
				acp.Serve(context.Background(), in, out, acp.Options{Log: slog.New(slog.DiscardHandler)})
			}()
			if broken {
				require.NoError(t, fromServer.Close())
				_, err := toServer.Write([]byte(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n"))
				require.NoError(t, err)
			} else {
				require.NoError(t, toServer.Close())
			}
			<-served
			_ = toServer.Close()
		})
	}
}
