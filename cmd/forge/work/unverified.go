package work

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/event"
	"forge/engine/proposal"
	"forge/internal/inert"
)

// addUnverified adds the flag that applies a change that the run did not accept.
func (f *RunFlags) addUnverified(c *cobra.Command) {
	c.Flags().BoolVar(&f.unverified, "allow-unverified", false, "with --yes: also apply the best change of a run that did not succeed")
	terminal.Needs(c, "allow-unverified", "yes", "allow-files")
}

// warn prints above a change that it is not verified, and why.
func (s Session) warn(p *proposal.Proposal) {
	switch {
	case p.Unverified == "":
		return
	case len(p.Missing) > 0:
		fmt.Fprintln(s.Err, "[forge] not complete: this change is a part of what you asked for:")
	case s.Fails:
		fmt.Fprintln(s.Err, "[forge] not verified: the run accepted this change with a part of the tests:")
	default:
		fmt.Fprintln(s.Err, "[forge] not verified: the run did not accept this change, which is its best one:")
	}
	for line := range strings.Lines(p.Unverified) {
		fmt.Fprintf(s.Err, "        %s\n", inert.Text(strings.TrimRight(line, "\n")))
	}
}

// explain prints above a change what the model says of it.
func (s Session) explain(p *proposal.Proposal) {
	if says := event.ModelSays(p.Explanation); says != "" {
		fmt.Fprintf(s.Err, "[forge] %s\n", says)
	}
}

// noConsent is the error of a command that cannot ask about a change, and whose flags do not cover it.
func (s Session) noConsent(p *proposal.Proposal) error {
	switch {
	case p.Unverified == "":
		return terminal.ExitWith(terminal.ExitBlocked, "nothing was applied: no terminal to ask for consent. Use --yes to apply the result"+later(p, ", or apply it now: ", " --yes"))
	case s.Flags.Yes:
		return terminal.ExitWith(terminal.ExitBlocked, "nothing was applied: the change is "+p.Flaw()+", and --yes alone does not apply it. "+
			"Use --allow-unverified too, or apply it now: forge apply --run "+p.RunID+" --yes --allow-unverified")
	}
	return terminal.ExitWith(terminal.ExitBlocked, "nothing was applied: the change is "+p.Flaw()+", and there is no terminal to ask for consent. "+
		"To apply it anyway: forge apply --run "+p.RunID+" --yes --allow-unverified")
}

// later is the command that applies the change of a run without repeating the run, after a text and with a flag; empty for other changes.
func later(p *proposal.Proposal, before, flag string) string {
	if strings.TrimPrefix(p.ID, "p-") != strings.TrimPrefix(p.RunID, "r-") { // an undo
		return ""
	}
	return before + "forge apply --run " + p.RunID + flag
}
