package terminal

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/engine/mode"
)

// RunForms declares which flags of forge run have no effect with others.
func RunForms(c *cobra.Command) {
	planned := []string{"plan", "plan-file", "lite"}
	Needs(c, "sanity-every", planned...)
	Needs(c, "fanout-depth", planned...)
	// Tools make one attempt, and no model chooses what they do.
	Leaves(c, "tool", append(planned, "max-attempts")...)
	for _, m := range mode.Modes() {
		if m.Answers() {
			LeavesAt(c, "mode", string(m.Name), append(planned, "recipe", "profile", "max-attempts", "whole-suite", "allow-control", "allow-unverified", "allow-files")...)
		}
	}
}

// CheckWay rejects an unknown recipe, mode, profile or domain, and lists the known ones.
func CheckWay(recipe, named, profile, domain string) error {
	_, noRecipe := mode.LookupRecipe(recipe)
	_, noMode := mode.Lookup(named)
	_, noProfile := mode.LookupProfile(profile)
	_, noDomain := mode.LookupDomain(domain)
	for _, flag := range []struct {
		name string
		err  error
	}{{"recipe", noRecipe}, {"mode", noMode}, {"profile", noProfile}, {"domain", noDomain}} {
		if flag.err != nil {
			return ExitWith(ExitUsage, fmt.Sprintf("--%s: %v", flag.name, flag.err))
		}
	}
	return nil
}
