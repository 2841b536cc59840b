package settings

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine/config"
	"forge/internal/inert"
)

// NewDoctor returns the command forge doctor.
func NewDoctor(t terminal.Terminal) *cobra.Command {
	var asJSON bool
	var dir string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check the requirements of Forge, and report what is missing",
		Long: "Checks the requirements of Forge: programs, keys and servers of models, and with --dir the tools that the gates of a folder need.\n" +
			"The exit code is 1 if something is missing; the output says how to fix it.",
		Example: "  forge doctor\n  forge doctor --dir .",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := terminal.OpenParts(t, config.Models{})
			if err != nil {
				return err
			}
			defer p.Close()
			var folders []string
			if dir != "" {
				at, err := terminal.PlaceOf(dir)
				if err != nil {
					return err
				}
				folders = append(folders, at.Root)
			}
			result := service.Doctor(c.Context(), p.Engine, p.ModelChecks, folders)
			err = terminal.Shown(t, asJSON, result, nil, func(r api.DoctorResult) error { return printChecks(t, r) })
			if err == nil && !result.OK {
				return &terminal.ExitError{Code: terminal.ExitFailed}
			}
			return err
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "also check the gates of this folder")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printChecks(t terminal.Terminal, r api.DoctorResult) error {
	for _, c := range r.Checks {
		if _, err := fmt.Fprintf(t.Out, "%-8s %-8s %s\n", c.Name, c.State, inert.Text(c.Detail)); err != nil {
			return err
		}
	}
	return nil
}
