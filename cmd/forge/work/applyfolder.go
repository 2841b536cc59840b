package work

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/execution"
	"forge/engine/integrity"
	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/internal/inert"
	"forge/patch"
)

// applyFile applies a patch to a folder, after consent, and records it for undo.
func applyFile(ctx context.Context, t terminal.Terminal, f applyFlags, name string) error {
	return terminal.InPlace(t, f.dir, func(e *engine.Engine, at terminal.Place) error {
		if err := e.Recover(ctx, at.Root); err != nil { // before any file is read
			return blocked(err)
		}
		text, err := readPatch(ctx, t, name)
		if err != nil {
			return err
		}
		if name == "-" {
			t.Interactive = false // stdin is the patch
		}
		a := application{Dialogue: terminal.NewDialogue(t), engine: e, flags: f, at: at}
		a.flags.control.at = at
		a.outcome.Files, a.outcome.Hunks = []fileOutcome{}, []hunkAnswer{}
		return printed(t, f.json, &a.outcome, a.apply(ctx, text, name))
	})
}

// application is the application of one patch to a folder.
type application struct {
	*terminal.Dialogue
	engine  *engine.Engine
	flags   applyFlags
	at      terminal.Place    // the project, and the folder in it that a patch is about
	over    []string          // existing files that the patch would replace
	moved   map[string]string // old paths of moved files, by their new path
	outcome applyOutcome
}

// applyOutcome is what forge apply --json prints.
type applyOutcome struct {
	RunOutcome
	Hunks       []hunkAnswer    `json:"hunks"`
	Text        string          `json:"text,omitempty"`        // of a rename or a replacement: the changes by file
	Refusal     *refusal        `json:"refusal,omitempty"`     // why the patch does not apply
	Unconfirmed []locatedAnswer `json:"unconfirmed,omitempty"` // hunks that need a confirmation
}

// The states of a patch.
const (
	stateRefused   = "refused"
	statePreviewed = "previewed" // by --dry-run
	stateDeclined  = "declined"  // no confirmation was given
	stateCancelled = "cancelled"
	stateFailed    = "failed"
)

func (a *application) apply(ctx context.Context, text, name string) error {
	changes, err := a.resolve(ctx, text)
	if err == nil {
		err = integrity.Refused(changes)
	}
	switch {
	case errors.Is(err, context.Canceled):
		return a.outcome.conclude(err)
	case err != nil:
		a.outcome.State, a.outcome.Reason = stateRefused, err.Error()
		a.outcome.Refusal = refusalOf(err, workspace.Snapshot{Root: a.at.Root})
		return terminal.ExitWith(terminal.ExitFailed, inert.Text(err.Error()))
	}
	p := engine.Propose("Apply "+title(name), split(changes, nil))
	p.CheckPackages(workspace.Snapshot{Root: a.at.Root}.ReadFile)
	lookFirst(a.Err, p)
	a.preview(changes)
	if a.flags.dryRun {
		a.outcome.State = statePreviewed
		return nil
	}
	a.outcome.RunID = p.RunID
	return a.outcome.conclude(a.offer(ctx, p))
}

// conclude sets the state after the user's decision, and returns the exit code; err is an error from before.
func (o *RunOutcome) conclude(err error) error {
	var exit *terminal.ExitError
	switch {
	case errors.As(err, &exit):
		o.State, o.Reason = stateDeclined, exit.Text
		return err
	case errors.Is(err, context.Canceled):
		o.State = stateCancelled
	case err != nil:
		o.State, o.Error = stateFailed, err.Error()
	case slices.ContainsFunc(o.Files, func(f fileOutcome) bool { return f.State == stateApplied || f.State == statePartial }):
		o.State = stateApplied
	case o.inConflict():
		o.State = stateConflict
	case len(o.Files) > 0:
		o.State = stateSkipped
	default:
		o.State = stateDeclined
	}
	return o.ending(err)
}

// printed prints an outcome if the user wants JSON, and returns err.
func printed(t terminal.Terminal, asJSON bool, outcome any, err error) error {
	if asJSON {
		err = errors.Join(err, terminal.WriteJSON(t.Out, outcome))
	}
	return err
}

// title is the name of a patch in the ledger.
func title(name string) string {
	if name == "-" {
		return "a patch from stdin"
	}
	return name
}

