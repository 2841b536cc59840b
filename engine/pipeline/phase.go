package pipeline

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/graph"
	"forge/engine/mode"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

// phase is one thing an attempt asks of the model: tests, or the implementation. What it says is one document for each
// completion: what the phase began with, always the same, and after it the results of earlier completions, which is only
// ever added to. So the prefix is the same bytes from one completion to the next.
type phase struct {
	*unit
	promises *promises
	prompter *prompter

	node         graph.Node
	name         string // of its steps, and of what the model is to give
	instructions string
	profile      mode.Profile
	guard        guard
	throughTests bool // renames may go through tests that edits may not touch
	demands      bool // an answer without edits is a fault, whatever it says, until the user has answered a question of the phase

	aftermath []prompt.Section // the last sections of its document: what went wrong in the attempt before
	document  prompt.Document
	log       []prompt.Section // the results of earlier completions
	told      string           // the last explanation that the model gave
	heard     int              // results of tools in the log
	looked    []string         // files that tools have shown in the log
	// unanswered is how many questions about what the model is missing had no answer before the run was resumed.
	unanswered int
	consulted  bool // the user has answered a question of the phase in their own words
}

func newPhase(u *unit, promises *promises, prompter *prompter) *phase {
	return &phase{unit: u, promises: promises, prompter: prompter}
}

