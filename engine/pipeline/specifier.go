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
	"forge/internal/lazyregexp"
	"forge/patch"
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

const writeSpecInstructions = `You maintain the specification of a code base: what must hold, stated so that tests can check it. You do not write code.
If there is a previous version, update it: keep everything that is correct and not affected by the request, word for word.
Answer with one JSON object:
- "spec": the whole specification in Markdown, with headings; behaviour, edge cases, errors, names and signatures.
- "changelog": one line that tells a reader of the previous version what changed, such as "Refunds are rounded half to
  even." Do not mention version numbers.
- "removed": headings of the previous version that you removed on purpose; usually empty.
- "questions": normally empty. At most three questions, only if the request can be understood in ways that lead to
  different behaviour; each with two to four "choices", the safest first. If you ask, leave "spec" and "changelog"
  empty: you are asked again, with the answers.`

const specTokens = 8192

// edition is the answer of the specification's model: a version of the folder's specification.
type edition struct {
	Spec      string               `json:"spec" jsonschema:"Markdown, empty when there are questions"`
	Changelog string               `json:"changelog" jsonschema:"one line, empty when there are questions"`
	Removed   []string             `json:"removed,omitempty" jsonschema:"headings that are gone on purpose"`
	Questions []work.Clarification `json:"questions,omitempty" jsonschema:"at most three"`
}

// writeSpec writes a version of the folder's specification, and appends it if the user agrees. It never overwrites: if another
// process has appended a version since, it fails.
func (sp *specifier) writeSpec(ctx context.Context, n graph.Node) graph.Outcome {
	now, err := step.ActivitySpec.Call(ctx, sp.run.Flow, work.At(n), "current", step.Latest{})
	if err != nil {
		return work.Failed("read the specification as it is", err)
	}
	next, o := sp.draftEdition(ctx, n, now)
	if o != nil {
		return *o
	}
	if next.Spec == now.Text {
		sp.run.Finish(fmt.Sprintf("version %d already states that: nothing was appended", now.Version))
		return graph.Outcome{Status: graph.Done, Reason: sp.run.Finished}
	}
	kept, err := step.ActivityKeep.Call(ctx, sp.run.Flow, work.At(n), "keep", step.SpecVersion{Version: now.Version + 1, Prompt: sp.run.Task.Text, Text: next.Spec, Changelog: next.Changelog})
	if err != nil {
		return graph.Outcome{Status: graph.Blocked, Reason: fmt.Sprintf("the specification was not stored: %v. Run again to update the current version", err)}
	}
	sp.run.Emit(event.SpecKept{Version: kept.Version, Changelog: kept.Changelog})
	sp.run.Finish(fmt.Sprintf("version %d of the specification: %s", kept.Version, kept.Changelog))
	return graph.Outcome{Status: graph.Done}
}

// draftEdition has versions written until the user agrees with one; an outcome is the end without one.
func (sp *specifier) draftEdition(ctx context.Context, n graph.Node, now step.SpecVersion) (edition, *graph.Outcome) {
	files, err := sp.prompter.Context(ctx, n, "context", sp.run.Folder())
	if err != nil {
		o := work.Failed("gather what the specification is of", err)
		return edition{}, &o
	}
	var said []prompt.Section
	for draft := 1; ; draft++ {
		next, o := sp.edition(ctx, n, draft, now, slices.Concat(files, said))
		if o.Signal != step.Success {
			ending := work.Outcome(o, graph.Normal)
			return next, &ending
		}
		if len(next.Questions) > 0 {
			given, err := sp.questions.Clarify(ctx, n, next.Questions)
			if err != nil {
				ending := work.Unanswered(ctx, err)
				return next, &ending
			}
			said = append(said, prompt.Section{Kind: prompt.Errors, Name: answersName, Text: given})
			continue
		}
		feedback, approval := sp.agree(ctx, n, now, next)
		if feedback == "" && approval.Status == graph.Done {
			return next, nil
		}
		if feedback == "" {
			return next, &approval
		}
		said = append(said,
			prompt.Section{Kind: prompt.Errors, Name: "Your last specification", Text: next.Spec, Data: true},
			prompt.Section{Kind: prompt.Errors, Name: "Changes that the user asks for", Text: feedback})
	}
}

// answersName is the name of the section with the user's answers.
const answersName = "Answers to your questions"

