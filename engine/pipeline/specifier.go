package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/dialogue"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
)

// specifier writes specifications: of a change before it is made, or of the whole folder.
type specifier struct {
	run       *work.Run
	budget    *work.Budget
	questions *work.Questions
	prompter  *dialogue.Prompter

	approved work.Spec // the approved requirements of the change
}

const specInstructions = `You write the specification of a change to a code base: what must hold afterwards, stated so that tests can
check it. You do not write code. Answer with one JSON object:
- "title": the change in at most ten words.
- "spec": Markdown; behaviour, edge cases, errors, names and signatures; at most one page.
- "questions": normally empty. At most three questions, only if the request can be understood in ways that
  lead to different code; each with two to four "choices", the safest first. If you ask, leave
  "spec" empty: you are asked again, with the answers.`

const maxQuestions = 3

// specification is the spec generator's answer.
type specification struct {
	Title     string               `json:"title" jsonschema:"the change in at most ten words"`
	Spec      string               `json:"spec" jsonschema:"Markdown, empty when there are questions"`
	Questions []work.Clarification `json:"questions" jsonschema:"at most three"`
}

// specify has the specification written, asks the user the model's questions, and asks for approval.
func (sp *specifier) specify(ctx context.Context, n graph.Node) graph.Outcome {
	var said []prompt.Section // the user's answers, and feedback on earlier drafts
	for draft := 1; ; draft++ {
		s, o := sp.draft(ctx, n, draft, said)
		if o.Signal != step.Success {
			return work.Outcome(o, graph.Normal)
		}
		if len(s.Questions) > 0 {
			given, err := sp.questions.Clarify(ctx, n, s.Questions)
			if err != nil {
				return work.Unanswered(ctx, err)
			}
			said = append(said, prompt.Section{Kind: prompt.Errors, Name: answersName, Text: given})
			continue
		}
		sp.run.Spec = s.Spec
		feedback, approval := sp.approve(ctx, n, s)
		if approval.Status == graph.Done {
			sp.approved = work.Spec{Title: s.Title, Text: s.Spec}
		}
		if feedback == "" {
			return approval
		}
		said = append(said,
			prompt.Section{Kind: prompt.Errors, Name: "Your last specification", Text: s.Spec, Data: true},
			prompt.Section{Kind: prompt.Errors, Name: "Changes that the user asks for", Text: feedback})
	}
}

// draft asks for the specification. After the user has answered, it accepts no more questions.
func (sp *specifier) draft(ctx context.Context, n graph.Node, draft int, said []prompt.Section) (specification, step.Outcome) {
	files, err := sp.prompter.Context(ctx, n, "context", sp.run.Folder())
	if err != nil {
		return specification{}, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	asked := len(said) > 0
	return work.Decide(ctx, sp.budget, n, step.Step[specification]{
		Name: "specification", Key: fmt.Sprintf("draft %d", draft), MaxTokens: 4096,
		Document: sp.prompter.Compose(n.ID, specInstructions, slices.Concat(files, said)...),
		Check:    func(s specification) error { return s.check(!asked) },
	})
}

func (s specification) check(mayAsk bool) error {
	if len(s.Questions) == 0 {
		if strings.TrimSpace(s.Spec) == "" || strings.TrimSpace(s.Title) == "" {
			return errors.New(`"title" and "spec" must not be empty when there are no questions`)
		}
		return nil
	}
	return checkQuestions(s.Questions, mayAsk)
}

func checkQuestions(questions []work.Clarification, mayAsk bool) error {
	if !mayAsk {
		return errors.New("your questions were answered: write the specification, and ask nothing more")
	}
	if len(questions) > maxQuestions {
		return fmt.Errorf("%d questions are too many: ask at most %d", len(questions), maxQuestions)
	}
	for _, q := range questions {
		if q.Question == "" || len(q.Choices) < 2 || len(q.Choices) > 4 {
			return errors.New(`each question needs a text and two to four "choices"`)
		}
	}
	return nil
}

// approve lets the user approve the specification before it is used.
func (sp *specifier) approve(ctx context.Context, n graph.Node, s specification) (feedback string, o graph.Outcome) {
	if !sp.run.Task.ApproveSpec {
		return "", graph.Outcome{Status: graph.Done}
	}
	q := event.Question{Title: "Implement this specification? " + s.Title, Detail: s.Spec}
	return sp.questions.Consent(ctx, n, q, "Implement", "specification", "generated")
}
