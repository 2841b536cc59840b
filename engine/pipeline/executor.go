package pipeline

import (
	"context"
	"errors"
	"fmt"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/graph"
	"forge/engine/prompt"
	"forge/engine/step"
	"forge/patch"
)

const editRules = `
Answer with one JSON object:
- "explanation": two sentences for a reviewer.
- "files": whole files, each with "path" (relative), "action" ("create", "write" to replace a file that you
  were shown, or "delete") and "content".
- "patch": changes to existing files as a V4A patch ("*** Begin Patch", "*** Update File: path", "@@", lines
  that begin with a space, "-" or "+", "*** End Patch"); empty when there are none. Prefer it over rewriting a
  file. A path stands in "files" or in "patch", never in both.
- "blocked": normally empty; what is missing, if you cannot do the work with what you were given.`

const testsInstructions = `You write tests for a change that is not implemented yet, first. They must fail now, because the behaviour is
missing, and pass once it is there. Test behaviour, not implementation. Only write test files; do not touch
anything else. Format the code as the language's formatter does.` + editRules

const implementInstructions = `You implement a change to a code base. Tests for it are there and fail; make them pass, and keep every other
test green. You cannot change test files. Change as little as the task needs. Format the code as the
language's formatter does.` + editRules

const refactorInstructions = `You restructure code without changing what it does. Every test stays as it is and stays green. Change as
little as the task needs. Format the code as the language's formatter does.` + editRules

const answerTokens = 16384

// execute is one attempt: a clean tree, tests that are seen red, then the implementation. Its result is
// what differs from the snapshot before any gate had a chance to leave something behind.
func (r *run) execute(ctx context.Context, n graph.Node) graph.Outcome {
	r.attempt = n.Attempt
	r.tree = r.base()
	if r.task.Recipe != Refactor {
		if o := r.redTests(ctx, n); o.Signal != step.Success {
			return r.again(o)
		}
	}
	if o := r.implement(ctx, n); o.Signal != step.Success {
		return r.again(o)
	}
	changes, o := r.write(ctx, n, "result")
	if o.Signal != step.Success {
		return r.again(o)
	}
	r.changes = r.withMatches(changes)
	return graph.Outcome{Status: graph.Done}
}

// withMatches gives the files of an attempt's result the matches of the edits that went into them: how
// exactly each fitted is for the person to see.
func (r *run) withMatches(changes patch.ChangeSet) patch.ChangeSet {
	for i := range changes.Files {
		for _, set := range r.tree.Changes {
			for _, f := range set.Files {
				if f.Path == changes.Files[i].Path {
					changes.Files[i].Matches = append(changes.Files[i].Matches, f.Matches...)
				}
			}
		}
	}
	return changes
}

// again sends a retryable fault back to explore, until its attempts are used up.
func (r *run) again(o step.Outcome) graph.Outcome {
	if o.Signal == step.Retryable && r.attempt >= r.attempts() {
		r.usedUp = true
		return graph.Outcome{Status: graph.Failed, Reason: r.gaveUp(o.Reason)}
	}
	return outcome(o, graph.Failure)
}

func (r *run) gaveUp(reason string) string {
	return fmt.Sprintf("gave up after %d attempts: %s", r.attempt, reason)
}

// redTests brings tests into the tree that fail without the implementation. Tests that were seen red
// once stay for all later attempts, unless the attempt's fault lies in them.
func (r *run) redTests(ctx context.Context, n graph.Node) step.Outcome {
	if r.tests != nil && !r.faultyTests {
		r.tree = r.tree.With(*r.tests)
		return step.Outcome{}
	}
	r.faultyTests = false
	tests, o := r.edit(ctx, n, "tests", testsInstructions, r.onlyTests)
	if o.Signal != step.Success {
		return o
	}
	r.tree = r.tree.With(tests)
	if _, o := r.write(ctx, n, "tests"); o.Signal != step.Success {
		return o
	}
	for _, s := range r.Project.suites(tests) {
		if o := r.seeRed(ctx, n, s); o.Signal != step.Success {
			return o
		}
	}
	r.tests = &tests
	return step.Outcome{}
}

// seeRed runs the tests of a suite and demands that they fail.
func (r *run) seeRed(ctx context.Context, n graph.Node, s Suite) step.Outcome {
	r.Tell(event.GateStarted{Node: n.ID, Attempt: n.Attempt, Gate: "red", Index: 1, Of: 1})
	report, err := r.runGate(ctx, n, "red", s.Gate, r.tree)
	red, why := s.Red(r.before(s.Gate), report)
	verdict := gate.Report{Gate: "red", Verdict: gate.Pass, Executed: 1, Passed: 1, Summary: "the new tests fail, as they must before there is an implementation",
		Output: report.Output, Command: report.Command, Elapsed: report.Elapsed}
	switch {
	case ctx.Err() != nil || err != nil:
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Error, 0, report.Summary
	case !red:
		verdict.Verdict, verdict.Passed, verdict.Summary = gate.Fail, 0, why
	}
	r.Tell(event.GateFinished{Node: n.ID, Attempt: n.Attempt, Report: verdict})
	switch {
	case ctx.Err() != nil:
		return step.Outcome{Signal: step.Terminal, Reason: "cancelled"}
	case err != nil:
		return step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	case !red:
		return step.Outcome{Signal: step.Retryable, Reason: "the tests were not seen red: " + why}
	}
	return step.Outcome{}
}

