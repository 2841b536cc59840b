package dialogue

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"forge/engine/pipeline/judge"
	"forge/engine/pipeline/work"
	"forge/engine/step"
)

// Tests are frozen for the model that implements a change. If it reports that a test is wrong for any implementation and names the file, the
// author of the tests gets the work back: tests of this run and from before it, in files of their own and in files of code. They must be seen
// to fail again, and what tests from before the run state is judged as always.

// handing is the part of a phase that hands tests back to their author.
type handing struct{ p *Phase }

// handBack returns the work to the author of the tests if the model's reason names a test. It does so once in a module: the
// second time, and in the last attempt, the caller asks the user.
func (h handing) handBack(ctx context.Context, missing string) (o step.Outcome, is bool) {
	if h.p.Tests.Disowned || h.p.Now.Number >= h.p.Run.Limit(h.p.Now.Number) {
		return o, false
	}
	named, o := h.namesTests(ctx, missing)
	if o.Signal != step.Success || !named {
		return o, o.Signal != step.Success
	}
	h.p.Tests.Disown()
	return step.Outcome{Signal: step.Retryable, Reason: "the model says that a test is wrong, so the work goes back to the author of the tests: " + strings.TrimSpace(missing)}, true
}

// handBackAnswered is handBack with the answer of the user to the model. It happens for each answer, and in the last attempt too, which does not
// count as one then.
func (h handing) handBackAnswered(ctx context.Context, missing, said string) step.Outcome {
	named, o := h.namesTests(ctx, missing+"\n"+said)
	if o.Signal != step.Success || !named {
		return o
	}
	h.p.Tests.Reconsider()
	return step.Outcome{Signal: step.Retryable, Reason: fmt.Sprintf(
		"the user has answered what the model says of a test, so the work goes back to the author of the tests: %s. The user says: %s", strings.TrimRight(strings.TrimSpace(missing), "."), said)}
}

// aboutTests reports whether a text speaks of tests: a file of code may be named for another reason.
func aboutTests(text string) bool {
	text = strings.ReplaceAll(strings.ToLower(text), "for example", "")
	words := strings.FieldsFunc(text, func(c rune) bool { return c < 'a' || c > 'z' })
	return slices.ContainsFunc(words, func(word string) bool {
		return strings.HasPrefix(word, "test") || strings.HasPrefix(word, "assert") || strings.HasPrefix(word, "doctest") || strings.HasPrefix(word, "example")
	})
}

// namesTests reports whether the implementation says something about the tests of a file: it names a test file, or a file of code with tests or
// examples in it, and speaks of them.
func (h handing) namesTests(ctx context.Context, said string) (bool, step.Outcome) {
	if h.p.Name != work.PhaseImplementation || h.p.Tests.Written == nil {
		return false, step.Outcome{}
	}
	named := h.filesIn(said)
	if slices.ContainsFunc(named, h.p.Run.Project.IsTest) {
		return true, step.Outcome{}
	}
	if !aboutTests(said) {
		return false, step.Outcome{}
	}
	h.p.searched++
	for _, path := range named {
		text, err := step.ActivityRead.Call(ctx, h.p.Run.Flow, work.At(h.p.Node), fmt.Sprintf("blocked %d/%s", h.p.searched, path), step.ReadCall{State: h.p.Now.Tree, Path: path})
		if _, failed := work.AsFailure(err); failed {
			continue
		} else if err != nil {
			return false, work.Unable(ctx, err)
		}
		if text.Exists && h.p.Run.Project.Suites.HasTests(path, string(text.Content)) {
			return true, step.Outcome{}
		}
	}
	return false, step.Outcome{}
}

// filesIn returns the known files that a text names, without those of other parts of a plan: by their paths if it names any so, else by their
// names.
func (h handing) filesIn(said string) []string {
	known := work.Union(h.p.Tests.AllTests(), h.p.Findings.Shown)
	if h.p.Run.Listing != nil {
		known = work.Union(known, h.p.Run.Listing.Paths)
	}
	named := slices.DeleteFunc(slices.Clone(known), func(path string) bool { return !judge.NamesFile(said, path) || h.p.Job.Owner(path) != "" })
	whole := slices.DeleteFunc(slices.Clone(named), func(path string) bool { return !strings.Contains(said, path) })
	if len(whole) > 0 {
		return whole
	}
	return named
}
