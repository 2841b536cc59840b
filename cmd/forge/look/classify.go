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
		Short: "Say what kind of work a request is taken for, and how sure that is; no model is asked",
		Long: "Says what kind of work a request is taken for, by rules alone, as every run says it when it begins: what earlier runs have taught is\n" +
			"looked for under the kind and the folder that are shown here.",
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
	c.Flags().StringVar(&file, "file", "", "the file the task is about, relative to its folder")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return c
}

// printClass prints a class in a line: "bugfix, about pay (sure): wants tests and a review". The JSON has the
// confidence as a number.
func printClass(t terminal.Terminal, c api.Class) error {
	where, needs := "all of the folder", "needs no tests of its own"
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
