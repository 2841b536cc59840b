package pipeline

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/ask"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
)

// questions puts questions to the user.
type questions struct {
	run      *run
	job      *job
	asked    int    // questions so far
	declined string // what the user did not want, and what that means; empty otherwise
}

// ask puts a question to the user, and reports that it is closed. The activity reports that it is open.
func (qs *questions) ask(ctx context.Context, n graph.Node, q ask.Question) (ask.Answer, error) {
	qs.asked++
	q.ID, q.RunID = qs.job.node(fmt.Sprintf("q%d", qs.asked)), qs.run.Flow.RunID()
	answer, err := step.ActivityAsk.Wait(ctx, qs.run.Flow, at(n), "question/"+q.ID, q)
	qs.run.Tell(event.Answered{QuestionID: q.ID, Choice: answer.Choice, Text: answer.Text})
	return answer, err
}

// consent asks the user whether something may be gone on with: the choice "approve". A rejection that says what should be different is
// feedback, for another draft; one that does not is the end, and declined says what that means. what is what was asked about, for the user.
func (qs *questions) consent(ctx context.Context, n graph.Node, q ask.Question, yes, what, declined string) (feedback string, o graph.Outcome) {
	q.Kind, q.Default, q.FreeText = ask.Approve, "reject", "what should be different"
	q.Choices = []ask.Choice{{ID: "approve", Title: yes}, {ID: "reject", Title: "Reject"}}
	answer, err := qs.ask(ctx, n, q)
	switch {
	case err != nil:
		return "", unanswered(ctx, err)
	case answer.Choice == "approve":
		return "", graph.Outcome{Status: graph.Done}
	case strings.TrimSpace(answer.Text) == "":
		qs.declined = "the " + what + " was not approved, so nothing was " + declined
	}
	return strings.TrimSpace(answer.Text), graph.Outcome{Status: graph.Blocked, Reason: "the " + what + " was not approved"}
}

// clarify puts the model's questions to the user. The first choice is the careful one.
func (qs *questions) clarify(ctx context.Context, n graph.Node, questions []clarification) (string, error) {
	var given strings.Builder
	for _, q := range questions {
		choices := make([]ask.Choice, len(q.Choices))
		for i, title := range q.Choices {
			choices[i] = ask.Choice{ID: fmt.Sprint(i + 1), Title: title}
		}
		answer, err := qs.ask(ctx, n, ask.Question{Kind: ask.Clarify, Title: q.Question, Choices: choices, Default: "1", FreeText: ownAnswer})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&given, "- %s %s\n", q.Question, wording(answer, choices))
	}
	return given.String(), nil
}

// wording is an answer in words: the user's own, or the title of the choice.
func wording(a ask.Answer, choices []ask.Choice) string {
	for _, c := range choices {
		if a.Text == "" && c.ID == a.Choice {
			return c.Title
		}
	}
	return a.Text
}

// ownAnswer is what the user may write where a model offers choices.
const ownAnswer = "an answer of your own"

// askAboutTests asks whether the run goes on where there are tests and none can be executed: its result will not be verified, and that
// is worth nothing to some users. A program that is missing was asked about already.
func (qs *questions) askAboutTests(ctx context.Context, n graph.Node, why string) graph.Outcome {
	if why == "" {
		return graph.Outcome{Status: graph.Done}
	}
	answer, err := qs.ask(ctx, n, ask.Question{
		Kind: ask.Unblock, Title: "No test can be executed here, so a change will not be verified. Go on?", Detail: why, Default: "go on",
		Choices: []ask.Choice{{ID: "go on", Title: "Go on, and show me the change as not verified"}, {ID: "stop", Title: "Stop"}},
	})
	switch {
	case err != nil:
		return unanswered(ctx, err)
	case answer.Choice == "stop":
		return graph.Outcome{Status: graph.Blocked, Reason: "stopped before anything was written: no test can be executed here: " + strings.ReplaceAll(why, "\n", "; ")}
	}
	return graph.Outcome{Status: graph.Done, Reason: "no test can be executed here, so the change will not be verified: " + strings.ReplaceAll(why, "\n", "; ")}
}

// askAboutLacks asks whether the run goes on without gates. again is that the user has installed what is missing.
func (qs *questions) askAboutLacks(ctx context.Context, n graph.Node, lacks []step.Lack) (again bool, o graph.Outcome) {
	var gates []string
	var missing []gate.Missing
	for _, l := range lacks {
		gates, missing = append(gates, l.Gate), append(missing, l.Missing)
	}
	said := strings.Join(gate.Sentences(missing), "\n")
	q := ask.Question{
		Kind: ask.Unblock, Title: fmt.Sprintf("%s cannot run here. Go on without?", strings.Join(gates, ", ")), Detail: said, Default: "go on",
		Choices: []ask.Choice{
			{ID: "go on", Title: "Go on, and show me the change as not checked by these"},
			{ID: "again", Title: "I have installed it: look again"},
			{ID: "stop", Title: "Stop"},
		},
	}
	if len(lacks) == len(qs.run.Project.required()) {
		q.Default = "stop"
	}
	answer, err := qs.ask(ctx, n, q)
	switch {
	case err != nil:
		return false, unanswered(ctx, err)
	case answer.Choice == "again":
		return true, o
	case answer.Choice == "stop":
		return false, graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("stopped before a model was asked: %s cannot run: %s", strings.Join(gates, ", "), strings.ReplaceAll(said, "\n", "; "))}
	}
	return false, graph.Outcome{Status: graph.Done}
}

type clarification struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices" jsonschema:"two to four"`
}
