package dialogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/integrity"
	"forge/engine/permission"
	"forge/engine/pipeline/work"
	"forge/engine/secret"
	"forge/engine/step"
	"forge/engine/tool"
	"forge/patch"
	"forge/patch/match"
)

// unmarked rejects changes that would write the mark of a secret into a file: the secret would be lost.
func unmarked(changes patch.ChangeSet) error {
	for _, f := range changes.Files {
		if mark := secret.MarkAdded(f.Before, f.After); mark != "" {
			return fmt.Errorf("the answer writes %s into %s: that replaces a secret that you are not shown, and is not in the file. "+
				"Change the lines around it with a patch whose lines do not have it, and leave it as it is", mark, f.Path)
		}
	}
	return nil
}

// maxFaults limits how many edits are named that do not match. One of many lines costs as much as a file.
const maxFaults = 3

// others adds to the error of one edit of a list those of the others that do not match either, and how many do: a model has to send all of
// them again, and changes what it need not touch if it does not know which are right.
func others(first error, list []patch.Replacement, files patch.Files) error {
	var faults []error
	matching := 0
	for i := range list {
		one, err := patch.FromReplacements(list[i : i+1])
		if err == nil {
			_, err = match.Resolve(one, files)
		}
		if err == nil || errors.Is(err, match.ErrNoChange) {
			matching++
		} else {
			faults = append(faults, err)
		}
	}
	if len(list) == 1 || len(faults) == 0 { // it is alone, or they do not fit together
		return first
	}
	said := fmt.Sprintf("%d of %d edits match, and can stay as they are.", matching, len(list))
	if more := len(faults) - maxFaults; more > 0 {
		said = fmt.Sprintf("%d more do not match. %s", more, said)
	}
	return fmt.Errorf("%w\n%s", errors.Join(faults[:min(len(faults), maxFaults)]...), said)
}

// misled adds to the error of an edit that the edit contains the mark of a secret.
func misled(text string, err error) error {
	if err == nil {
		return nil
	}
	if mark := secret.MarkIn(text); mark != "" {
		return fmt.Errorf("%w\nThe patch has %s in it: that replaces a secret that you are not shown, so no line matches. "+
			"Find the place by other lines", err, mark)
	}
	return err
}

// union joins two change sets; a path may be in only one of them.
func union(a, b patch.ChangeSet) (patch.ChangeSet, error) {
	all := patch.ChangeSet{Files: slices.Concat(a.Files, b.Files)}
	named := map[string]bool{}
	for _, f := range all.Files {
		for _, path := range []string{f.Path, f.From} {
			if path != "" && named[path] {
				return patch.ChangeSet{}, fmt.Errorf("%s is changed twice in one answer: name each path in \"files\", in \"edits\" or in \"patch\", and not in two of them", path)
			}
			named[path] = true
		}
	}
	slices.SortFunc(all.Files, func(a, b patch.FileChange) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// guard returns an error for a change that is not allowed now. The model sees the error; explanation is the model's
// explanation of the change.
type guard func(changes patch.ChangeSet, explanation string) error

// allow checks a change in a phase: by its guard, and by the rules about settings of checks and Forge's own folder, which always
// apply.
func (p *Phase) allow(changes patch.ChangeSet, explanation string) error {
	return p.allowGuarded(changes, changes, explanation)
}

// allowGuarded is allow with a guard that only checks a part of the change.
func (p *Phase) allowGuarded(all, guarded patch.ChangeSet, explanation string) error {
	return errors.Join(p.ruled(all, guarded, explanation), p.Job.OwnFiles(all))
}

// ruled is allowGuarded without the files of other parts.
func (p *Phase) ruled(all, guarded patch.ChangeSet, explanation string) error {
	return errors.Join(integrity.Refused(all), p.promises.Rules().CheckedAlike(all), p.Guard(guarded, explanation))
}

// Directly does work that names its tools, without a model. A tool that fails ends the attempt.
func (p *Phase) Directly(ctx context.Context) step.Outcome {
	for i, a := range p.Run.Task.Direct {
		var args tool.Args
		if err := json.Unmarshal(a.Args, &args); err != nil {
			return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("the arguments of %s are invalid: %v", a.Tool, err)}
		}
		todo := action{Tool: a.Tool, Args: args}
		before := len(p.Now.Tree.Changes)
		result, _, o := p.act(ctx, fmt.Sprintf("direct/%d", i+1), todo, permission.Build)
		if o.Signal != step.Success {
			return o
		}
		if t, known := tool.All().Named(a.Tool); !known || t.Mutates() && len(p.Now.Tree.Changes) == before {
			return step.Outcome{Signal: step.NeedsHuman, Reason: fmt.Sprintf("%s: %s", todo.title(), result)}
		}
	}
	return step.Outcome{}
}

// syntax describes, for the model, new syntax errors in the files that it has just changed, compared with the base. It
// needs no compiler. changes are in the tree.
func (p *Phase) syntax(ctx context.Context, key string, tree step.State, changes patch.ChangeSet) (faults string, o step.Outcome) {
	paths := work.Named(changes)
	if len(paths) == 0 {
		return "", o
	}
	found, err := step.ActivitySyntax.Call(ctx, p.Run.Flow, work.At(p.Node), "syntax/"+p.Name+"/"+key, step.PathsCall{State: tree, Paths: paths})
	if err != nil {
		return "", work.Unable(ctx, err)
	}
	if len(found) == 0 {
		p.Now.ParsedAgain(len(paths))
		return "", o
	}
	p.Now.NoteUnparsed()
	report := gate.Report{Gate: work.GateSyntax, Verdict: gate.Fail, Executed: len(paths), Findings: found, Summary: fmt.Sprintf("%s cannot be parsed", strings.Join(broken(found), ", "))}
	report.Passed = len(paths) - len(broken(found))
	p.Run.Emit(event.GateFinished{Node: p.Node.ID, Attempt: p.Node.Attempt, Report: report})
	return work.Describe([]gate.Report{report}), o
}

// broken returns the files of findings, each once.
func broken(found []gate.Finding) []string {
	var paths []string
	seen := map[string]bool{}
	for _, f := range found {
		if !seen[f.Path] {
			seen[f.Path] = true
			paths = append(paths, f.Path)
		}
	}
	return paths
}
