package acp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"sync"

	sdk "github.com/coder/acp-go-sdk"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/llm"
	"forge/engine/mode"
	"forge/engine/proposal"
	"forge/internal/failpoint"
	"forge/internal/inert"
)

// turn is what a session does about one prompt.
type turn struct {
	session *session
	ended   <-chan struct{} // closed when the turn is cancelled
	run     *execution.Run  // nil for an undo

	mu      sync.Mutex // guards the fields below
	reply   string     // of the user to the question on which the run parked
	answers string     // the id of that question
	calls   int        // tool calls of the turn
	shown   map[sdk.ToolCallId]bool
	heard   strings.Builder // of the answer

	id string // prefix of the ids of tool calls
}

// prompt carries out a prompt, and returns why it ended. Failures of a run are texts for the user; an error is a prompt that was not
// carried out.
func (s *session) prompt(ctx context.Context, blocks []sdk.ContentBlock) (answer sdk.PromptResponse, err error) {
	answer.StopReason = sdk.StopReasonCancelled
	ctx, end, err := s.begin(ctx)
	if err != nil {
		return answer, nil //nolint:nilerr // it was cancelled before its turn came
	}
	defer end()
	defer func() {
		if fault := recover(); fault != nil {
			failpoint.ReportBug("panic in a turn: %v\n%s", fault, debug.Stack())
			err = failed(errors.New("internal error, please report it: the log of Forge has the details; /resume continues the run"))
		}
	}()
	in, err := read(s.root, blocks)
	if err != nil {
		return answer, err
	}
	t := &turn{session: s, ended: ctx.Done(), id: strings.ToLower(string(newSessionID()))}
	answer, err = t.carryOut(ctx, in)
	if ctx.Err() != nil {
		return sdk.PromptResponse{StopReason: sdk.StopReasonCancelled, Usage: answer.Usage}, nil
	}
	if err != nil {
		return answer, failed(err)
	}
	return answer, nil
}

// over reports whether the turn was cancelled or the client is gone.
func (t *turn) over() bool {
	select {
	case <-t.ended:
		return true
	default:
		return t.session.agent.left()
	}
}

// carryOut does what a prompt says. A prompt without a command answers the run that waits for an answer in words.
func (t *turn) carryOut(ctx context.Context, in input) (answer sdk.PromptResponse, err error) {
	waiting := t.session.waitFor(parked{})
	e := t.session.agent.options.Engine
	switch {
	case in.command == commandUndo:
		return t.reverse(ctx, e.Undo, in.text)
	case in.command == commandRedo:
		return t.reverse(ctx, e.Redo, in.text)
	case in.command == commandResume:
		id, err := t.toResume(ctx, in.text)
		if err != nil {
			return answer, err
		}
		t.run, err = e.Resume(ctx, id, t, execution.Limits{})
		if err != nil {
			return answer, err
		}
	case in.command == "" && waiting.run != "":
		t.reply, t.answers = in.text, waiting.question
		if t.run, err = e.Resume(ctx, waiting.run, t, execution.Limits{}); err != nil {
			return answer, err
		}
	default:
		r, err := t.request(ctx, in)
		if err != nil {
			return answer, err
		}
		if t.run, err = e.Start(r); err != nil {
			return answer, err
		}
	}
	return t.follow(ctx)
}

// request makes the engine's request of a prompt.
func (t *turn) request(ctx context.Context, in input) (engine.Request, error) {
	args := &api.RunArgs{Task: in.text, Plan: in.command == commandPlan}
	switch in.command {
	case commandAsk:
		args.Recipe = string(mode.Ask)
	case commandReview:
		if in.focus.Path == "" && (len(in.files) > 1 || len(strings.Fields(in.text)) == 1) {
			return engine.Request{}, fmt.Errorf("nothing was started: /review takes one file of the folder, or nothing, and not %q", in.text)
		}
		args.Recipe = string(mode.Review)
		args.Task = "Review " + cmp.Or(in.focus.Path, "what is not committed yet") + "."
	case commandSpec:
		args.Recipe = string(recipeSpec)
	case commandRun:
		args.Recipe = string(mode.Implement)
	}
	r, err := service.RunRequest(args)
	if err != nil {
		return r, err
	}
	if r.Snapshot, err = t.session.snapshot(ctx, in.files); err != nil {
		return r, fmt.Errorf("nothing was started: %w", err)
	}
	r.Focus, r.Asker, r.Mode, r.Thread = in.focus, t, t.session.chosenMode(), string(t.session.id)
	if in.command == "" && t.session.agent.options.Engine.Doubtful(ctx, r) {
		return t.settle(ctx, r)
	}
	return r, nil
}

