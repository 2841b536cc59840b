package acp_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"forge/acp"
	"forge/engine"
	"forge/engine/llm"
	"forge/engine/llm/llmtest"
)

// The folder of most tests has no program: nothing is compiled, and a run takes no time.
const notes = "# Notes\n\nOne.\n"

// harness is an editor with a folder, a session and Forge behind it, joined by pipes.
type harness struct {
	*editor
	t      *testing.T
	root   string
	state  string // Forge's own folder
	engine *engine.Engine
	script *llmtest.Script
	conn   *sdk.ClientSideConnection
	hello  sdk.InitializeResponse
	opened sdk.NewSessionResponse
	hangUp func() // disconnects, and waits for the server
}

// setting is what a test changes of a harness.
type setting struct {
	script   string            // entries; see llmtest
	files    map[string]string // of the folder, besides notes.md
	after    *harness          // an earlier harness, whose folder and state this one has
	settings engine.Settings
	patience time.Duration
	reads    bool // the client reads files
	writes   bool // the client writes files
	answer   func(r sdk.RequestPermissionRequest) string
	client   func(e *editor)
}

func start(t *testing.T, s setting) *harness {
	t.Helper()
	d := &harness{t: t, editor: &editor{t: t, answer: s.answer, buffers: map[string]string{}, open: map[string]string{}}}
	if s.after != nil {
		d.root, d.state = s.after.root, s.after.state
	} else {
		d.root, d.state = filepath.Join(t.TempDir(), "project"), t.TempDir()
		require.NoError(t, os.Mkdir(d.root, 0o755))
		d.put("notes.md", notes)
		for name, text := range s.files {
			d.put(name, text)
		}
	}
	if s.client != nil {
		s.client(d.editor)
	}
	if s.script == "" {
		s.script = "- {match: {node: nobody}, reply: {text: x}}"
	}
	var err error
	d.script, err = llmtest.Parse(t.Name(), []byte("entries:\n"+s.script))
	require.NoError(t, err)
	d.engine = engine.New(engine.Options{
		StateDir: d.state, Environ: os.Environ(), Settings: func(context.Context, string) engine.Settings { return s.settings },
		Chooser: llm.OnlyFrom(func(context.Context) (llm.Model, error) { return d.script.Model(), nil }),
	})
	d.connect(s)
	return d
}

// connect starts the server and shakes hands.
func (d *harness) connect(s setting) {
	d.t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		acp.Serve(context.WithoutCancel(d.t.Context()), fromClient, toClient, acp.Options{
			Engine: d.engine, Version: "test", Patience: s.patience, Log: slog.New(slog.DiscardHandler),
			Usual: func(context.Context, string) (mode, domain string) { return s.settings.Mode, s.settings.Domain },
		})
	}()
	d.hangUp = sync.OnceFunc(func() {
		_ = toServer.Close()
		<-served
		d.engine.Close()
		_ = toClient.Close()
	})
	d.t.Cleanup(d.hangUp)
	d.conn = sdk.NewClientSideConnection(d.editor, toServer, fromServer)
	d.conn.SetLogger(slog.New(slog.DiscardHandler))
	var err error
	d.hello, err = d.conn.Initialize(d.t.Context(), sdk.InitializeRequest{
		ProtocolVersion:    sdk.ProtocolVersionNumber,
		ClientCapabilities: sdk.ClientCapabilities{Fs: sdk.FileSystemCapabilities{ReadTextFile: s.reads, WriteTextFile: s.writes}},
	})
	require.NoError(d.t, err)
	d.opened, err = d.conn.NewSession(d.t.Context(), sdk.NewSessionRequest{Cwd: d.root, McpServers: []sdk.McpServer{}})
	require.NoError(d.t, err)
}

// put writes a file of the folder.
func (d *harness) put(name, text string) {
	d.t.Helper()
	require.NoError(d.t, os.MkdirAll(filepath.Dir(d.full(name)), 0o755))
	require.NoError(d.t, os.WriteFile(d.full(name), []byte(text), 0o644))
}

// disk reads a file of the folder; empty if it does not exist.
func (d *harness) disk(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(d.full(name))
	if !errors.Is(err, os.ErrNotExist) {
		require.NoError(d.t, err)
	}
	return string(text)
}

func (d *harness) full(name string) string { return filepath.Join(d.root, name) }