func (r *run) before(name string) gate.Report {
	for _, report := range r.baseline {
		if report.Gate == name {
			return report
		}
	}
	return gate.Report{Gate: name}
}

// implement brings the implementation into the tree.
func (r *run) implement(ctx context.Context, n graph.Node) step.Outcome {
	instructions := implementInstructions
	if r.task.Recipe == Refactor {
		instructions = refactorInstructions
	}
	changes, o := r.edit(ctx, n, "implementation", instructions, r.noTests)
	if o.Signal != step.Success {
		return o
	}
	r.tree = r.tree.With(changes)
	return step.Outcome{}
}

// edit asks for edits and resolves them against the tree. An edit that does not fit, or touches what it
// may not, goes back as a repair.
func (r *run) edit(ctx context.Context, n graph.Node, name, instructions string, allowed func(path string) error) (patch.ChangeSet, step.Outcome) {
	document, err := r.document(ctx, n, name, instructions)
	if err != nil {
		return patch.ChangeSet{}, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	var changes patch.ChangeSet
	answer, o := step.Do(ctx, r.Env.Env, step.Step[edits]{
		Place: at(n), Name: name, Document: document, MaxTokens: answerTokens,
		Check: func(e edits) error {
			if e.Blocked != "" {
				return nil
			}
			changes, err = e.resolve(step.Reader{Ctx: ctx, Flow: r.Flow, At: at(n), Name: name, State: r.tree})
			r.last = changes
			if err != nil {
				return err
			}
			return refuse(changes, allowed)
		},
	})
	if o.Signal == step.Success && answer.Blocked != "" {
		return changes, step.Outcome{Signal: step.NeedsHuman, Reason: "the model says that it cannot do the work: " + answer.Blocked}
	}
	return changes, o
}

// refuse names every file of a change set that may not be touched now. An empty change set is refused
// too: work that is done without a difference was not done.
func refuse(changes patch.ChangeSet, allowed func(path string) error) error {
	var errs []error
	for _, f := range changes.Files {
		errs = append(errs, allowed(f.Path))
		if f.From != "" {
			errs = append(errs, allowed(f.From))
		}
	}
	if len(changes.Files) == 0 {
		errs = append(errs, errors.New("the answer changes nothing"))
	}
	return errors.Join(errs...)
}

func (r *run) onlyTests(path string) error {
	if !r.Project.IsTest(path) {
		return fmt.Errorf("%s is not a test file: write only tests now", path)
	}
	return nil
}

func (r *run) noTests(path string) error {
	if r.Project.IsTest(path) {
		return fmt.Errorf("%s is a test file, and tests are frozen while the change is implemented", path)
	}
	return nil
}

// write has the tree of the attempt made, and gives what differs from the snapshot. name is of what was
// written last.
func (r *run) write(ctx context.Context, n graph.Node, name string) (patch.ChangeSet, step.Outcome) {
	changes, err := step.Call[patch.ChangeSet](ctx, r.Flow, at(n), "write/"+name, step.ActivityWrite, r.tree)
	if err != nil {
		return changes, step.Outcome{Signal: step.NeedsHuman, Reason: err.Error()}
	}
	return changes, step.Outcome{}
}

// document is what the executor is shown; the reason of the last attempt stands at its end.
func (r *run) document(ctx context.Context, n graph.Node, name, instructions string) (prompt.Document, error) {
	sections, err := r.context(ctx, n, "context/"+name, r.tree)
	if err != nil {
		return prompt.Document{}, err
	}
	sections = append(sections, r.request()...)
	if r.spec != "" {
		sections = append(sections, prompt.Section{Kind: prompt.Request, Name: "Specification", Text: r.spec, Data: true})
	}
	sections = append(sections, r.findings()...)
	if r.why != "" {
		sections = append(sections,
			prompt.Section{Kind: prompt.Errors, Name: "Your last attempt", Text: r.last.Unified(3), Data: true, Cut: 2},
			prompt.Section{Kind: prompt.Errors, Name: fmt.Sprintf("Why it was not accepted (attempt %d of %d is next)", n.Attempt, r.limit(n.Attempt)), Text: r.why, Data: true})
	}
	return prompt.Document{Instructions: instructions, Sections: sections}, nil
}