// recipeSpec is the recipe of runs that write a specification.
const recipeSpec = mode.Recipe("spec")

// settle asks whether a request that reads like a question is one. Without an answer it is: an answer changes nothing.
func (t *turn) settle(ctx context.Context, r engine.Request) (engine.Request, error) {
	call := t.newCall("This reads like a question. Answer it, or change the folder?", sdk.ToolKindOther)
	choice, err := t.permit(ctx, call, []sdk.PermissionOption{
		{OptionId: "answer", Name: "Answer it; changes no file", Kind: sdk.PermissionOptionKindAllowOnce},
		{OptionId: "change", Name: "Change the folder", Kind: sdk.PermissionOptionKindAllowOnce},
	})
	t.finish(call, choice != "")
	r.Recipe = string(mode.Ask)
	if choice == "change" {
		r.Recipe = string(mode.Implement)
	}
	return r, err
}

// toResume returns the run to resume: the named one, or the newest of the session, or else of the folder, that can be resumed.
func (t *turn) toResume(ctx context.Context, id string) (string, error) {
	if id != "" {
		return id, nil
	}
	runs, err := t.session.agent.options.Engine.Resumable(ctx, t.session.root)
	if err != nil {
		return "", err
	}
	for _, run := range runs {
		if threadOf(run) == string(t.session.id) {
			return run.ID, nil
		}
	}
	if len(runs) == 0 {
		return "", fmt.Errorf("no run in %s can be resumed: none was interrupted, and no change of the last day is open", t.session.root)
	}
	return runs[0].ID, nil
}

// nodeAnswer is the node of a run that answers a question. What its model says is the answer.
const nodeAnswer = "answer"

// follow shows a run until it has ended, and then its result.
func (t *turn) follow(ctx context.Context) (sdk.PromptResponse, error) {
	stop := context.AfterFunc(ctx, func() { t.session.end(t.run) })
	defer stop()
	whole := context.WithoutCancel(ctx) // a cancelled run still has a last event, which ends the loop
	listened := make(chan struct{})
	go func() {
		defer close(listened)
		for d := range t.run.LiveText.Follow(whole) {
			if d.Node == nodeAnswer {
				t.hear(d)
			}
		}
	}()
	r := newReport(t, t.run.Log)
	for e := range t.run.Log.Follow(whole, t.run.Resumed) {
		r.see(e)
	}
	<-listened
	result, err := t.run.Wait(whole)
	if err != nil {
		return sdk.PromptResponse{}, err
	}
	now := t.run.Log.Standing()
	t.session.spend(t.run.ID, now.Spent.Cost.MicroUSD)
	answer := sdk.PromptResponse{StopReason: stopReason(result, r.failure), Usage: usageOf(now.Spent)}
	if ctx.Err() != nil {
		return answer, nil // the session reports it as cancelled
	}
	if unused := t.unused(); unused != "" {
		t.say("Your answer was not used, because the run asked no question that it is for: " + inert.OneLine(unused, 200))
	}
	return answer, t.present(ctx, result, now)
}

// present shows the result of a run: an answer, a review, a reason, and what can be applied.
func (t *turn) present(ctx context.Context, result execution.Result, now event.Standing) error {
	reads := now.Way.Recipe == string(mode.Review)
	switch {
	case result.Answer != "":
		t.answer(result.Answer)
	case result.Review != nil && reads:
		t.say(reportText(*result.Review))
	case now.Spec > 0 && result.Proposal == nil && result.State == event.Succeeded:
		t.say(fmt.Sprintf("The specification has version %d.", now.Spec))
	}
	if result.State != event.Succeeded && result.Reason != "" {
		t.say(fmt.Sprintf("The run is %s: %s", result.State, inert.Text(result.Reason)))
	}
	if result.Proposal == nil {
		return nil
	}
	if suite := result.Suite; suite != nil && suite.Wanted {
		suite.Start(nil) // the tests that the change does not concern run while the user decides
		defer func() {
			suite.Cancel()
			t.say(inert.Text(suite.Result().Text))
		}()
	}
	return t.offer(ctx, result.Proposal)
}

