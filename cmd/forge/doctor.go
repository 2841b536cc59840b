package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/engine"
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
			checks := append(p.Doctor(c.Context()), p.modelChecks(c.Context())...)
			if dir != "" {
				root, _, err := projectFolder(dir)
				if err != nil {
					return err
				}
				checks = append(checks, p.DoctorFolder(c.Context(), root)...)
			}
			return report(t, checks, asJSON)
		},
	}
	c.Flags().StringVar(&dir, "dir", "", "a folder: which gates would check it, and what they miss")
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

// report shows the checks; a missing one is a failure.
func report(t terminal, checks []engine.Check, asJSON bool) error {
	result := api.DoctorResult{OK: true}
	for _, c := range checks {
		result.OK = result.OK && c.State != engine.CheckMissing
		result.Checks = append(result.Checks, api.DoctorCheck{Name: c.Name, State: string(c.State), Detail: c.Detail})
		if !asJSON {
			fmt.Fprintf(t.out, "%-8s %-8s %s\n", c.Name, c.State, inert.Text(c.Detail))
		}
	}
	if asJSON {
		if err := writeJSON(t.out, result); err != nil {
			return err
		}
	}
	if !result.OK {
		return &exitError{code: exitFailed}
	}
	return nil
}
