package work

import (
	"cmp"
	"fmt"
	"strings"
)

// Markdown returns the plan for users: a table of its parts by tier, the purpose of each, and the notes about it.
func (p Plan) Markdown(notes []string) string {
	var text strings.Builder
	text.WriteString("| tier | part | what | files | waits for | risk |\n|---|---|---|---|---|---|\n")
	for tier, parts := range p.Tiers() {
		for _, i := range parts {
			part := p.Parts[i]
			fmt.Fprintf(&text, "| %d | %s | %s | %s | %s | %s |\n", tier+1, part.ID, cell(part.Title), cell(strings.Join(part.Files, ", ")),
				cmp.Or(strings.Join(part.DependsOn, ", "), "–"), cmp.Or(part.Risk, "–"))
		}
	}
	for _, part := range p.Parts {
		fmt.Fprintf(&text, "\n**%s**: %s\n\nDone when: %s\n\n", part.ID, strings.TrimSpace(part.Objective), strings.TrimSpace(part.DoneWhen))
		for _, v := range part.Verify {
			fmt.Fprintf(&text, "- %s\n", strings.TrimSpace(v))
		}
	}
	if len(notes) > 0 {
		text.WriteString("\nNoted:\n")
		for _, note := range notes {
			text.WriteString("- " + note + "\n")
		}
	}
	return text.String()
}

// cell returns a text for a table.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
