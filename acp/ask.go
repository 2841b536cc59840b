package acp

import (
	"context"
	"slices"
	"strings"

	sdk "github.com/coder/acp-go-sdk"

	"forge/engine/event"
	"forge/internal/inert"
)

// ownWords is the option to answer a question in words, with the next prompt.
const ownWords = "forge-own-words"

// Ask puts a question of a run to the user, as a permission for a tool call. A question that is not answered parks the run. If the
// user wants to answer in words, the run parks too, and the next prompt answers.
func (t *turn) Ask(ctx context.Context, q event.Question) (event.Answer, error) {
	if reply := t.takeReply(q); reply != "" {
		if id, is := q.Chosen(reply); is {
			return event.Answer{Choice: id}, nil
		}
		return event.Answer{Choice: q.Default, Text: reply}, nil
	}
	call := t.newCall(inert.OneLine(q.Title, 300), kindOfQuestion(q.Kind))
	if detail := strings.TrimSpace(q.Detail); detail != "" {
		call.Content = []sdk.ToolCallContent{text(inert.Text(detail))}
	}
	choice, err := t.permit(ctx, call, optionsOf(q))
	if err != nil {
		return event.Answer{}, err
	}
	t.finish(call, choice != "" && choice != ownWords && kindOfChoice(q, choice) != sdk.PermissionOptionKindRejectOnce)
	switch choice {
	case ownWords:
		t.session.waitFor(parked{q.RunID, q.ID})
		t.say("Write " + q.FreeText + ": your next message answers the question, and the run continues.")
		return event.Answer{}, event.ErrNoAnswer
	case "":
		return event.Answer{}, event.ErrNoAnswer
	}
	return event.Answer{Choice: choice}, nil
}

// takeReply returns the user's words for the first question that accepts some; empty if there are none. A yes or a no is only for the question that they
// were written for: it may be consent to what the user has not seen.
func (t *turn) takeReply(q event.Question) (reply string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, is := q.Chosen(t.reply); q.FreeText != "" && (!is || q.ID == t.answers) {
		reply, t.reply = t.reply, ""
	}
	return reply
}

// unused returns the user's words if no question has taken them.
func (t *turn) unused() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reply
}

func kindOfQuestion(k event.QuestionKind) sdk.ToolKind {
	switch k {
	case event.AskTrust, event.AskUnconfined, event.AskPermission:
		return sdk.ToolKindExecute
	case event.AskApproval, event.AskClarification, event.AskUnblock:
	}
	return sdk.ToolKindOther
}

// optionsOf are the choices of a question as the client shows them.
func optionsOf(q event.Question) (options []sdk.PermissionOption) {
	for _, c := range q.Choices {
		options = append(options, sdk.PermissionOption{OptionId: sdk.PermissionOptionId(c.ID), Name: inert.OneLine(c.Title, 200), Kind: kindOfChoice(q, c.ID)})
	}
	if q.FreeText != "" {
		options = append(options, sdk.PermissionOption{OptionId: ownWords, Name: "Write " + q.FreeText, Kind: sdk.PermissionOptionKindRejectOnce})
	}
	return options
}

// refusals are the choices that reject, in questions whose default does not.
var refusals = []string{"no", "deny", "reject", "stop"}

// kindOfChoice returns what a choice means to the client, which may choose by itself. The careful choice of a question of consent
// rejects.
func kindOfChoice(q event.Question, choice string) sdk.PermissionOptionKind {
	consent := q.Kind == event.AskTrust || q.Kind == event.AskApproval || q.Kind == event.AskPermission || q.Kind == event.AskUnconfined
	switch {
	case consent && choice == q.Default, slices.Contains(refusals, choice):
		return sdk.PermissionOptionKindRejectOnce
	case q.Kind == event.AskPermission && choice != "allow":
		return sdk.PermissionOptionKindAllowAlways
	}
	return sdk.PermissionOptionKindAllowOnce
}

// permit asks the client about a tool call, and returns the chosen option. It is empty if the client chose none, or one that does not
// exist, or cannot ask. ctx ends with the turn; the error is that of ctx.
func (t *turn) permit(ctx context.Context, call *sdk.SessionUpdateToolCall, options []sdk.PermissionOption) (string, error) {
	t.show(call)
	answer, err := t.session.agent.conn.RequestPermission(ctx, sdk.RequestPermissionRequest{
		SessionId: t.session.id, Options: options, ToolCall: sdk.ToolCallUpdate{
			ToolCallId: call.ToolCallId, Title: &call.Title, Kind: &call.Kind, Status: &call.Status, Content: call.Content, Locations: call.Locations, RawInput: call.RawInput,
		},
	})
	if t.over() { // a question that ends with the turn was not left unanswered
		<-ctx.Done()
	}
	switch {
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		t.session.agent.log.Warn("the client did not answer a question", "why", err)
		return "", nil
	case answer.Outcome.Selected == nil:
		return "", nil
	}
	chosen := answer.Outcome.Selected.OptionId
	if !slices.ContainsFunc(options, func(o sdk.PermissionOption) bool { return o.OptionId == chosen }) {
		return "", nil
	}
	return string(chosen), nil
}
