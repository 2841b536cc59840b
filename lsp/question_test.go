package lsp_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/history"
	"forge/lsp/lsptest"
)

func approve(runID string) event.Question {
	return event.Question{
		ID: "q1", RunID: runID, Kind: event.AskApproval, Title: "Is this what you meant?", Detail: "Add \x1b[31mSub",
		Choices: []event.Choice{{ID: "approve", Title: "Approve"}, {ID: "stop", Title: "Stop"}}, Default: "stop",
		FreeText: "what should be different",
	}
}

// asking is a script that asks one question and says in its reason how it was answered.
func asking(ctx context.Context, r *scriptedRun) execution.Result {
	return askingOf(ctx, r, approve(""))
}

func askingOf(ctx context.Context, r *scriptedRun, q event.Question) execution.Result {
	q.RunID = r.ID
	r.Log.Append(event.Asked{Question: q})
	a, err := r.Asker.Ask(ctx, q)
	r.Log.Append(event.Answered{QuestionID: q.ID, Choice: a.Choice, Text: a.Text})
	switch {
	case errors.Is(err, event.ErrNoAnswer):
		return execution.Result{State: event.Blocked, Reason: "nobody answered"}
	case err != nil:
		return execution.Result{State: event.Cancelled, Reason: err.Error()}
	default:
		return execution.Result{State: event.Failed, Reason: strings.TrimSpace(a.Choice + " " + a.Text)}
	}
}

func choosing(title string) func([]byte) (any, error) {
	return func([]byte) (any, error) { return &protocol.MessageActionItem{Title: title}, nil }
}

func TestQuestion_ByMessage(t *testing.T) {
	for name, tc := range map[string]struct {
		answer func([]byte) (any, error)
		want   string
	}{
		"chosen":         {choosing("Approve"), "approve"},
		"the other":      {choosing("Stop"), "stop"},
		"dismissed":      {func([]byte) (any, error) { return nil, nil }, "nobody answered"},
		"failed":         {func([]byte) (any, error) { return nil, errors.New("no window") }, "nobody answered"},
		"something else": {choosing("Perhaps"), "nobody answered"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, nil, &fakeEngine{script: asking})
				d.Handle(protocol.MethodWindowShowMessageRequest, tc.answer)
				var r api.RunResult
				require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, &r))
				require.Equal(t, tc.want, r.Reason)
				shown := decodeParams[protocol.ShowMessageRequestParams](t, d.Expect(protocol.MethodWindowShowMessageRequest, nil))
				text, _, _ := strings.Cut(shown.Message, "\n\nThe whole text is in ")
				require.Equal(t, "Forge: Is this what you meant?\n\nAdd \\u001b[31mSub", text)
				require.Equal(t, []protocol.MessageActionItem{{Title: "Approve"}, {Title: "Stop"}}, shown.Actions)
			})
		})
	}
}

// A rich client shows the question itself, and answers with a command.
func TestQuestion_ByEvent(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: asking}, rich)
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &r))
		synctest.Wait()
		var status api.StatusResult
		require.NoError(t, d.execute(api.Status, nil, &status))
		require.Equal(t, "waiting", status.Runs[0].State)

		bad := api.AnswerArgs{RunID: r.RunID, AskID: "q1", Choice: "perhaps"}
		require.ErrorContains(t, d.execute(api.Answer, bad, nil), "approve, stop")
		bad = api.AnswerArgs{RunID: r.RunID, AskID: "q9", Choice: "stop"}
		require.ErrorContains(t, d.execute(api.Answer, bad, nil), "q1")

		var answered api.AnswerResult
		good := api.AnswerArgs{RunID: r.RunID, AskID: "q1", Choice: "approve"}
		require.NoError(t, d.execute(api.Answer, good, &answered))
		require.True(t, answered.Accepted)
		good.Choice = "stop"
		require.NoError(t, d.execute(api.Answer, good, &answered))
		require.False(t, answered.Accepted, "the first answer counts")
		synctest.Wait()
		require.Equal(t, "approve", endOf(t, d, r.RunID).Reason)
		for _, m := range d.Messages() {
			require.NotEqual(t, protocol.MethodWindowShowMessageRequest, m.Method)
		}
	})
}

