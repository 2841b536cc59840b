package event

import (
	"strings"

	"forge/internal/inert"
)

// planned prints the parts of a plan, and its notes.
func (t *Teller) planned(p Planned) {
	tiers := 0
	for _, part := range p.Parts {
		tiers = max(tiers, part.Tier)
	}
	t.say(PhaseRun, "", Info, "plan: %s in %s, about %s", count(len(p.Parts), "part"), count(tiers, "tier"), count(p.Minutes, "minute"))
	for _, part := range p.Parts {
		t.say(PhaseRun, "", Info, "    %d  %-12s %s (%s)", part.Tier, inert.Text(part.ID), inert.Text(part.Title), inert.Text(strings.Join(part.Files, ", ")))
	}
	for _, note := range p.Notes {
		t.say(PhaseRun, "", Warning, "    %s", inert.Text(note))
	}
}

// of returns the name of a line's part as a prefix: "two: ".
func of(part string) string {
	if part == "" {
		return ""
	}
	return inert.Text(part) + ": "
}
