package dialogue

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/flow"
	"forge/engine/mode"
	"forge/engine/permission"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/patch"
)

// sweeping is the result of an answer's sweeps, before its edits.
type sweeping struct {
	changes patch.ChangeSet
	each    []patch.ChangeSet // of each action, in order
	state   step.State        // the tree after them
	key     string            // equal for equal sweeps; empty for none
}

// sweeps reports whether an action changes many files in one way: a rename, a replacement.
func (a action) sweeps() bool {
	t, known := tool.Tools().Named(a.Tool)
	return known && t.Sweeps
}

// sweep computes the renames and replacements of an answer, one after another. The error is for the model: what failed, and why.
func (p *Phase) sweep(ctx context.Context, name string, a answer) (sweeping, error) {
	s := sweeping{state: p.Now.Tree}
	if p.Profile == mode.ToolUse { // its actions follow its edits, with separate results
		return s, nil
	}
	for i, todo := range a.Actions {
		sum := sha256.Sum256([]byte(s.key + tool.Key(todo.Tool, todo.arguments())))
		s.key = hex.EncodeToString(sum[:8])
		t, _ := tool.Tools().Named(todo.Tool) // checked by onlySweeps
		said, err := step.ActivityTool.Call(ctx, p.Run.Flow, work.At(p.Node), fmt.Sprintf("sweep/%s/%d/%s", name, i+1, s.key), step.ToolCall{State: s.state, Tool: t.Name, Args: todo.arguments(), Timeout: t.Timeout, Agent: permission.Build})
		var failed *flow.Failure
		switch {
		case err != nil && !errors.As(err, &failed):
			return s, step.Broken(err)
		case err != nil:
			return s, fmt.Errorf("actions[%d]: %w", i, err)
		case said.Failed:
			return s, fmt.Errorf("actions[%d]: %s: %s", i, todo.title(), said.Text)
		}
		p.Now.Work.Used(t.Name, false)
		p.Run.Emit(event.ToolUsed{
			Node: p.Node.ID, Attempt: p.Node.Attempt, Tool: t.Name, Args: work.Shorten(string(todo.arguments()), 200), Cut: said.Cut, Bytes: len(said.Text),
		})
		s.changes, s.each, s.state = followed(s.changes, said.Change), append(s.each, said.Change), s.state.With(said.Change)
	}
	return s, nil
}

// followed joins two change sets: the second is based on the first, which only gives files new texts.
func followed(first, second patch.ChangeSet) patch.ChangeSet {
	before := map[string]string{}
	for _, f := range first.Files {
		before[f.Path] = f.Before
	}
	var all patch.ChangeSet
	for _, f := range second.Files {
		from := f.Path
		if f.Kind == patch.Move {
			from = f.From
		}
		if text, swept := before[from]; swept && f.Kind != patch.Create {
			f.Before = text
			delete(before, from)
		}
		all.Files = append(all.Files, f)
	}
	for _, f := range first.Files {
		if _, alone := before[f.Path]; alone {
			all.Files = append(all.Files, f)
		}
	}
	slices.SortFunc(all.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// allowSwept checks sweeps, and the edits after them. A rename keeps the meaning of tests, so it may change tests that edits may
// not; so may a replacement that the task asks for literally. Other edits must follow the rules. each has the changes of each action.
func (p *Phase) allowSwept(actions []action, each []patch.ChangeSet, all, edits patch.ChangeSet, explanation string) error {
	var hints []string
	free := true
	for i, a := range actions {
		if p.mechanical(a) && !p.replacesInOwnTests(a, all) {
			continue
		}
		free = false
		if !a.sweeps() {
			continue
		}
		if at := p.refusedOf(each[i], explanation); at != "" {
			hints = append(hints, fmt.Sprintf("%s changes %s: %s", a.title(), at, p.narrower(a)))
		}
	}
	if free {
		return p.allowGuarded(all, edits, explanation)
	}
	err := p.allow(all, explanation)
	if err == nil || len(hints) == 0 {
		return err
	}
	return fmt.Errorf("%w\n%s", err, strings.Join(hints, "; "))
}

// refusedOf returns the places of an action's changes that are not allowed now: of each file the first line that changes. It only
// describes them: allow alone counts what a part tries to change of another's.
func (p *Phase) refusedOf(changes patch.ChangeSet, explanation string) string {
	const most = 5
	var places []string
	for _, f := range changes.Files {
		one := patch.ChangeSet{Files: []patch.FileChange{f}}
		if edits := patch.Diff(f.Before, f.After); len(edits) > 0 && (p.Job.Foreign(one) || p.ruled(one, one, explanation) != nil) {
			places = append(places, fmt.Sprintf("%s:%d", f.Path, 1+strings.Count(f.Before[:edits[0].Start], "\n")))
		}
	}
	if more := len(places) - most; more > 0 {
		places = append(places[:most], fmt.Sprintf("%d more files", more))
	}
	return strings.Join(places, ", ")
}

// narrower returns how a sweep is kept away from files.
func (p *Phase) narrower(a action) string {
	switch {
	case a.Args.Symbol == "":
		return `restrict it with "paths"`
	case a.Args.Everywhere && p.ThroughTests:
		return `leave out "everywhere"`
	}
	return `restrict it with "path" and "scope"`
}

// mechanical reports whether a sweep keeps the meaning of tests.
func (p *Phase) mechanical(a action) bool {
	switch {
	case !a.sweeps() || !p.ThroughTests:
		return false
	case len(p.Run.Task.Direct) > 0: // the user requested it
		return true
	case a.Args.Symbol != "" && !a.Args.Everywhere:
		return true
	}
	old, now := a.Args.Find, a.Args.Replace
	if a.Args.Symbol != "" {
		old, now = a.Args.Symbol, a.Args.To
	}
	return !a.Args.Regexp && old != "" && now != "" && strings.Contains(p.Run.Task.Text, old) && strings.Contains(p.Run.Task.Text, now)
}

// replacesInOwnTests reports whether a text replacement may affect tests of this run: they were seen to fail for what they assert,
// which a replacement can change. Renaming a symbol cannot.
func (p *Phase) replacesInOwnTests(a action, all patch.ChangeSet) bool {
	if len(p.Run.Task.Direct) > 0 || a.Args.Symbol != "" && !a.Args.Everywhere {
		return false
	}
	return slices.ContainsFunc(all.Files, func(f patch.FileChange) bool { return slices.Contains(p.Tests.AllTests(), f.Path) })
}
