package work

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/history"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// accept lets the user choose: everything, file by file, or nothing. It returns the chosen paths.
func (s Session) accept(ctx context.Context, p *proposal.Proposal) ([]string, error) {
	var all []string
	for _, f := range p.Files {
		all = append(all, f.Change.Path)
	}
	if s.Flags.Yes && (p.Unverified == "" || s.Flags.unverified) {
		return all, s.Flags.control.covered(p, s.again(p))
	}
	if s.Flags.Yes || !s.Interactive {
		return nil, s.noConsent(p)
	}
	answer, err := s.Decide(ctx, whatToApply(all, p.Name()))
	switch {
	case errors.Is(err, event.ErrNoAnswer):
		return nil, terminal.ExitWith(terminal.ExitBlocked, "no answer, so nothing was applied")
	case err == nil && answer.Choice == "none":
		return nil, nil
	case err != nil:
		return nil, err
	case answer.Choice == "all" && len(all) == 1: // the only file
		return all, nil
	case answer.Choice == "all":
		return s.eachGuarded(ctx, p, all)
	}
	return s.fileByFile(ctx, all)
}

// again returns the command that accepts the proposal of a run later; empty for a patch.
func (s Session) again(p *proposal.Proposal) string {
	if strings.HasPrefix(p.RunID, "r-") {
		return ", as in\n  forge resume " + p.RunID + " --yes --allow-control PATH"
	}
	return ""
}

// whatToApply asks which changes to apply of what, the name of the change.
func whatToApply(paths []string, what string) event.Question {
	if len(paths) == 1 {
		return event.Question{
			Title: "Apply " + what + " to " + paths[0] + "?", Default: "none",
			Choices: []event.Choice{{ID: "all", Title: "Yes"}, {ID: "none", Title: "No"}},
		}
	}
	return event.Question{
		Title: fmt.Sprintf("Apply %s to %d files?", what, len(paths)), Default: "none",
		Choices: []event.Choice{{ID: "all", Title: "Apply all"}, {ID: "files", Title: "File by file"}, {ID: "none", Title: "Nothing"}},
	}
}

func (s Session) fileByFile(ctx context.Context, all []string) ([]string, error) {
	var chosen []string
	for _, path := range all {
		agreed, err := s.Confirm(ctx, "Apply "+path+"?", "")
		if err != nil {
			return nil, err
		}
		if agreed {
			chosen = append(chosen, path)
		}
	}
	return chosen, nil
}

// ApplyAccepted writes the accepted files, and reports what was really written. moved maps each moved file to its old path.
func ApplyAccepted(ctx context.Context, e *engine.Engine, t terminal.Terminal, root string, p *proposal.Proposal, paths []string, moved map[string]string, outcome *RunOutcome) error {
	hunks, err := p.Select(proposal.Selection{Files: paths})
	if err != nil {
		return err
	}
	if err := e.Recover(ctx, root); err != nil { // before any file is read: a plan must not be based on a half-written older change
		return err
	}
	plans, err := p.Plan(hunks, service.OnDisk(root))
	if err != nil {
		return err
	}
	applied, err := service.ApplyPlans(ctx, e, root, p, plans, moved)
	outcome.Checkpoint = applied.Checkpoint
	for _, f := range applied.Files {
		outcome.Files = append(outcome.Files, fileOutcome{Path: f.Path, State: string(f.State)})
		fmt.Fprintf(t.Err, "[forge] %s %s%s\n", f.State, inert.Text(f.Path), event.Because(f.State.Why()))
	}
	run, undone := history.RunOf(p.RunID)
	if undone && outcome.inConflict() {
		fmt.Fprintf(t.Err, "[forge] to undo the rest: change these lines by hand, or take your own edit of them back and repeat forge undo %s\n", run)
	}
	switch {
	case err != nil:
		return err
	case applied.Checkpoint == "":
		fmt.Fprintln(t.Err, "[forge] nothing was applied; your files are unchanged")
		return nil
	}
	if undone {
		fmt.Fprintf(t.Err, "[forge] to redo: forge redo %s\n", run)
	} else {
		fmt.Fprintf(t.Err, "[forge] to undo: forge undo %s\n", run)
	}
	return nil
}

// trusted ensures that the user trusts a folder before a change is applied in it: given is the flag --trust. git, which records the data for undo, runs in it.
func trusted(ctx context.Context, d *terminal.Dialogue, e *engine.Engine, root string, given bool) error {
	if given {
		return blocked(e.Trust(root))
	}
	if known, err := e.Trusted(root); err != nil || known {
		return blocked(err)
	}
	if !d.Interactive {
		return terminal.ExitWith(terminal.ExitBlocked, fmt.Sprintf("the folder %[1]s is not trusted: if you trust the code in it, use --trust, or forge trust %[1]s", root))
	}
	answer, err := d.Decide(ctx, event.Question{
		Kind: event.AskTrust, Title: "Do you trust the code in " + root + "?",
		Detail:  "Nothing in it is executed now, but git, which records the data for undo, and later runs are started in it.",
		Choices: []event.Choice{{ID: "trust", Title: "Trust and continue"}, {ID: "no", Title: "Don't apply"}}, Default: "no",
	})
	switch {
	case err != nil && !errors.Is(err, event.ErrNoAnswer):
		return err
	case err != nil || answer.Choice != "trust":
		return terminal.ExitWith(terminal.ExitCancelled, "the folder is not trusted, so nothing was applied")
	}
	return blocked(e.Trust(root))
}