// edition asks for a version. After the user has answered, it accepts no more questions.
func (sp *specifier) edition(ctx context.Context, n graph.Node, draft int, now step.SpecVersion, sections []prompt.Section) (edition, step.Outcome) {
	mayAsk := !slices.ContainsFunc(sections, func(s prompt.Section) bool { return s.Name == answersName }) && draft == 1
	if now.Version > 0 {
		sections = append(sections, prompt.Section{
			Kind: prompt.Request, Name: fmt.Sprintf("The specification as it is, version %d", now.Version), Text: now.Text, Data: true,
		})
	}
	next, o := work.Decide(ctx, sp.budget, n, step.Step[edition]{
		Name: "specification", Key: fmt.Sprintf("edition %d", draft), MaxTokens: specTokens,
		Document: sp.prompter.Compose(n.ID, writeSpecInstructions, sections...),
		Check:    func(e edition) error { return e.check(now, mayAsk) },
	})
	next.Spec = strings.TrimSpace(next.Spec) + "\n"
	if strings.TrimSpace(next.Spec) == strings.TrimSpace(now.Text) {
		next.Spec = now.Text
	}
	next.Changelog = strings.TrimSpace(next.Changelog)
	return next, o
}

func (e edition) check(now step.SpecVersion, mayAsk bool) error {
	if len(e.Questions) > 0 {
		return checkQuestions(e.Questions, mayAsk)
	}
	if strings.TrimSpace(e.Spec) == "" {
		return errors.New(`"spec" must not be empty when there are no questions`)
	}
	return errors.Join(checkChangelog(e.Changelog), e.checkKept(now.Text))
}

// saysNothing matches a changelog without information.
var saysNothing = lazyregexp.New(`(?i)^\W*(the |an? )?((first|initial|new|next|second|current|latest) )?(v(er(sion)?)?\W*[\d.]*|updates?d?( (the )?spec(ification)?)?|changes?d?|spec(ification)?|draft|n/?a|none|todo|various( changes)?)\W*[\d.]*\W*$`)

// maxChangelog limits the changelog line, in characters.
const maxChangelog = 160

func checkChangelog(line string) error {
	line = strings.TrimSpace(line)
	switch {
	case line == "":
		return errors.New(`"changelog" must state in one line what this version changes`)
	case strings.ContainsAny(line, "\n\r"):
		return errors.New(`"changelog" is one line: state what matters most`)
	case len([]rune(line)) > maxChangelog:
		return fmt.Errorf(`"changelog" has more than %d characters: state what matters most`, maxChangelog)
	case saysNothing.MatchString(line):
		return fmt.Errorf(`"changelog" is %q, which describes no change: state what must hold now that did not before`, line)
	}
	return nil
}

// checkKept rejects a version that silently lost a part of the previous one.
func (e edition) checkKept(before string) error {
	there := headings(e.Spec)
	var lost []string
	for _, h := range headings(before) {
		if !slices.Contains(there, h) && !slices.Contains(e.removedHeadings(), h) {
			lost = append(lost, fmt.Sprintf("%q", h))
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return fmt.Errorf(`the version before has %s, and yours has not: keep what the request does not touch, or name it in "removed"`, strings.Join(lost, ", "))
}

func (e edition) removedHeadings() (all []string) {
	for _, h := range e.Removed {
		all = append(all, heading(h))
	}
	return all
}

// headings returns the headings of a Markdown text, outside of fenced code.
func headings(text string) (all []string) {
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if !fenced && strings.HasPrefix(line, "#") {
			all = append(all, heading(line))
		}
	}
	return all
}

func heading(line string) string {
	return strings.ToLower(strings.TrimSpace(strings.Trim(strings.TrimSpace(line), "#")))
}

// agree lets the user approve a version before it is appended: an update is shown as a diff.
func (sp *specifier) agree(ctx context.Context, n graph.Node, now step.SpecVersion, next edition) (feedback string, o graph.Outcome) {
	if !sp.run.Task.ApproveSpec || next.Spec == now.Text {
		return "", graph.Outcome{Status: graph.Done}
	}
	q := event.Question{Title: "Keep this as the specification? " + next.Changelog, Detail: next.Spec}
	if now.Version > 0 {
		change := patch.FileChange{Kind: patch.Update, Path: "spec.md", Before: now.Text, After: next.Spec}
		q.Title = fmt.Sprintf("Append version %d of the specification? %s", now.Version+1, next.Changelog)
		q.Detail = "```diff\n" + patch.Unified(change, 3) + "```"
	}
	return sp.questions.Consent(ctx, n, q, "Keep", "specification", "generated")
}