// A text takes the place of a choice, which is then the careful one: it never reads as consent.
func TestQuestion_AQuestionIsAnsweredWithAText(t *testing.T) {
	wanted := approve("")
	wanted.Choices, wanted.Default = []event.Choice{{ID: "stop", Title: "No, stop"}, {ID: "approve", Title: "Yes, approve"}}, "approve"
	for name, tc := range map[string]struct {
		question event.Question
		answer   api.AnswerArgs
		want     string // how the run ends
		refused  string // or why the answer is none
	}{
		"instead of a choice":     {approve(""), api.AnswerArgs{Text: "only Sub"}, "stop only Sub", ""},
		"with the careful choice": {approve(""), api.AnswerArgs{Choice: "stop", Text: "only Sub"}, "stop only Sub", ""},
		"a no in words":           {wanted, api.AnswerArgs{Text: "no"}, "stop", ""},
		"a yes in words":          {wanted, api.AnswerArgs{Text: "Yes"}, "approve", ""},
		"a no beside a choice":    {wanted, api.AnswerArgs{Choice: "approve", Text: "no"}, "approve no", ""},
		"a no with more words":    {wanted, api.AnswerArgs{Text: "no, only Sub"}, "approve no, only Sub", ""}, // the text counts, not the choice
		"with consent":            {approve(""), api.AnswerArgs{Choice: "approve", Text: "only Sub"}, "", "leave out choice"},
		"nothing but spaces":      {approve(""), api.AnswerArgs{Text: " "}, "", "approve, stop"},
		"where none is taken":     {withoutText(approve("")), api.AnswerArgs{Text: "only Sub"}, "", "choose one of approve, stop"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, nil, &fakeEngine{script: func(ctx context.Context, r *scriptedRun) execution.Result { return askingOf(ctx, r, tc.question) }}, rich)
				var r api.RunResult
				require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &r))
				synctest.Wait()
				tc.answer.RunID, tc.answer.AskID = r.RunID, "q1"
				err := d.execute(api.Answer, tc.answer, nil)
				if tc.refused != "" {
					require.ErrorContains(t, err, tc.refused)
					require.NoError(t, d.execute(api.Answer, api.AnswerArgs{RunID: r.RunID, AskID: "q1", Choice: "stop"}, nil), "the question stays open")
					return
				}
				require.NoError(t, err)
				synctest.Wait()
				require.Equal(t, tc.want, endOf(t, d, r.RunID).Reason)
			})
		})
	}
}

// Words that come with a resumption answer the question that they are for, as those of forge resume --answer do. What no question takes is named.
func TestQuestion_AResumptionAnswersInWords(t *testing.T) {
	lost := event.Question{
		ID: "q1", Kind: event.AskUnblock, Title: "1 test passes today and would not any more. Is that wanted?", Detail: "TestSub",
		Choices: []event.Choice{{ID: "reject", Title: "No, it must continue to pass"}, {ID: "approve", Title: "Yes, it asks for what is to change"}},
		Default: "reject", FreeText: "what the change should do instead",
	}
	other, unsure := lost, approve("")
	other.Detail, unsure.Kind = "TestAdd", event.AskClarification
	for name, tc := range map[string]struct {
		question event.Question
		answer   string
		want     string // how the run ends; the user chooses the default if asked
		unused   bool
	}{
		"a yes to a question that was seen": {lost, " yes ", "approve", false},
		"a yes to one that was not":         {other, "yes", "reject", true},
		"advice where only a yes counts":    {lost, "round up", "reject", true},
		"information":                       {unsure, "round up", "stop round up", false},
		"consent":                           {approve(""), "Approve", "stop", true},
		"nothing":                           {lost, "", "reject", false},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				e := &fakeEngine{}
				e.told = []event.Event{{RunID: "r-old", Seq: 1, Data: event.Asked{Question: lost}}}
				e.resume = func(id string, asker event.Asker) (*execution.Run, error) {
					log := event.NewLog(id, time.Now)
					run, end := execution.NewRun(id, "add Sub", "/w", log, func() {})
					e.running.Go(func() {
						end(askingOf(t.Context(), &scriptedRun{Request: engine.Request{Asker: asker}, ID: id, Log: log}, tc.question))
					})
					return run, nil
				}
				var d *harness
				e.ended = func() history.Run { return history.Run{ID: "r-old", Root: d.root, State: event.Blocked} }
				d = start(t, nil, e)
				i := slices.IndexFunc(tc.question.Choices, func(c event.Choice) bool { return c.ID == tc.question.Default })
				d.Handle(protocol.MethodWindowShowMessageRequest, choosing(tc.question.Choices[i].Title))
				var r api.RunResult
				require.NoError(t, d.execute(api.Resume, api.ResumeArgs{RunID: "r-old", Answer: tc.answer, Wait: true}, &r))
				require.Equal(t, tc.want, r.Reason)
				synctest.Wait()
				unused := slices.ContainsFunc(d.Messages(), func(m lsptest.Message) bool { return strings.Contains(string(m.Params), "your answer was not used") })
				require.Equal(t, tc.unused, unused)
			})
		})
	}
}

func withoutText(q event.Question) event.Question {
	q.FreeText = ""
	return q
}

// A message and a command may answer the same question; the command is first here, and the message's
// late answer changes nothing.
func TestQuestion_FirstAnswerCounts(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: asking})
		late := make(chan struct{})
		d.Handle(protocol.MethodWindowShowMessageRequest, func([]byte) (any, error) {
			<-late
			return &protocol.MessageActionItem{Title: "Stop"}, nil
		})
		var r api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &r))
		synctest.Wait()
		var answered api.AnswerResult
		require.NoError(t, d.execute(api.Answer, api.AnswerArgs{RunID: r.RunID, AskID: "q1", Choice: "approve"}, &answered))
		require.True(t, answered.Accepted)
		synctest.Wait()
		require.Equal(t, "approve", endOf(t, d, r.RunID).Reason)
		close(late)
		synctest.Wait()
		require.Equal(t, "approve", endOf(t, d, r.RunID).Reason)
	})
}