// resolve computes the changes of the patch, and asks about hunks that do not match. It stores the files that the patch would
// replace in a.over.
func (a *application) resolve(ctx context.Context, text string) (patch.ChangeSet, error) {
	p, err := parsers[a.flags.format](text)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	p = under(p, a.at)
	a.moved = sources(p)
	files := workspace.Snapshot{Root: a.at.Root}
	var changes patch.ChangeSet
	changes, a.over, err = resolveOver(p, files, nil)
	if err == nil {
		return changes, nil
	}
	confirmed, err := a.confirmLocated(ctx, p, files, err)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	if changes, a.over, err = resolveOver(p, files, confirmed); err != nil {
		return patch.ChangeSet{}, fmt.Errorf("the folder has changed since: %w", err)
	}
	return changes, nil
}

// under returns a patch of a folder as one of the project. One whose files are in the project, and not in the folder, is one already: git prints these.
func under(p patch.Patch, at terminal.Place) patch.Patch {
	if !slices.ContainsFunc(p.Ops, func(op patch.FileOp) bool { return op.Kind == patch.Create || at.File(op.Path) != op.Path }) {
		return p
	}
	for i, op := range p.Ops {
		p.Ops[i].Path, p.Ops[i].To = at.Path(op.Path), at.Path(op.To)
	}
	return p
}

// preview shows the whole change and reports inexact matches.
func (a *application) preview(changes patch.ChangeSet) {
	a.outcome.Diff, a.outcome.Hunks = changes.Unified(3), hunksOf(changes)
	for _, h := range a.outcome.Hunks {
		switch h.Level {
		case patch.Exact.String():
		case patch.Likeness.String():
			fmt.Fprintf(a.Err, "[forge] check this: a hunk that matches nowhere is applied at line %d of %s (level: %s)\n", h.Line, inert.Text(h.Path), h.Level)
		default:
			fmt.Fprintf(a.Err, "[forge] check this: the patch differs from the text at line %d of %s, its only match (level: %s)\n", h.Line, inert.Text(h.Path), h.Level)
		}
	}
	for _, path := range a.over {
		fmt.Fprintf(a.Err, "[forge] check this: %s exists already and would be replaced\n", inert.Text(path))
	}
	if !a.flags.json {
		fmt.Fprint(a.Out, inert.Text(a.outcome.Diff))
	}
}

// offer applies what the user accepts.
func (a *application) offer(ctx context.Context, p *proposal.Proposal) error {
	if a.flags.yes && !a.flags.overwrite && len(a.over) > 0 {
		return terminal.ExitWith(terminal.ExitBlocked, fmt.Sprintf("%s exists already: --yes alone replaces no file, use --overwrite too; your files are unchanged", inert.Text(a.over[0])))
	}
	if err := trusted(ctx, a.Dialogue, a.engine, a.at.Root, a.flags.trust); err != nil {
		return err
	}
	s := Session{Dialogue: a.Dialogue, Engine: a.engine, Flags: RunFlags{Yes: a.flags.yes, json: a.flags.json, control: a.flags.control}}
	chosen, err := s.accept(ctx, p)
	if err == nil {
		chosen, err = a.confirmReplaced(ctx, chosen)
	}
	if err != nil {
		return err
	}
	if len(chosen) == 0 {
		fmt.Fprintln(a.Err, "[forge] nothing was applied; your files are unchanged")
		return nil
	}
	return ApplyAccepted(ctx, a.engine, a.Terminal, a.at.Root, p, chosen, a.moved, &a.outcome.RunOutcome)
}

// blocked is for errors that the user has to fix first.
func blocked(err error) error {
	if err == nil {
		return nil
	}
	return terminal.ExitWith(terminal.ExitBlocked, err.Error())
}

// applyRun applies the change of an ended run, after consent. It repeats no step of the run.
func applyRun(ctx context.Context, t terminal.Terminal, f applyFlags) error {
	return terminal.InFolder(t, f.dir, func(e *engine.Engine, _ string) error {
		p, root, err := e.Offered(ctx, f.run)
		if errors.Is(err, execution.ErrNothingOffered) {
			return terminal.ExitWith(terminal.ExitFailed, err.Error()+": forge runs lists the runs of a folder, and how many files each would change")
		}
		if err != nil {
			return terminal.Explained(err)
		}
		s := Session{Dialogue: terminal.NewDialogue(t), Engine: e, Flags: RunFlags{Yes: f.yes, json: f.json, unverified: f.unverified, trust: f.trust, control: f.control}}
		outcome := RunOutcome{RunID: p.RunID, Unverified: p.Unverified, Files: []fileOutcome{}}
		if f.dryRun {
			s.display(p, &outcome)
			outcome.State = statePreviewed
			return printed(t, f.json, &outcome, nil)
		}
		err = outcome.conclude(s.offer(ctx, root, p, &outcome))
		return printed(t, f.json, &outcome, err)
	})
}
