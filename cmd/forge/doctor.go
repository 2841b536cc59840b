package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/engine/config"
	"forge/internal/inert"
)

func newDoctor(t terminal) *cobra.Command {
	var asJSON bool
	var dir string
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Check what Forge needs, and say what is missing",
		Long: "Checks what Forge needs: programs, keys and servers of models, and, with --dir, what the gates of a folder miss.\n" +
			"It ends with 1 when something is missing, and says what to do about it.",
		Example: "  forge doctor\n  forge doctor --dir .",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			p, err := openParts(t, config.Models{})
			if err != nil {
				return err
			}
			defer p.Close()
			var folders []string
			if dir != "" {
				root, _, err := projectFolder(dir)
				if err != nil {
					return err
				}
				folders = append(folders, root)
			}
			result := service.Doctor(c.Context(), p.Engine, p.ModelChecks, folders)
			err = shown(t, asJSON, result, nil, func(r api.DoctorResult) error { return printChecks(t, r) })
			if err == nil && !result.OK {
				return &exitError{code: exitFailed}
			}
			return err
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "a folder: which gates would check it, and what they miss")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func printChecks(t terminal, r api.DoctorResult) error {
	for _, c := range r.Checks {
		if _, err := fmt.Fprintf(t.out, "%-8s %-8s %s\n", c.Name, c.State, inert.Text(c.Detail)); err != nil {
			return err
		}
	}
	return nil
}
