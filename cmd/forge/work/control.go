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

// controlFlags name control files that --yes covers: files that more than compilers read.
type controlFlags struct {
	allowed []string       // as the user names them
	at      terminal.Place // what they are relative to
}

func (f *controlFlags) add(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.allowed, "allow-control", nil,
		"with --yes: also change this file, which an editor, git, a shell, a CI system or the next model acts on; repeatable")
}

// uncovered lists the files of a proposal that --yes does not cover.
func (f controlFlags) uncovered(p *proposal.Proposal) []proposal.File {
	return slices.DeleteFunc(p.Guarded(), func(file proposal.File) bool {
		return slices.ContainsFunc(f.allowed, func(name string) bool { return f.at.Path(name) == file.Change.Path })
	})
}

// lookFirst prints, above a proposal, the notices of its checks and its control files.
func lookFirst(out io.Writer, p *proposal.Proposal) {
	for _, notice := range p.Notices() {
		fmt.Fprintf(out, "[forge] %s\n", inert.Text(notice))
	}
	for _, f := range p.Files {
		switch path := inert.Text(f.Change.Path); f.Control.Level {
		case integrity.ControlAsk, integrity.ControlDeny:
			fmt.Fprintf(out, "[forge] check this first: %s: %s\n", path, f.Control.Reason)
		case integrity.ControlLook:
			fmt.Fprintf(out, "[forge] check this: %s: %s\n", path, f.Control.Reason)
		case integrity.ControlNone:
		}
	}
}

// covered returns an error if --yes does not cover all of a proposal: the checks judged the whole of it, so it is not applied without
// these files.
func (f controlFlags) covered(p *proposal.Proposal, again string) error {
	left := f.uncovered(p)
	if len(left) == 0 {
		return nil
	}
	var reasons, flags []string
	for _, file := range left {
		reasons = append(reasons, fmt.Sprintf("%s: %s", inert.Text(file.Change.Path), file.Control.Reason))
		flags = append(flags, "--allow-control "+inert.Text(f.at.Named(file.Change.Path)))
	}
	return terminal.ExitWith(terminal.ExitBlocked, fmt.Sprintf("--yes does not cover files that other programs act on, so nothing was applied: %s. "+
		"Check the change; to apply it, use %s%s", strings.Join(reasons, "; "), strings.Join(flags, " "), again))
}

// eachGuarded asks about every file that "all" does not cover, and returns the paths without the rejected ones.
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
