package keep

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/internal/inert"
)

// NewSkills returns the command forge skills.
func NewSkills(t terminal.Terminal) *cobra.Command {
	var f terminal.KeptFlags
	c := &cobra.Command{
		Use:   "skills [TYPE]",
		Short: "List the skills that runs in a folder know, or those for a kind of work; begin one, or install one",
		Long: "Lists the skills that runs in a folder know: those in .forge/skills of the folder if it is trusted, then those in ~/.forge/skills\n" +
			"and ~/.hermes/skills. Of each name the first counts. With a type it is the skill of that name, or else those whose category begins so.",
		Example: "  forge skills\n  forge skills code\n  forge skills new review-api --project",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			kind := ""
			if len(args) == 1 {
				kind = args[0]
			}
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				found, err := service.ListSkills(c.Context(), e, in, &api.SkillsArgs{Type: kind})
				return terminal.Shown(t, f.JSON, found, err, func(r api.SkillsResult) error { return printSkills(t, r) })
			})
		},
	}
	f.Add(c)
	c.AddCommand(newSkillsNew(t), newSkillsInstall(t))
	return c
}

func printSkills(t terminal.Terminal, found api.SkillsResult) error {
	for _, p := range found.Problems {
		fmt.Fprintf(t.Err, "[forge] %s is not a valid skill: %s\n", inert.Text(p.Source), inert.Text(p.Reason))
	}
	if found.Untrusted {
		fmt.Fprintln(t.Err, "[forge] the folder is not trusted, so that skills of its own are not read")
	}
	if len(found.Skills) == 0 {
		fmt.Fprintln(t.Err, "[forge] there are no such skills: begin one with: forge skills new <name>")
	}
	for _, s := range found.Skills {
		if _, err := fmt.Fprintf(t.Out, "%-24s %-20s %s\n%24s %s\n", inert.Text(s.Name), inert.Text(s.Category), inert.Text(s.Description), "", inert.Text(s.Source)); err != nil {
			return err
		}
	}
	return nil
}
