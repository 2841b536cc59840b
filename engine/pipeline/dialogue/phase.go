// Package dialogue is the exchange with models: the documents that they see, and how the answers of writing models become edits.
//
//	Prompter   brief, request and files as sections, in one order for all nodes of a run
//	Phase      one thing that an attempt asks for: completion after completion, each a whole document that begins as the one before it
//	Answer     files, edits, patches, renames and requests of one completion; what may not be is sent back with the reason
//
// Invariants: the beginning of a phase's documents never changes; an edit is in the tree of the attempt only if all rules of judge
// allow it; a file that the model has not seen is not replaced.
package dialogue

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/graph"
	"forge/engine/llm"
	"forge/engine/mode"
	"forge/engine/permission"
	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// Phase is one task of the model in an attempt: tests, or the implementation. Each completion gets one document: the
// phase's beginning, which never changes, followed by the results of earlier completions, which only grow. So the prefix
// has the same bytes in all completions.
type Phase struct {
	*work.Module
	promises *judge.Promises
	prompter *Prompter

	Node         graph.Node
	Name         string // of its steps, and of the model's result
	Instructions string
	InCode       string // follows the instructions if a file of code with tests or examples in it is shown
	Profile      mode.Profile
	Guard        guard
	ThroughTests bool // renames may go through tests that edits may not touch
	// Demands reports whether an answer without edits is a fault, until the user has answered a question of the phase; nil means that it is none.
	Demands func(context.Context) (bool, error)

	Aftermath   []prompt.Section // the last sections of its document: the failure of the previous attempt
	document    prompt.Document
	Log         []prompt.Section // the results of earlier completions
	Explanation string           // the model's last explanation
	heard       int              // number of tool results in the log
	rounds      int              // how often Once has shown what the model asked for
	sent        llm.Manifest     // the parts of the request whose answer is checked
	// unanswered is the number of the model's questions that had no answer before the run was resumed.
	unanswered int
	circle     string // the call that the model makes over and over, and that was refused for it
	consulted  bool   // the user has answered a question of the phase in their own words
	waived     bool   // the user has chosen to go on without tests
	searched   int    // how often files of tests were looked for in a text
}

// NewPhase returns a phase of a module that has made no call yet.
func NewPhase(u *work.Module, promises *judge.Promises, prompter *Prompter) *Phase {
	return &Phase{Module: u, promises: promises, prompter: prompter}
}

// Waived reports whether the phase ended without tests because the user needs none: by a choice, or by an answer after which the model wrote none.
func (p *Phase) Waived() bool { return p.waived || p.consulted }

// WithoutTests reports whether the user has chosen to go on without tests.
func (p *Phase) WithoutTests() bool { return p.waived }

