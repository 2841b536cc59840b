package work

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine/proposal"
	"forge/internal/inert"
)

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