// say sends a prompt and waits for the end of the turn.
func (d *harness) say(text string, more ...sdk.ContentBlock) sdk.PromptResponse {
	d.t.Helper()
	answer, err := d.prompt(text, more...)
	require.NoError(d.t, err)
	return answer
}

func (d *harness) prompt(text string, more ...sdk.ContentBlock) (sdk.PromptResponse, error) {
	return d.conn.Prompt(context.WithoutCancel(d.t.Context()), sdk.PromptRequest{
		SessionId: d.opened.SessionId, Prompt: append([]sdk.ContentBlock{sdk.TextBlock(text)}, more...),
	})
}

// editor is a client. It answers each question with the first option that allows, unless a test says otherwise.
type editor struct {
	t      *testing.T
	answer func(r sdk.RequestPermissionRequest) string // the chosen option; empty is cancelled
	onRead func(path string) (string, error)           // instead of buffers and files
	onSave func(path, text string) error               // instead of writing the file
	ignore chan struct{}                               // not nil: questions are answered when it is closed

	mu      sync.Mutex
	updates []sdk.SessionUpdate
	asked   []sdk.RequestPermissionRequest
	buffers map[string]string // unsaved texts, by path
	open    map[string]string // what was written, by path
	grown   chan struct{}     // closed and replaced with each update
}

// SessionUpdate keeps an update.
func (e *editor) SessionUpdate(_ context.Context, n sdk.SessionNotification) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.updates = append(e.updates, n.Update)
	if e.grown != nil {
		close(e.grown)
		e.grown = nil
	}
	return nil
}

// until waits for an update that fits.
func (e *editor) until(fits func(u sdk.SessionUpdate) bool) {
	for {
		e.mu.Lock()
		if slices.ContainsFunc(e.updates, fits) {
			e.mu.Unlock()
			return
		}
		if e.grown == nil {
			e.grown = make(chan struct{})
		}
		grown := e.grown
		e.mu.Unlock()
		<-grown
	}
}

// RequestPermission answers a question.
func (e *editor) RequestPermission(ctx context.Context, r sdk.RequestPermissionRequest) (sdk.RequestPermissionResponse, error) {
	e.mu.Lock()
	e.asked = append(e.asked, r)
	e.mu.Unlock()
	if e.ignore != nil {
		select {
		case <-e.ignore:
		case <-ctx.Done():
			return sdk.RequestPermissionResponse{}, ctx.Err()
		}
	}
	choose := allowing
	if e.answer != nil {
		choose = e.answer
	}
	chosen := choose(r)
	if chosen == "" {
		return sdk.RequestPermissionResponse{Outcome: sdk.RequestPermissionOutcome{Cancelled: &sdk.RequestPermissionOutcomeCancelled{}}}, nil
	}
	return sdk.RequestPermissionResponse{Outcome: sdk.RequestPermissionOutcome{Selected: &sdk.RequestPermissionOutcomeSelected{OptionId: sdk.PermissionOptionId(chosen)}}}, nil
}

// allowing chooses the first option that allows once.
func allowing(r sdk.RequestPermissionRequest) string {
	for _, o := range r.Options {
		if o.Kind == sdk.PermissionOptionKindAllowOnce {
			return string(o.OptionId)
		}
	}
	return ""
}

// asks reports whether a question is about applying files, as opposed to one of the run.
func asks(r sdk.RequestPermissionRequest) bool {
	return slices.ContainsFunc(r.Options, func(o sdk.PermissionOption) bool { return o.OptionId == "apply-all" })
}

// trusting answers the questions of runs by allowing, and those about applying with an option.
func trusting(option string) func(r sdk.RequestPermissionRequest) string {
	return func(r sdk.RequestPermissionRequest) string {
		if asks(r) {
			return option
		}
		return allowing(r)
	}
}

