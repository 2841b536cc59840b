package acp_test

import (
	"context"
	"strings"
	"testing"

	sdk "github.com/coder/acp-go-sdk"
	"github.com/stretchr/testify/require"

	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
)

const answered = `
- match: {node: explore}
  reply: {json: {done: true, files: [], actions: []}}
  times: -1
- match: {node: answer}
  reply: {stream: [{delta: "It holds "}, {delta: "one note "}, {delta: "(notes.md:3)."}]}`

// An answer is passed on while the model writes it, once.
func TestAsk_StreamsTheAnswer(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: answered})
	require.Equal(t, sdk.StopReasonEndTurn, d.say("/ask what is in here").StopReason)
	require.Equal(t, 1, strings.Count(d.text(), "It holds one note (notes.md:3)."), d.text())
	require.Contains(t, *d.questions()[0].ToolCall.Title, "May a model read the files", "nothing is executed for an answer")
	require.Equal(t, notes, d.disk("notes.md"))
}

// A request that reads like a question is asked about: an answer changes nothing.
func TestAsk_IsOfferedForAQuestion(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: answered})
	d.say("What does notes.md say?")
	require.Contains(t, *d.questions()[0].ToolCall.Title, "reads like a question")
	require.Contains(t, d.text(), "It holds one note")
}

// A mode that only answers is the mode of the session.
func TestMode_IsThatOfTheNextRuns(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: answered})
	require.Equal(t, sdk.SessionModeId("balanced"), d.opened.Modes.CurrentModeId)
	require.Greater(t, len(d.opened.Modes.AvailableModes), 3)
	_, err := d.conn.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: d.opened.SessionId, ModeId: "plan"})
	require.NoError(t, err)
	d.say("note two")
	require.Contains(t, d.text(), "It holds one note")
	_, err = d.conn.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: d.opened.SessionId, ModeId: "yolo"})
	require.ErrorContains(t, err, "balanced", "the error lists the modes")

	// The same, for clients that know options instead of modes.
	set, err := d.conn.SetSessionConfigOption(t.Context(), sdk.SetSessionConfigOptionRequest{ValueId: &sdk.SetSessionConfigOptionValueId{
		SessionId: d.opened.SessionId, ConfigId: d.opened.ConfigOptions[0].Select.Id, Value: "audit",
	}})
	require.NoError(t, err)
	require.Equal(t, sdk.SessionConfigValueId("audit"), set.ConfigOptions[0].Select.CurrentValue)
}

// Until the client chooses a mode, runs have that of the user's settings, or of the domain in them.
func TestMode_IsThatOfTheSettingsUntilOneIsChosen(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]engine.Settings{"audit": {Domain: "code_review"}, "fast": {Domain: "code_review", Mode: "fast"}} {
		d := start(t, setting{settings: set, script: `
- match: {node: review}
  reply: {json: {summary: Fine., issues: []}}
  times: -1`})
		require.Equal(t, sdk.SessionModeId(want), d.opened.Modes.CurrentModeId)
		require.Equal(t, sdk.SessionConfigValueId(want), d.opened.ConfigOptions[0].Select.CurrentValue)
		d.say("Look at notes.md.")
		_, err := d.conn.SetSessionMode(t.Context(), sdk.SetSessionModeRequest{SessionId: d.opened.SessionId, ModeId: "heavy"})
		require.NoError(t, err)
		d.say("Look at notes.md.")
		runs, err := d.engine.Runs(t.Context(), d.root)
		require.NoError(t, err)
		require.Len(t, runs, 2, d.text())
		require.Equal(t, []string{"review", "heavy", want}, []string{runs[1].Way.Recipe, runs[0].Way.Mode, runs[1].Way.Mode})
	}
}

