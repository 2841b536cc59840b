package work

import (
	"context"
	"fmt"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/step"
)

// Questions asks the user questions.
type Questions struct {
	run      *Run
	job      *Job
	asked    int    // questions so far
	Declined string // what the user rejected, and the consequence; usually empty
}

// Ask asks the user a question, and reports the answer. The activity reports that the question is open.
func (qs *Questions) Ask(ctx context.Context, n graph.Node, q event.Question) (event.Answer, error) {
	qs.asked++
	q.ID, q.RunID = qs.Last(), qs.run.Flow.RunID()
	answer, err := step.ActivityAsk.Wait(ctx, qs.run.Flow, At(n), "question/"+q.ID, q)
	qs.run.Emit(event.Answered{QuestionID: q.ID, Choice: answer.Choice, Text: answer.Text})
	return answer, err
}

// Skip leaves out the ids of n questions.
func (qs *Questions) Skip(n int) { qs.asked += n }

// Last returns the id of the last question.
func (qs *Questions) Last() string { return qs.job.Node(fmt.Sprintf("q%d", qs.asked)) }

// Consent asks the user for approval: the choice "approve". A rejection with a text is feedback for another draft; one without ends
// the run, and declined describes the consequence. what names the subject, for the user.
func (qs *Questions) Consent(ctx context.Context, n graph.Node, q event.Question, yes, what, declined string) (feedback string, o graph.Outcome) {
	q.Kind, q.Default, q.FreeText = event.AskApproval, "reject", "what should be different"
	q.Choices = []event.Choice{{ID: "approve", Title: yes}, {ID: "reject", Title: "Reject"}}
	answer, err := qs.Ask(ctx, n, q)
	switch {
	case err != nil:
		return "", Unanswered(ctx, err)
	case answer.Choice == "approve":
		return "", graph.Outcome{Status: graph.Done}
	case strings.TrimSpace(answer.Text) == "":
		qs.Declined = "the " + what + " was not approved, so nothing was " + declined
	}
	return strings.TrimSpace(answer.Text), graph.Outcome{Status: graph.Blocked, Reason: "the " + what + " was not approved"}
}

// Clarify asks the user the model's questions. The first choice is the careful one.
func (qs *Questions) Clarify(ctx context.Context, n graph.Node, questions []Clarification) (string, error) {
	var given strings.Builder
	for _, q := range questions {
		choices := make([]event.Choice, len(q.Choices))
		for i, title := range q.Choices {
			choices[i] = event.Choice{ID: fmt.Sprint(i + 1), Title: title}
		}
		answer, err := qs.Ask(ctx, n, event.Question{Kind: event.AskClarification, Title: q.Question, Choices: choices, Default: "1", FreeText: OwnAnswer})
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&given, "- %s %s\n", q.Question, Wording(answer, choices))
	}
	return given.String(), nil
}

// Wording returns an answer in words: the user's own, or the title of the choice.
func Wording(a event.Answer, choices []event.Choice) string {
	for _, c := range choices {
		if a.Text == "" && c.ID == a.Choice {
			return c.Title
		}
	}
	return a.Text
}

// OwnAnswer describes the user's own text when a model offers choices.
const OwnAnswer = "an answer of your own"

// AskAboutTests asks whether the run continues if there are tests and none can be executed: then its result is not verified.
// Missing programs were already asked about.
func (qs *Questions) AskAboutTests(ctx context.Context, n graph.Node, why string) graph.Outcome {
	if why == "" {
		return graph.Outcome{Status: graph.Done}
	}
	answer, err := qs.Ask(ctx, n, event.Question{
		Kind: event.AskUnblock, Title: "No test can be executed here, so a change will not be verified. Continue?", Detail: why, Default: "go on",
		Choices: []event.Choice{{ID: "go on", Title: "Continue, and mark the change as not verified"}, {ID: "stop", Title: "Stop"}},
	})
	switch {
	case err != nil:
		return Unanswered(ctx, err)
	case answer.Choice == "stop":
		return graph.Outcome{Status: graph.Blocked, Reason: "stopped: no test can be executed here: " + strings.ReplaceAll(why, "\n", "; ")}
	}
	return graph.Outcome{Status: graph.Done, Reason: "no test can be executed here, so the change will not be verified: " + strings.ReplaceAll(why, "\n", "; ")}
}

// AskAboutLacks asks whether the run continues without gates. again means that the user has installed the missing programs.
func (qs *Questions) AskAboutLacks(ctx context.Context, n graph.Node, lacks []step.Lack) (again bool, o graph.Outcome) {
	var gates []string
	var missing []gate.Missing
	whole := 0 // how many gates cannot run at all
	for _, l := range lacks {
		gates, missing = append(gates, l.Gate), append(missing, l.Missing)
		if !l.Partly {
			whole++
		}
	}
	said := strings.Join(gate.Sentences(missing), "\n")
	q := event.Question{
		Kind: event.AskUnblock, Title: fmt.Sprintf("%s cannot run here. Continue without?", strings.Join(gates, ", ")), Detail: said, Default: "go on",
		Choices: []event.Choice{
			{ID: "go on", Title: "Continue without them; a change that they concern is marked as not checked"},
			{ID: "again", Title: "I have installed it: check again"},
			{ID: "stop", Title: "Stop"},
		},
	}
	how := "cannot run"
	switch {
	case whole == 0:
		how = "cannot run in full"
		q.Title, q.Choices[0].Title = fmt.Sprintf("%s cannot run in full here. Continue?", strings.Join(gates, ", ")), "Continue: what needs it fails, and is not checked"
	case whole == len(qs.run.Project.Required()):
		q.Default = "stop"
	}
	answer, err := qs.Ask(ctx, n, q)
	switch {
	case err != nil:
		return false, Unanswered(ctx, err)
	case answer.Choice == "again":
		return true, o
	case answer.Choice == "stop":
		return false, graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("stopped before a model was called: %s %s: %s", strings.Join(gates, ", "), how, strings.ReplaceAll(said, "\n", "; "))}
	}
	return false, graph.Outcome{Status: graph.Done}
}

// Clarification is a question of a model.
type Clarification struct {
	Question string   `json:"question"`
	Choices  []string `json:"choices" jsonschema:"two to four"`
}
