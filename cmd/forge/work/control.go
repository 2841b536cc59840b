package work

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/event"
	"forge/engine/integrity"
	"forge/engine/permission"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// controlFlags name files that --yes covers although they do more than be compiled or read.
type controlFlags struct{ allowed []string }

func (f *controlFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.allowed, "allow-control", nil,
		"let --yes apply a change of this file too, which an editor, git, a shell, a build machine or the next model acts on; may be given more than once")
}

// uncovered lists the files of a proposal that a yes to all of it does not cover.
func (f controlFlags) uncovered(p *proposal.Proposal) []proposal.File {
	return slices.DeleteFunc(p.Guarded(), func(file proposal.File) bool { return slices.Contains(f.allowed, file.Change.Path) })
}

// lookFirst says, above a proposal, what its checks noticed, and which of its files do more than be compiled or read.
func lookFirst(out io.Writer, p *proposal.Proposal) {
	for _, notice := range p.Notices() {
		fmt.Fprintf(out, "[forge] %s\n", inert.Text(notice))
	}
	for _, f := range p.Files {
		switch path := inert.Text(f.Change.Path); f.Control.Level {
		case integrity.ControlAsk, integrity.ControlDeny:
			fmt.Fprintf(out, "[forge] look at this first: %s: %s\n", path, f.Control.Reason)
		case integrity.ControlLook:
			fmt.Fprintf(out, "[forge] look twice: %s: %s\n", path, f.Control.Reason)
		case integrity.ControlNone:
		}
	}
}

// covered says why --yes applies nothing of a proposal: what was checked is the whole of it, so that the rest without these
// files is nothing that was checked.
func (f controlFlags) covered(p *proposal.Proposal, again string) error {
	left := f.uncovered(p)
	if len(left) == 0 {
		return nil
	}
	var reasons, flags []string
	for _, file := range left {
		reasons = append(reasons, fmt.Sprintf("%s: %s", inert.Text(file.Change.Path), file.Control.Reason))
		flags = append(flags, "--allow-control "+inert.Text(file.Change.Path))
	}
	return terminal.ExitWith(terminal.ExitBlocked, fmt.Sprintf("--yes does not cover a file that is acted on by itself, so nothing was applied: %s. "+
		"Look at the change; if it is meant, give %s%s", strings.Join(reasons, "; "), strings.Join(flags, " "), again))
}

// eachGuarded asks about every file that a yes to all does not cover, and gives the paths without those that are not wanted.
func (s Session) eachGuarded(ctx context.Context, p *proposal.Proposal, paths []string) ([]string, error) {
	for _, file := range s.Flags.control.uncovered(p) {
		path := file.Change.Path
		if !slices.Contains(paths, path) {
			continue
		}
		agreed, err := s.Confirm(ctx, "Apply "+path+" too?", file.Control.Reason)
		if err != nil {
			return nil, err
		}
		if !agreed {
			paths = slices.DeleteFunc(slices.Clone(paths), func(p string) bool { return p == path })
		}
	}
	return paths, nil
}

// permissionFlags are what the user says about permissions beforehand.
type permissionFlags struct {
	permission.Flags
	files bool // the result is applied without a question
}

func (f *permissionFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.files, "allow-files", false, "apply the whole result without asking, but for files that programs act on by themselves; --yes also accepts the specification and the plan")
	c.Flags().BoolVar(&f.Shell, "allow-shell", false, "let models use the commands that your settings name (tools.commands) without asking")
	c.Flags().BoolVar(&f.Network, "allow-network", false, "let models read the web, as far as your settings allow it (web), without asking")
	c.Flags().BoolVar(&f.Strict, "strict", false, "ask about each tool that executes something or leaves the machine, whatever you allowed earlier")
	c.Flags().BoolVar(&f.Skip, "skip-permissions", false, "ask about no tool; what is denied, critical commands and repeated calls stay as they are")
	c.Flags().BoolVar(&f.NonInteractive, "non-interactive", false, "ask nothing: what would be asked is denied, and the exit code is 6 if the run fails for it")
}

// check rejects flags that contradict each other.
func (f permissionFlags) check() error {
	if f.Strict && (f.Shell || f.Network || f.Skip) {
		return terminal.ExitWith(terminal.ExitUsage, "--strict asks about each tool, so --allow-shell, --allow-network and --skip-permissions cannot be given with it")
	}
	return nil
}

// unanswered notes what nobody could be asked about.
func (s Session) unanswered(e event.Event) {
	if u, is := e.Data.(event.ToolUsed); is && u.Refused == permission.CodeNonInteractive {
		s.Unanswered = append(s.Unanswered, terminal.Unanswered{Kind: string(event.AskPermission), Code: u.Refused, Reason: u.Tool + ": " + u.Reason})
	}
}

// denied returns the exit code of its own, if the program ends because nobody may be asked.
func (s Session) denied(err error) error {
	if err == nil || !s.Flags.permissions.NonInteractive {
		return err
	}
	exit := terminal.AsExit(err)
	if exit == nil || exit.Code != terminal.ExitBlocked && len(s.Unanswered) == 0 || exit.Code == terminal.ExitCancelled {
		return err
	}
	return terminal.ExitWith(terminal.ExitUnanswered, exit.Text)
}

// addUnverified adds the flag that takes a change that the run did not accept.
func (f *RunFlags) addUnverified(c *cobra.Command) {
	c.Flags().BoolVar(&f.unverified, "allow-unverified", false, "with --yes: apply the best change of a run that did not succeed, too")
}

// warn says above a change that it is not verified, and why.
func (s Session) warn(p *proposal.Proposal) {
	switch {
	case p.Unverified == "":
		return
	case s.Fails:
		fmt.Fprintln(s.Err, "[forge] not verified: the run accepted this change by a part of the tests:")
	default:
		fmt.Fprintln(s.Err, "[forge] not verified: this is the best change that the run made, and the run did not accept it:")
	}
	for line := range strings.Lines(p.Unverified) {
		fmt.Fprintf(s.Err, "        %s\n", inert.Text(strings.TrimRight(line, "\n")))
	}
}

// noConsent is the end of a command that cannot ask about a change, and whose flags do not take it.
func (s Session) noConsent(p *proposal.Proposal) error {
	switch {
	case p.Unverified == "":
		return terminal.ExitWith(terminal.ExitBlocked, "nothing was applied: there is no terminal to ask in. Give --yes to apply the result"+later(p))
	case s.Flags.Yes:
		return terminal.ExitWith(terminal.ExitBlocked, "nothing was applied: the change is not verified, and --yes alone does not take it. "+
			"Give --allow-unverified too, or take it now: forge apply --run "+p.RunID+" --yes --allow-unverified")
	}
	return terminal.ExitWith(terminal.ExitBlocked, "nothing was applied: the change is not verified, and there is no terminal to ask in. "+
		"Take it as it is: forge apply --run "+p.RunID+" --yes --allow-unverified")
}

// later is how the change of a run is applied without doing the run again.
func later(p *proposal.Proposal) string {
	if strings.TrimPrefix(p.ID, "p-") != strings.TrimPrefix(p.RunID, "r-") { // it takes a run back
		return ""
	}
	return ", or take it now: forge apply --run " + p.RunID + " --yes"
}