// ReadTextFile reads a buffer, or a file.
func (e *editor) ReadTextFile(ctx context.Context, r sdk.ReadTextFileRequest) (sdk.ReadTextFileResponse, error) {
	if e.onRead != nil {
		text, err := e.onRead(r.Path)
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return sdk.ReadTextFileResponse{Content: text}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if text, open := e.buffers[r.Path]; open {
		return sdk.ReadTextFileResponse{Content: text}, nil
	}
	text, err := os.ReadFile(r.Path)
	return sdk.ReadTextFileResponse{Content: string(text)}, err
}

// WriteTextFile writes a file, and the buffer if there is one.
func (e *editor) WriteTextFile(_ context.Context, r sdk.WriteTextFileRequest) (sdk.WriteTextFileResponse, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.open[r.Path] = r.Content
	if e.onSave != nil {
		return sdk.WriteTextFileResponse{}, e.onSave(r.Path, r.Content)
	}
	if _, open := e.buffers[r.Path]; open {
		e.buffers[r.Path] = r.Content
	}
	return sdk.WriteTextFileResponse{}, os.WriteFile(r.Path, []byte(r.Content), 0o644)
}

var errNoTerminals = errors.New("this editor has no terminals")

func (e *editor) CreateTerminal(context.Context, sdk.CreateTerminalRequest) (sdk.CreateTerminalResponse, error) {
	return sdk.CreateTerminalResponse{}, errNoTerminals
}

func (e *editor) KillTerminal(context.Context, sdk.KillTerminalRequest) (sdk.KillTerminalResponse, error) {
	return sdk.KillTerminalResponse{}, errNoTerminals
}

func (e *editor) TerminalOutput(context.Context, sdk.TerminalOutputRequest) (sdk.TerminalOutputResponse, error) {
	return sdk.TerminalOutputResponse{}, errNoTerminals
}

func (e *editor) ReleaseTerminal(context.Context, sdk.ReleaseTerminalRequest) (sdk.ReleaseTerminalResponse, error) {
	return sdk.ReleaseTerminalResponse{}, errNoTerminals
}

func (e *editor) WaitForTerminalExit(context.Context, sdk.WaitForTerminalExitRequest) (sdk.WaitForTerminalExitResponse, error) {
	return sdk.WaitForTerminalExitResponse{}, errNoTerminals
}

// text is everything that the agent has said.
func (e *editor) text() string {
	var b strings.Builder
	for _, u := range e.all() {
		if u.AgentMessageChunk != nil && u.AgentMessageChunk.Content.Text != nil {
			b.WriteString(u.AgentMessageChunk.Content.Text.Text)
		}
	}
	return b.String()
}

func (e *editor) all() []sdk.SessionUpdate {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.updates)
}

func (e *editor) questions() []sdk.RequestPermissionRequest {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.asked)
}

// call is a tool call as the client has it in the end.
type call struct {
	title, status string
	kind          sdk.ToolKind
	diff          *sdk.ToolCallContentDiff
	locations     []sdk.ToolCallLocation
	text          string
}

// calls are the tool calls, in their order.
func (e *editor) calls() (all []call) {
	at := map[sdk.ToolCallId]int{}
	for _, u := range e.all() {
		switch {
		case u.ToolCall != nil:
			at[u.ToolCall.ToolCallId] = len(all)
			c := call{title: u.ToolCall.Title, status: string(u.ToolCall.Status), kind: u.ToolCall.Kind, locations: u.ToolCall.Locations}
			all = append(all, c.with(u.ToolCall.Content))
		case u.ToolCallUpdate != nil:
			i, known := at[u.ToolCallUpdate.ToolCallId]
			require.True(e.t, known, "an update is of a call that the client knows")
			if u.ToolCallUpdate.Status != nil {
				all[i].status = string(*u.ToolCallUpdate.Status)
			}
			all[i] = all[i].with(u.ToolCallUpdate.Content)
		}
	}
	return all
}

func (c call) with(content []sdk.ToolCallContent) call {
	for _, one := range content {
		switch {
		case one.Diff != nil:
			c.diff = one.Diff
		case one.Content != nil && one.Content.Content.Text != nil:
			c.text += one.Content.Content.Text.Text + "\n"
		}
	}
	return c
}

// find returns the call with a title.
func (e *editor) find(title string) call {
	e.t.Helper()
	var titles []string
	for _, c := range e.calls() {
		if c.title == title {
			return c
		}
		titles = append(titles, c.title)
	}
	require.Failf(e.t, "no such tool call", "%q is none of %q", title, titles)
	return call{}
}

// plan is the last plan.
func (e *editor) plan() (entries []sdk.PlanEntry) {
	for _, u := range e.all() {
		if u.Plan != nil {
			entries = u.Plan.Entries
		}
	}
	return entries
}