// Findings of a review are text, with their places. The file is linked, or named.
func TestReview_ShowsFindings(t *testing.T) {
	t.Parallel()
	for _, named := range []bool{false, true} {
		d := start(t, setting{script: `
- match: {node: review, contains: [One.]}
  reply: {json: {summary: One fault., issues: [{path: notes.md, startLine: 3, endLine: 3, severity: error, category: other, message: It is vague.}]}}`})
		if named {
			d.say("/review notes.md")
		} else {
			d.say("/review", sdk.ResourceLinkBlock("notes.md", "file://"+d.full("notes.md")))
		}
		require.NoError(t, d.script.Verify())
		require.Contains(t, d.text(), "It is vague.")
		require.Contains(t, d.text(), "notes.md:3")
	}
}

// A review of what Forge does not take for one file is not started: it would be a review of something else.
func TestReview_RefusesOtherWords(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
	d.put("more.md", "More.\n")
	for _, words := range []string{"missing.md", "notes.md more.md"} {
		_, err := d.prompt("/review " + words)
		require.ErrorContains(t, err, "/review takes one file of the folder, or nothing")
	}
}

// A question that accepts words is answered by the next prompt: the run parks and continues.
func TestQuestion_IsAnsweredInWordsByTheNextPrompt(t *testing.T) {
	t.Parallel()
	words := true
	d := start(t, setting{script: `
- match: {node: spec, contains: [in bold please]}
  reply: {json: {spec: "Notes are numbered in bold.", changelog: In bold., questions: []}}
- match: {node: spec}
  reply: {json: {spec: "Notes are numbered.", changelog: Numbers., questions: []}}`,
		answer: func(r sdk.RequestPermissionRequest) string {
			if last := r.Options[len(r.Options)-1]; strings.HasPrefix(last.Name, "Write ") && words {
				words = false
				return string(last.OptionId)
			}
			return allowing(r)
		}})
	require.Equal(t, sdk.StopReasonEndTurn, d.say("/spec number the notes").StopReason)
	require.Contains(t, d.text(), "your next message answers")
	d.say("in bold please")
	require.NoError(t, d.script.Verify(), d.text())
	require.Contains(t, d.text(), "The specification has version 1")
	asked := d.questions()
	require.Contains(t, asked[len(asked)-1].ToolCall.Content[0].Content.Content.Text.Text, "in bold")
}

// An answer in words that comes after another front has answered is named, and not taken for a request.
func TestQuestion_AnAnswerInWordsThatNobodyAsksForIsNamed(t *testing.T) {
	t.Parallel()
	d := start(t, setting{script: `
- match: {node: spec}
  reply: {json: {spec: "Notes are numbered.", changelog: Numbers., questions: []}}`,
		answer: func(r sdk.RequestPermissionRequest) string {
			if last := r.Options[len(r.Options)-1]; strings.HasPrefix(last.Name, "Write ") {
				return string(last.OptionId)
			}
			return allowing(r)
		}})
	d.say("/spec number the notes")
	runs, err := d.engine.Runs(t.Context(), d.root)
	require.NoError(t, err)
	elsewhere, err := d.engine.Resume(t.Context(), runs[0].ID, event.AskerFunc(func(context.Context, event.Question) (event.Answer, error) {
		return event.Answer{Choice: "approve"}, nil
	}), execution.Limits{})
	require.NoError(t, err)
	result, err := elsewhere.Wait(t.Context())
	require.NoError(t, err)
	require.Equal(t, event.Succeeded, result.State, result.Reason)
	d.say("in bold please")
	require.Contains(t, d.text(), "Your answer was not used, because the run asked no question that it is for: in bold please")
}

// Why a turn ended: the client acts on it.
func TestStopReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script   string
		settings engine.Settings
		want     sdk.StopReason
	}{
		"refusal": {script: "\n- {match: {node: orchestrator}, fault: {kind: filter}, times: -1}", want: sdk.StopReasonRefusal},
		"budget":  {script: change, settings: budget(10), want: sdk.StopReasonMaxTokens},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := start(t, setting{script: c.script, settings: c.settings})
			require.Equal(t, c.want, d.say("note two").StopReason, d.text())
			require.Equal(t, notes, d.disk("notes.md"))
		})
	}
}