// open composes the document with which all completions of the phase begin.
func (p *Phase) open(ctx context.Context) step.Outcome {
	var err error
	p.document, err = p.opening(ctx)
	if err != nil {
		return step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	return step.Outcome{}
}

// demands returns an error for an answer that changes nothing and asks for nothing, if a change is demanded.
func (p *Phase) demands(ctx context.Context, a answer, changes bool) error {
	if p.Demands == nil || p.consulted || changes || len(a.Requests) > 0 {
		return nil
	}
	demanded, err := p.Demands(ctx)
	switch {
	case err != nil:
		return step.Broken(err)
	case demanded:
		return errNoTests
	}
	return nil
}

// completion calls the model once, after the log. Edits that do not fit the tree, or are not allowed, go back for a repair.
// key names the completion in its attempt; empty is the first one.
func (p *Phase) completion(ctx context.Context, key string) (answer, patch.ChangeSet, step.Outcome) {
	var changes patch.ChangeSet
	if o := p.Budget.Count(); o.Signal != step.Success {
		return answer{}, changes, o
	}
	files := p.Name
	if key != "" {
		key = p.Name + "/" + key
		files = key
	}
	ask := askFor[onceAnswer]
	if p.Profile == mode.ToolUse {
		ask = askFor[turnAnswer]
	}
	a, o := ask(ctx, p.Run.Env.Env, step.Step[answer]{
		Place: work.At(p.Node), Name: p.Name, Key: key, Document: p.document.With(p.Log...), MaxTokens: answerTokens,
		Refused: func(text string, _ answer) bool {
			again := p.refusedAgain(text, changes)
			changes = patch.ChangeSet{}
			return again
		},
		Sent: func(made llm.Manifest) { p.sent = made },
		Check: func(a answer) (err error) {
			changes, err = p.examine(ctx, files, a)
			return err
		},
	})
	if o.Signal == step.Success && a.Blocked != "" {
		return a, changes, o
	}
	p.Explanation = a.Explanation
	if p.Name == work.PhaseImplementation {
		p.Now.Work.Explain(a.Explanation, a.edits())
	}
	p.Now.Work.AddConcern(a.Concerns...)
	return a, changes, o
}

// examine returns the changes of an answer, or what is wrong with it.
func (p *Phase) examine(ctx context.Context, files string, a answer) (changes patch.ChangeSet, err error) {
	switch err := a.check(p.Profile); {
	case err != nil || a.Blocked != "":
		return changes, err
	case len(a.Requests) > 0 && p.rounds == maxRequestRounds:
		return changes, errNoMore
	}
	if err := p.demands(ctx, a, a.edits() || len(a.Actions) > 0); err != nil {
		return changes, err
	}
	if changes, err = p.resolve(ctx, files, a); err == nil { // edits may undo what the actions do
		err = p.demands(ctx, a, slices.ContainsFunc(changes.Files, func(f patch.FileChange) bool { return f.Kind != patch.Update || f.Before != f.After }))
	}
	if err == nil && p.Profile != mode.ToolUse {
		p.History.CheckRepeat(changes)
	}
	return changes, err
}

// resolve computes the changes of an answer: its sweeps first if it has no turns, then its edits.
func (p *Phase) resolve(ctx context.Context, files string, a answer) (patch.ChangeSet, error) {
	swept, err := p.sweep(ctx, files, a)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	if swept.key != "" {
		files += "/" + swept.key
	}
	edits, err := a.resolve(step.Reader{Ctx: ctx, Flow: p.Run.Flow, At: work.At(p.Node), Name: files, State: swept.state})
	p.Now.NoteLast(p.Name, edits)
	if err != nil {
		return edits, err
	}
	if swept.key == "" {
		return edits, errors.Join(p.unseen(edits, a.replaces), p.allow(edits, a.Explanation))
	}
	all := followed(swept.changes, edits)
	p.Now.NoteLast(p.Name, all)
	return all, errors.Join(p.unseen(edits, a.replaces), p.allowSwept(a.Actions, swept.each, all, edits, a.Explanation))
}

// The limit of a completion's requests before it must work with what it has.
const maxRequestRounds = 3

// Once asks for the whole change. A model may first ask to see more; edits with syntax errors go back, as often as the
// mode allows. The changes are in the tree afterwards.
func (p *Phase) Once(ctx context.Context) step.Outcome {
	if o := p.open(ctx); o.Signal != step.Success {
		return o
	}
	retries, key, torn := p.Run.Task.Mode.ValidationRetries, "", ""
	for {
		a, changes, o := p.complete(ctx, key)
		if o.Signal != step.Success {
			return o
		}
		if len(a.Requests) > 0 {
			p.rounds++
			key = fmt.Sprintf("asked %d", p.rounds)
			if o := p.answerRequests(ctx, key, a, p.rounds == maxRequestRounds); o.Signal != step.Success {
				return o
			}
			continue
		}
		faults, o := p.syntax(ctx, key, p.Now.With(changes), changes)
		if o.Signal != step.Success {
			return o
		}
		again := torn
		if torn = p.Now.Fingerprint(changes); faults == "" || retries == 0 || torn == again {
			p.Now.NoteEdit(changes)
			p.Now.Add(changes)
			return step.Outcome{}
		}
		retries--
		key = fmt.Sprintf("mended %d", p.Run.Task.Mode.ValidationRetries-retries)
		p.note("Your previous answer", a.text())
		p.note("What is wrong with it", faults+"\nNothing of it was kept. Answer again, whole and corrected.")
	}
}

// answerRequests adds the model's requests, with results, to the log.
func (p *Phase) answerRequests(ctx context.Context, key string, a answer, last bool) step.Outcome {
	for i, request := range a.Requests {
		result, _, o := p.act(ctx, fmt.Sprintf("%s/%d", key, i+1), request, permission.Other)
		if o.Signal != step.Success {
			return o
		}
		p.Log = append(p.Log, resultOf(fmt.Sprintf("What you asked for: %s", request.title()), request, result))
	}
	if last {
		p.Log = append(p.Log, prompt.Section{Kind: prompt.Errors, Name: "Now", Text: `You have seen everything available: answer with your edits now, or say in "blocked" what is missing.`})
	}
	return step.Outcome{}
}

// note adds a section to later completions of the phase.
func (p *Phase) note(name, text string) {
	p.Log = append(p.Log, prompt.Section{Kind: prompt.Errors, Name: name, Text: text, Data: true})
}

// resultOf is the entry of the log for the result of an action.
func resultOf(name string, a action, result string) prompt.Section {
	file, lines := a.read(result)
	return prompt.Section{Kind: prompt.Errors, Name: name, Text: result, Source: file, Lines: lines, Data: true}
}

// refusedAgain records an unusable answer, and reports whether the phase got the same before, on the same tree, in this or an
// earlier attempt. changes is the result of its edits; none if they could not be resolved.
func (p *Phase) refusedAgain(text string, changes patch.ChangeSet) bool {
	if p.Job.Wants() { // the part waits for another, and no repair helps
		return true
	}
	if strings.TrimSpace(text) == "" {
		return false
	}
	r := work.Refusal{Attempt: p.Now.Number, Phase: p.Name, Digest: p.Now.Fingerprint(changes)}
	if len(changes.Files) == 0 {
		r.Digest += "\x00" + text
	}
	at := slices.IndexFunc(p.History.Refusals, func(o work.Refusal) bool { return o.Phase == r.Phase && o.Digest == r.Digest })
	if at < 0 {
		p.History.AddRefusal(r)
		return false
	}
	if before := p.History.Refusals[at].Attempt; before != p.Now.Number {
		p.Now.Repeat(before, true)
	}
	return true
}

// opening returns the beginning of the phase's document; the reason of the last attempt is at its end.
func (p *Phase) opening(ctx context.Context) (prompt.Document, error) {
	sections, err := p.prompter.Context(ctx, p.Node, "context/"+p.Name, p.Now.Tree)
	if err != nil {
		return prompt.Document{}, err
	}
	sections = append(sections, p.Run.Specification()...)
	if p.Profile == mode.ToolUse {
		sections = append(sections, p.foreignTools()...)
	}
	if p.Name == work.PhaseImplementation {
		sections = slices.Concat(sections, p.prompter.FailedBefore(), p.Tests.SeenRed())
	}
	explored := p.Findings.SectionsAfter(work.Since(p.Now.Tree, len(p.Start.Tree.Changes)))
	sections = slices.Concat(sections, explored, p.Start.Clashing(), p.Aftermath)
	instructions := p.Instructions
	if slices.ContainsFunc(sections, func(s prompt.Section) bool { return hasTestsInCode(p.Run.Project, s) }) {
		instructions += p.InCode
	}
	if p.MayCut() {
		instructions += cutRule
	}
	return p.prompter.Compose(p.Node.ID, instructions, sections...), nil
}

// hasTestsInCode reports whether a section shows a file of code that has tests or examples in it.
func hasTestsInCode(project work.Project, s prompt.Section) bool {
	return s.Source != "" && !project.IsTest(s.Source) && project.Suites.HasTests(s.Source, s.Text)
}

// foreignTools describes the accepted tools of MCP servers. Their definitions are written by others: they are data.
func (p *Phase) foreignTools() []prompt.Section {
	text := p.Run.Grants.DescribeMCP()
	if text == "" {
		return nil
	}
	return []prompt.Section{{Kind: prompt.Interfaces, Name: "Tools of MCP servers", Text: text, Source: "definitions of MCP servers", Data: true}}
}

const answerTokens = 16384
