package acp

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"forge/engine/event"
	"forge/engine/history"
	"forge/engine/mode"
	"forge/internal/inert"
)

// threadOf is the session of a run. A run of another front is a session of its own.
func threadOf(r history.Run) string { return cmp.Or(r.Thread, r.ID) }

// LoadSession opens an earlier session, of this process or another, and shows the client what was said in it.
func (a *agent) LoadSession(ctx context.Context, p sdk.LoadSessionRequest) (sdk.LoadSessionResponse, error) {
	s, runs, err := a.reopen(ctx, p.SessionId, p.Cwd)
	if err != nil {
		return sdk.LoadSessionResponse{}, err
	}
	for _, run := range runs {
		if err := s.replay(ctx, run); err != nil {
			return sdk.LoadSessionResponse{}, failed(err)
		}
	}
	s.update(commandsUpdate())
	return sdk.LoadSessionResponse{Modes: s.modes(), ConfigOptions: s.options()}, nil
}

// ResumeSession opens an earlier session without showing it again.
func (a *agent) ResumeSession(ctx context.Context, p sdk.ResumeSessionRequest) (sdk.ResumeSessionResponse, error) {
	s, _, err := a.reopen(ctx, p.SessionId, p.Cwd)
	if err != nil {
		return sdk.ResumeSessionResponse{}, err
	}
	s.update(commandsUpdate())
	return sdk.ResumeSessionResponse{Modes: s.modes(), ConfigOptions: s.options()}, nil
}

// reopen opens an earlier session, and returns its runs, the oldest first.
func (a *agent) reopen(ctx context.Context, id sdk.SessionId, cwd string) (*session, []history.Run, error) {
	s, err := a.open(ctx, id, cwd)
	if err != nil {
		return nil, nil, err
	}
	all, err := a.options.Engine.Runs(ctx, s.root)
	if err != nil {
		return nil, nil, failed(err)
	}
	runs := slices.DeleteFunc(all, func(r history.Run) bool { return threadOf(r) != string(id) })
	if len(runs) == 0 {
		return nil, nil, invalid("sessionId: " + string(id) + " has no runs in " + s.root)
	}
	slices.Reverse(runs)
	for _, r := range runs {
		s.spend(r.ID, r.Cost.MicroUSD)
	}
	return s, runs, nil
}

// ListSessions lists the conversations about a folder, or about all folders that are trusted, the newest first.
func (a *agent) ListSessions(ctx context.Context, p sdk.ListSessionsRequest) (sdk.ListSessionsResponse, error) {
	answer := sdk.ListSessionsResponse{Sessions: []sdk.SessionInfo{}}
	var roots []string
	if p.Cwd != nil {
		roots = append(roots, *p.Cwd)
	} else {
		trusted, err := a.options.Engine.TrustedFolders()
		if err != nil {
			return answer, failed(err)
		}
		for _, f := range trusted {
			roots = append(roots, f.Path)
		}
	}
	for _, root := range roots {
		runs, err := a.options.Engine.Runs(ctx, root)
		if err != nil {
			a.log.Warn("the runs of a folder are not known", "folder", root, "why", err)
			continue
		}
		answer.Sessions = append(answer.Sessions, sessionsOf(root, runs)...)
	}
	slices.SortStableFunc(answer.Sessions, func(a, b sdk.SessionInfo) int { return cmp.Compare(*b.UpdatedAt, *a.UpdatedAt) })
	return answer, nil
}

// sessionsOf groups runs, newest first, by their sessions. A session has the title of its first run.
func sessionsOf(root string, runs []history.Run) (sessions []sdk.SessionInfo) {
	at := map[string]int{}
	for _, r := range runs {
		i, known := at[threadOf(r)]
		if !known {
			i = len(sessions)
			at[threadOf(r)] = i
			updated := r.Active.UTC().Format(time.RFC3339)
			sessions = append(sessions, sdk.SessionInfo{Cwd: root, SessionId: sdk.SessionId(threadOf(r)), UpdatedAt: &updated})
		}
		sessions[i].Title = new(inert.OneLine(r.Title, 100))
	}
	return sessions
}

// replay shows the client a run that has ended, as it was shown when it worked: the request, the answer or the change, and how it ended.
func (s *session) replay(ctx context.Context, run history.Run) error {
	e := s.agent.options.Engine
	events, err := e.Events(ctx, run.ID, 0)
	if err != nil {
		return err
	}
	t := &turn{session: s, id: run.ID}
	task, answer := run.Title, ""
	var reviewed *event.Reviewed
	for _, ev := range events {
		switch d := ev.Data.(type) {
		case event.RunStarted:
			task = d.Task
		case event.AnswerReady:
			answer = d.Text
		case event.Reviewed:
			reviewed = &d
		}
	}
	s.update(sdk.UpdateUserMessageText(task))
	switch {
	case answer != "":
		t.say(answer)
	case reviewed != nil && run.Way.Recipe == string(mode.Review):
		t.say(reportText(reviewed.Report))
	}
	return t.replayEnd(ctx, run)
}

// replayEnd shows how a run ended: its state, and its change with what has become of it.
func (t *turn) replayEnd(ctx context.Context, run history.Run) error {
	e := t.session.agent.options.Engine
	switch {
	case run.Alive():
		t.say("The run is being worked on.")
		return nil
	case run.Resumable():
		t.say("The run was interrupted. /resume continues it.")
		return nil
	case run.State != event.Succeeded:
		t.say(fmt.Sprintf("The run is %s: %s", run.State, inert.Text(run.Reason)))
	}
	p, _, err := e.Offered(ctx, run.ID)
	if err != nil || p == nil {
		return nil //nolint:nilerr // it made no change
	}
	checkpoints, err := e.Checkpoints(ctx, t.session.root)
	if err != nil {
		return err
	}
	inEffect := history.InEffect(checkpoints, run.ID)
	for _, f := range p.Files {
		call := t.newCall(inert.OneLine(f.Change.Path, 200), sdk.ToolKindEdit)
		call.Content = []sdk.ToolCallContent{sdk.ToolDiffContent(t.session.full(f.Change.Path), f.Change.After, f.Change.Before)}
		if call.Status = sdk.ToolCallStatusFailed; slices.Contains(inEffect, f.Change.Path) {
			call.Status = sdk.ToolCallStatusCompleted
		}
		t.show(call)
	}
	was := slices.ContainsFunc(checkpoints, func(c history.Checkpoint) bool { return c.RunID == run.ID })
	switch {
	case len(inEffect) > 0:
		t.say("The change was applied.")
	case was:
		t.say("The change was applied, and undone since.")
	default:
		t.say("The change was not applied. /resume offers it again.")
	}
	return nil
}