func budget(tokens int) (s engine.Settings) {
	s.Limits.Tokens = tokens
	return s
}

// session/load shows what was said to another process, and session/list finds it.
func TestSession_IsLoadedByAnotherProcess(t *testing.T) {
	t.Parallel()
	first := start(t, setting{script: answered + change, writes: true})
	first.say("/ask what is in here")
	first.say("note two")
	first.hangUp()

	d := start(t, setting{after: first})
	listed, err := d.conn.ListSessions(t.Context(), sdk.ListSessionsRequest{Cwd: &d.root})
	require.NoError(t, err)
	require.Len(t, listed.Sessions, 1)
	require.Equal(t, first.opened.SessionId, listed.Sessions[0].SessionId)
	require.Equal(t, "what is in here", *listed.Sessions[0].Title)
	everywhere, err := d.conn.ListSessions(t.Context(), sdk.ListSessionsRequest{})
	require.NoError(t, err)
	require.Len(t, everywhere.Sessions, 1)

	loaded, err := d.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: first.opened.SessionId, Cwd: d.root, McpServers: []sdk.McpServer{}})
	require.NoError(t, err)
	require.NotNil(t, loaded.Modes)
	var asked []string
	for _, u := range d.all() {
		if u.UserMessageChunk != nil {
			asked = append(asked, u.UserMessageChunk.Content.Text.Text)
		}
	}
	require.Equal(t, []string{"what is in here", "note two"}, asked)
	require.Contains(t, d.text(), "It holds one note")
	require.Contains(t, d.text(), "The change was applied.")
	require.Equal(t, changed, d.find("notes.md").diff.NewText)

	d.opened.SessionId = first.opened.SessionId
	d.say("/undo")
	_, err = d.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: first.opened.SessionId, Cwd: d.root, McpServers: []sdk.McpServer{}})
	require.NoError(t, err)
	require.Contains(t, d.text(), "The change was applied, and undone since.")

	_, err = d.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: "acp-unknown", Cwd: d.root, McpServers: []sdk.McpServer{}})
	require.ErrorContains(t, err, "has no runs")
	_, err = d.conn.ResumeSession(t.Context(), sdk.ResumeSessionRequest{SessionId: first.opened.SessionId, Cwd: d.root})
	require.NoError(t, err)
	_, err = d.conn.CloseSession(t.Context(), sdk.CloseSessionRequest{SessionId: first.opened.SessionId})
	require.NoError(t, err)
	_, err = d.conn.Prompt(t.Context(), sdk.PromptRequest{SessionId: first.opened.SessionId, Prompt: []sdk.ContentBlock{sdk.TextBlock("x")}})
	require.ErrorContains(t, err, "is open")
}

// A session that ends in the middle leaves a run that another process continues, and nothing is written before.
func TestSession_ThatEndsLeavesTheRunToBeResumed(t *testing.T) {
	t.Parallel()
	first := start(t, setting{script: change, writes: true, client: func(e *editor) {
		e.ignore = make(chan struct{})
	}})
	go func() { _, _ = first.prompt("note two") }()
	first.until(func(u sdk.SessionUpdate) bool { return u.ToolCall != nil }) // the question of trust, which is never answered
	first.hangUp()
	require.Equal(t, notes, first.disk("notes.md"))

	d := start(t, setting{script: change, after: first, writes: true})
	runs, err := d.engine.Runs(context.Background(), d.root)
	require.NoError(t, err)
	require.Equal(t, event.Interrupted, runs[0].State)
	_, err = d.conn.LoadSession(t.Context(), sdk.LoadSessionRequest{SessionId: first.opened.SessionId, Cwd: d.root, McpServers: []sdk.McpServer{}})
	require.NoError(t, err)
	require.Contains(t, d.text(), "/resume continues it")
	d.opened.SessionId = first.opened.SessionId
	d.say("/resume")
	require.Equal(t, changed, d.disk("notes.md"), d.text())
}