// reverse undoes or redoes a change.
func (t *turn) reverse(ctx context.Context, propose func(ctx context.Context, root, id string) (*proposal.Proposal, error), id string) (sdk.PromptResponse, error) {
	done := sdk.PromptResponse{StopReason: sdk.StopReasonEndTurn}
	p, err := propose(ctx, t.session.root, id)
	if err != nil {
		t.say(inert.Text(err.Error()))
		return done, nil
	}
	t.say(inert.Text(p.Title))
	return done, t.offer(ctx, p)
}

// stopReason maps the end of a run to the reasons of the protocol. A run that failed for another reason has ended its turn: its text
// says why.
func stopReason(result execution.Result, failure llm.Kind) sdk.StopReason {
	if result.State == event.Blocked || result.State == event.Failed {
		switch failure {
		case llm.KindBudget, llm.KindOverflow, llm.KindLength:
			return sdk.StopReasonMaxTokens
		case llm.KindRefused:
			return sdk.StopReasonRefusal
		}
	}
	return sdk.StopReasonEndTurn
}

// usageOf returns what a run has used.
func usageOf(s event.Spent) *sdk.Usage {
	u := s.Usage
	return &sdk.Usage{
		InputTokens: u.Input, OutputTokens: u.Output, CachedReadTokens: &u.CacheRead, CachedWriteTokens: &u.CacheWrite,
		TotalTokens: u.Input + u.Output + u.CacheRead + u.CacheWrite,
	}
}

// hear passes on a piece of an answer. If a model restarts its answer, the earlier text stays visible.
func (t *turn) hear(d event.Delta) {
	t.mu.Lock()
	again := d.At == 0 && t.heard.Len() > 0
	if again {
		t.heard.Reset()
	}
	t.heard.WriteString(d.Text)
	t.mu.Unlock()
	if again {
		t.say("\n\nThe model restarted its answer:")
	}
	t.session.update(sdk.UpdateAgentMessageText(d.Text))
}

// answer shows the part of an answer that was not passed on while the model wrote it.
func (t *turn) answer(whole string) {
	t.mu.Lock()
	heard := t.heard.String()
	t.mu.Unlock()
	if rest, begun := strings.CutPrefix(whole, strings.TrimRight(heard, "\n")); begun && heard != "" {
		t.say(rest)
		return
	}
	t.say(whole)
}

// say shows a paragraph.
func (t *turn) say(paragraph string) {
	t.session.update(sdk.UpdateAgentMessageText(paragraph + "\n\n"))
}

// newCall returns a tool call of the turn, which the client does not know yet.
func (t *turn) newCall(title string, kind sdk.ToolKind) *sdk.SessionUpdateToolCall {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls++
	return &sdk.SessionUpdateToolCall{
		ToolCallId: sdk.ToolCallId(fmt.Sprintf("%s-%d", t.id, t.calls)), Title: title, Kind: kind, Status: sdk.ToolCallStatusPending,
	}
}

// show shows a tool call, once.
func (t *turn) show(call *sdk.SessionUpdateToolCall) {
	t.mu.Lock()
	known := t.shown[call.ToolCallId]
	if t.shown == nil {
		t.shown = map[sdk.ToolCallId]bool{}
	}
	t.shown[call.ToolCallId] = true
	t.mu.Unlock()
	if !known {
		t.session.update(sdk.SessionUpdate{ToolCall: call})
	}
}

// finish ends a tool call. What the client shows of it stays, and a text is added if there is one.
func (t *turn) finish(call *sdk.SessionUpdateToolCall, well bool, notes ...string) {
	status := sdk.ToolCallStatusFailed
	if well {
		status = sdk.ToolCallStatusCompleted
	}
	options := []sdk.ToolCallUpdateOpt{sdk.WithUpdateStatus(status)}
	if len(notes) > 0 {
		content := call.Content
		for _, note := range notes {
			content = append(content, text(note))
		}
		options = append(options, sdk.WithUpdateContent(content))
	}
	t.session.update(sdk.UpdateToolCall(call.ToolCallId, options...))
}

// text is a text as the content of a tool call.
func text(s string) sdk.ToolCallContent { return sdk.ToolContent(sdk.TextBlock(s)) }
