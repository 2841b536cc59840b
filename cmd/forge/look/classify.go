package look

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/cmd/forge/terminal"
)

// NewClassify returns the command forge classify.
func NewClassify(t terminal.Terminal) *cobra.Command {
	var file string
	var asJSON bool
	c := &cobra.Command{
		Use:   `classify "what to do"`,
		Short: "Classify a request, with a confidence; uses no model",
		Long: "Classifies a request by rules, as every run does at its start. Runs look up the lessons of earlier runs\n" +
			"under the kind and the folder that are shown here.",
		Example: `  forge classify "fix the rounding of refunds" --file pay/refund.go`,
		Args:    terminal.OneTask,
		RunE: func(_ *cobra.Command, args []string) error {
			class := api.Classify(api.ClassifyArgs{Task: args[0], Path: terminal.FocusPath(file)})
			if asJSON {
				return terminal.WriteJSON(t.Out, class)
			}
			return printClass(t.Safe(), class)
		},
	}
	c.Flags().StringVar(&file, "file", "", "the file that the task is about, relative to its folder")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// printClass prints a class in a line: "bugfix, about pay (sure): wants tests and a review". The JSON has the
// confidence as a number.
func printClass(t terminal.Terminal, c api.Class) error {
	where, needs := "the whole folder", "needs no tests of its own"
	if c.Scope != "." {
		where = terminal.OnOneLine(c.Scope)
	}
	switch {
	case c.RequiresTests && c.RequiresReview:
		needs = "wants tests and a review"
	case c.RequiresTests:
		needs = "wants tests"
	case c.RequiresReview:
		needs += ", and wants a review"
	}
	_, err := fmt.Fprintf(t.Out, "%s, about %s (%s): %s\n", c.Kind, where, c.Certainty, needs)
	return err
}
