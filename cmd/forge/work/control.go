package work

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/integrity"
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