// A run that is cancelled while it waits does not wait for the answer.
func TestQuestion_CancelEndsAQuestion(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: asking})
		never := make(chan struct{})
		d.Handle(protocol.MethodWindowShowMessageRequest, func([]byte) (any, error) { <-never; return nil, nil })
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, nil))
		synctest.Wait()
		var state api.StateResult
		require.NoError(t, d.execute(api.Cancel, nil, &state))
		require.Equal(t, "cancelled", state.State)
		close(never)
	})
}

// runEnded is the payload of run.ended.
type runEnded struct {
	State  string `json:"state"`
	Reason string `json:"reason"`
}

// endOf is how a run ended, by its events.
func endOf(t *testing.T, d *harness, runID string) runEnded {
	t.Helper()
	var raw struct {
		Events []struct {
			Seq  int             `json:"seq"`
			Type string          `json:"type"`
			Data protocol.LSPAny `json:"data"`
		} `json:"events"`
	}
	require.NoError(t, d.execute(api.Events, api.EventsArgs{RunID: runID}, &raw))
	last := raw.Events[len(raw.Events)-1]
	require.Equal(t, "run.ended", last.Type)
	var end runEnded
	require.NoError(t, protocol.Unmarshal(last.Data, &end))
	return end
}

// A client that reads the events of a run afterwards does not put a question to the user that is closed.
func TestQuestion_AnsweredOnceIsMarkedInAReplay(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, nil, &fakeEngine{script: asking}, rich)
		var run api.RunResult
		require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x"}, &run))
		d.Expect(api.EventMethod, func(p []byte) bool { return strings.Contains(string(p), `"type":"ask"`) })
		require.Equal(t, []bool{false}, asksAnswered(d, run.RunID, 0))
		require.NoError(t, d.execute(api.Answer, api.AnswerArgs{RunID: run.RunID, AskID: "q1", Choice: "approve"}, nil))
		d.Expect(api.EventMethod, func(p []byte) bool { return strings.Contains(string(p), `"type":"run.ended"`) })
		require.Equal(t, []bool{true}, asksAnswered(d, run.RunID, 0))
		require.Equal(t, []bool{true}, asksAnswered(d, run.RunID, 1), "also in a part of the events")
		for _, m := range d.Messages() {
			require.NotContains(t, string(m.Params), `"answered":true`, "a question is live when it is asked")
		}
	})
}

// asksAnswered are the questions in the events of a run: whether each is marked as answered.
func asksAnswered(d *harness, runID string, since int) (all []bool) {
	d.t.Helper()
	var replay struct {
		Events []struct {
			Type string `json:"type"`
			Data struct {
				Answered bool `json:"answered"`
			} `json:"data"`
		} `json:"events"`
	}
	require.NoError(d.t, d.execute(api.Events, api.EventsArgs{RunID: runID, SinceSeq: since}, &replay))
	for _, e := range replay.Events {
		if e.Type == "ask" {
			all = append(all, e.Data.Answered)
		}
	}
	return all
}

// A client without a view opens the whole text beside the question. What the user saves there is their answer when they consent.
func TestQuestion_WholeTextIsReadAndChanged(t *testing.T) {
	for name, tc := range map[string]struct {
		saved, answer, want string
	}{
		"consent as it is":  {"", "Approve", "approve"},
		"consent to theirs": {"Add Minus, too.\n", "Approve", "stop The user has changed the text. Take over this version of theirs:\n\nAdd Minus, too."},
		"a rejection stays": {"Add Minus, too.\n", "Stop", "stop"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				long := strings.Repeat("A line of the specification.\n", 100)
				e := &fakeEngine{script: func(ctx context.Context, r *scriptedRun) execution.Result {
					q := approve(r.ID)
					q.Detail = long
					return askingOf(ctx, r, q)
				}}
				d := start(t, nil, e, func(p *protocol.InitializeParams) {
					p.Capabilities.Window.ShowDocument = &protocol.ShowDocumentClientCapabilities{Support: true}
				})
				path := ""
				d.Handle(protocol.MethodWindowShowDocument, func(params []byte) (any, error) {
					path = decodeParams[protocol.ShowDocumentParams](t, params).URI.FsPath()
					return &protocol.ShowDocumentResult{Success: true}, nil
				})
				d.Handle(protocol.MethodWindowShowMessageRequest, func(params []byte) (any, error) {
					require.Contains(t, string(params), path)
					text, err := os.ReadFile(path)
					require.NoError(t, err)
					require.Equal(t, long, string(text), "all of it")
					if tc.saved != "" {
						require.NoError(t, os.WriteFile(path, []byte(tc.saved), 0o600))
					}
					return &protocol.MessageActionItem{Title: tc.answer}, nil
				})
				var run api.RunResult
				require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Wait: true}, &run))
				require.Equal(t, tc.want, run.Reason)
				require.Equal(t, 0, d.Shutdown())
				require.NoFileExists(t, path, "it goes with the session")
			})
		})
	}
}