// open takes down the document that all completions of the phase begin with.
func (p *phase) open(ctx context.Context) step.Outcome {
	var err error
	p.document, err = p.opening(ctx)
	if err != nil {
		return step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	return step.Outcome{}
}

// completion asks the model once, on top of the log. Edits that do not fit the tree, or touch what they may not, go back as a
// repair. key names the completion in its attempt; empty is the first one.
func (p *phase) completion(ctx context.Context, key string) (answer, patch.ChangeSet, step.Outcome) {
	var changes patch.ChangeSet
	if o := p.budget.count(); o.Signal != step.Success {
		return answer{}, changes, o
	}
	files := p.name
	if key != "" {
		key = p.name + "/" + key
		files = key
	}
	ask := askFor[onceAnswer]
	if p.profile == mode.ToolUse {
		ask = askFor[turnAnswer]
	}
	a, o := ask(ctx, p.run.Env.Env, step.Step[answer]{
		Place: at(p.node), Name: p.name, Key: key, Document: p.document.With(p.log...), MaxTokens: answerTokens,
		Refused: func(text string, _ answer) bool {
			again := p.refusedAgain(text, changes)
			changes = patch.ChangeSet{}
			return again
		},
		Check: func(a answer) (err error) {
			if err := a.check(p.profile); err != nil || a.Blocked != "" {
				return err
			}
			if p.demands && !p.consulted && !a.edits() && len(a.Actions) == 0 && len(a.Requests) == 0 {
				return errNoTests
			}
			changes, err = p.resolve(ctx, files, a)
			if err != nil || p.profile == mode.ToolUse {
				return err
			}
			p.history.checkRepeat(changes)
			return nil
		},
	})
	if o.Signal == step.Success && a.Blocked != "" {
		return a, changes, o
	}
	p.told = a.Explanation
	p.now.worked.doubt(a.Concerns...)
	return a, changes, o
}

// resolve works out what an answer changes: its sweeps first where it has no turns of its own, then its edits.
func (p *phase) resolve(ctx context.Context, files string, a answer) (patch.ChangeSet, error) {
	swept, err := p.sweep(ctx, files, a)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	if swept.key != "" {
		files += "/" + swept.key
	}
	edits, err := a.resolve(step.Reader{Ctx: ctx, Flow: p.run.Flow, At: at(p.node), Name: files, State: swept.state})
	p.now.noteLast(edits)
	if err != nil {
		return edits, err
	}
	if swept.key == "" {
		return edits, errors.Join(p.unseen(edits, a.replaces), p.allow(edits, a.Explanation))
	}
	all := followed(swept.changes, edits)
	p.now.noteLast(all)
	return all, errors.Join(p.unseen(edits, a.replaces), p.allowSwept(a.Actions, all, edits, a.Explanation))
}

// How often a completion may ask for more before it must do with what it has.
const maxRequestRounds = 3

// once asks for the whole change. A model that has to see more first is shown that; edits that are no sentences of their
// language any more go back, as often as the mode wants. The changes are in the tree afterwards.
func (p *phase) once(ctx context.Context) step.Outcome {
	if o := p.open(ctx); o.Signal != step.Success {
		return o
	}
	retries, rounds, key, torn := p.run.task.Mode.ValidationRetries, 0, "", ""
	for {
		a, changes, o := p.complete(ctx, key)
		if o.Signal != step.Success {
			return o
		}
		if len(a.Requests) > 0 && rounds < maxRequestRounds {
			rounds++
			key = fmt.Sprintf("asked %d", rounds)
			if o := p.answerRequests(ctx, key, a, rounds == maxRequestRounds); o.Signal != step.Success {
				return o
			}
			continue
		}
		faults, o := p.syntax(ctx, key, p.now.with(changes), changes)
		if o.Signal != step.Success {
			return o
		}
		again := torn
		if torn = p.now.fingerprint(changes); faults == "" || retries == 0 || torn == again {
			p.now.noteEdit(changes)
			p.now.add(changes)
			return step.Outcome{}
		}
		retries--
		key = fmt.Sprintf("mended %d", p.run.task.Mode.ValidationRetries-retries)
		p.note("Your previous answer", a.text())
		p.note("What is wrong with it", faults+"\nNothing of it was kept. Answer again, whole and corrected.")
	}
}

// answerRequests adds to the log what the model has asked for.
func (p *phase) answerRequests(ctx context.Context, key string, a answer, last bool) step.Outcome {
	for i, request := range a.Requests {
		result, _, o := p.act(ctx, fmt.Sprintf("%s/%d", key, i+1), request, looking)
		if o.Signal != step.Success {
			return o
		}
		p.note(fmt.Sprintf("What you asked for: %s", request.title()), result)
	}
	if last {
		p.log = append(p.log, prompt.Section{Kind: prompt.Errors, Name: "Now", Text: `You have seen everything available: answer with your edits now, or say in "blocked" what is missing.`})
	}
	return step.Outcome{}
}

// note adds a section for the model to later completions of the phase.
func (p *phase) note(name, text string) {
	p.log = append(p.log, prompt.Section{Kind: prompt.Errors, Name: name, Text: text, Data: true})
}

// refusedAgain notes an answer that cannot be used, and reports whether the phase was given the same before, on the same tree, in this
// attempt or in an earlier one. changes is the result of its edits; none where they could not be made out.
func (p *phase) refusedAgain(text string, changes patch.ChangeSet) bool {
	if strings.TrimSpace(text) == "" {
		return false
	}
	r := refusal{attempt: p.now.number, phase: p.name, digest: p.now.fingerprint(changes)}
	if len(changes.Files) == 0 {
		r.digest += "\x00" + text
	}
	at := slices.IndexFunc(p.history.refusals, func(o refusal) bool { return o.phase == r.phase && o.digest == r.digest })
	if at < 0 {
		p.history.addRefusal(r)
		return false
	}
	if before := p.history.refusals[at].attempt; before != p.now.number {
		p.now.repeat(before, true)
	}
	return true
}

// opening is what the phase is shown first; the reason of the last attempt stands at its end.
func (p *phase) opening(ctx context.Context) (prompt.Document, error) {
	sections, err := p.prompter.context(ctx, p.node, "context/"+p.name, p.now.tree)
	if err != nil {
		return prompt.Document{}, err
	}
	sections = append(sections, p.run.specification()...)
	if p.name == nameImplementation {
		sections = append(sections, p.tested.seenRed()...)
	}
	sections = slices.Concat(sections, p.known.findings(), p.begin.clashing(), p.aftermath)
	return p.prompter.compose(p.node.ID, p.instructions, sections...), nil
}

const answerTokens = 16384
