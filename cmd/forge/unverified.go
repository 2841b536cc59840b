package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"forge/engine/proposal"
	"forge/internal/inert"
)

// addUnverified adds the flag that takes a change that the run did not accept.
func (f *runFlags) addUnverified(c *cobra.Command) {
	c.Flags().BoolVar(&f.unverified, "allow-unverified", false, "with --yes: apply the best change of a run that did not succeed, too")
}

// warn says above a change that it is not verified, and why.
func (s session) warn(p *proposal.Proposal) {
	switch {
	case p.Unverified == "":
		return
	case s.fails:
		fmt.Fprintln(s.err, "[forge] not verified: the run accepted this change by a part of the tests:")
	default:
		fmt.Fprintln(s.err, "[forge] not verified: this is the best change that the run made, and the run did not accept it:")
	}
	for line := range strings.Lines(p.Unverified) {
		fmt.Fprintf(s.err, "        %s\n", inert.Text(strings.TrimRight(line, "\n")))
	}
}

// noConsent is the end of a command that cannot ask about a change, and whose flags do not take it.
func (s session) noConsent(p *proposal.Proposal) error {
	switch {
	case p.Unverified == "":
		return &exitError{exitBlocked, "nothing was applied: there is no terminal to ask in. Give --yes to apply the result" + later(p)}
	case s.flags.yes:
		return &exitError{exitBlocked, "nothing was applied: the change is not verified, and --yes alone does not take it. " +
			"Give --allow-unverified too, or take it now: forge apply --run " + p.RunID + " --yes --allow-unverified"}
	}
	return &exitError{exitBlocked, "nothing was applied: the change is not verified, and there is no terminal to ask in. " +
		"Take it as it is: forge apply --run " + p.RunID + " --yes --allow-unverified"}
}

// later is how the change of a run is applied without doing the run again.
func later(p *proposal.Proposal) string {
	if strings.TrimPrefix(p.ID, "p-") != strings.TrimPrefix(p.RunID, "r-") { // it takes a run back
		return ""
	}
	return ", or take it now: forge apply --run " + p.RunID + " --yes"
}
