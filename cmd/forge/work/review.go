package work

import (
	"fmt"

	"github.com/spf13/cobra"

	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/mode"
	"forge/engine/pipeline"
	"forge/internal/inert"
)

// reviewFlags are the flags of forge review.
type reviewFlags struct {
	readFlags
	final, sarif bool
}

// NewReview returns the command forge review.
func NewReview(t terminal.Terminal) *cobra.Command {
	var f reviewFlags
	c := &cobra.Command{
		Use:   "review",
		Short: "Review a file, some lines, uncommitted changes, or a release; changes no file",
		Long: "Review a file, some lines, or, without --file, all uncommitted changes.\n\n" +
			"With --final, three reviewers with different lenses review all changes of a release. What two of them report must be fixed, and so\n" +
			"must an error of one in the category silent-failure, contract-mismatch, schema-drift or silent-production-failure. These findings\n" +
			"block the release; all others are advisory. If one reviewer gives no usable answer, a further call decides about errors that only one of\n" +
			"the others reports.\n\n" +
			"Exit codes: 0 no issue is an error, 1 an issue is an error, 3 the review failed, or with --final the release is blocked.",
		Example: "  forge review\n  forge review --file pay.go --lines 10-40\n  forge review --final --base v1.2.0 --sarif >review.sarif",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(); err != nil {
				return err
			}
			recipe, _ := f.request()
			return f.read(c.Context(), t, recipe, func() string { _, task := f.request(); return task }, func(r reading) error { return r.printReview(t, f) })
		},
	}
	f.add(c, "is reviewed")
	c.Flags().BoolVar(&f.final, "final", false, "review all changes of a release through three lenses")
	c.Flags().StringVar(&f.base, "base", "", "with --final: the commit before the release, such as a tag or main; the last commit without it")
	c.Flags().BoolVar(&f.sarif, "sarif", false, "print the issues as SARIF 2.1.0")
	return c
}

func (f reviewFlags) check() error {
	switch {
	case f.final && f.file+f.lines != "":
		return terminal.ExitWith(terminal.ExitUsage, "--final reviews all changes: leave --file and --lines out")
	case f.base != "" && !f.final:
		return terminal.ExitWith(terminal.ExitUsage, "--base "+f.base+": also set --final")
	case f.sarif && f.json:
		return terminal.ExitWith(terminal.ExitUsage, "--sarif and --json exclude each other")
	}
	return nil
}

// request returns the recipe and the task of the run.
func (f reviewFlags) request() (recipe mode.Recipe, task string) {
	switch {
	case f.base != "":
		return pipeline.Final, "Review the release: all changes since " + f.base + "."
	case f.final:
		return pipeline.Final, "Review the release: all changes since the last commit."
	case f.file != "":
		return pipeline.Review, "Review " + terminal.FocusPath(f.file) + "."
	}
	return pipeline.Review, "Review what is not committed yet."
}

// reviewed prints the review of a run, and returns the exit code of the program.
func (r reading) reviewed(t terminal.Terminal, asJSON bool) error {
	if err := r.printReview(t, reviewFlags{readFlags: readFlags{json: asJSON}}); err != nil {
		return err
	}
	return exitFor(r.result.State)
}

func (r reading) printReview(t terminal.Terminal, f reviewFlags) error {
	review := r.result.Review
	var err error
	switch {
	case f.json:
		err = terminal.WriteJSON(t.Out, r.outcome())
	case review == nil:
	case f.sarif:
		err = terminal.WriteJSON(t.Out, service.SARIF(*review))
	default:
		err = printIssues(t, r.run.Root, *review)
	}
	if err != nil || r.result.State != event.Succeeded || review == nil || review.Verdict != gate.Fail {
		return err
	}
	if r.run.Recipe == string(pipeline.Final) {
		return &terminal.ExitError{Code: terminal.ExitBlocked}
	}
	return &terminal.ExitError{Code: terminal.ExitFailed}
}

func printIssues(t terminal.Terminal, root string, review gate.Report) error {
	for _, f := range review.Findings {
		f.Path = terminal.FromHere(root, f.Path)
		if _, err := fmt.Fprintln(t.Out, inert.Text(issueLine(f))); err != nil {
			return err
		}
	}
	return nil
}

// issueLine formats an issue as compilers do, so that editors find the place.
func issueLine(f gate.Finding) string {
	return fmt.Sprintf("%s:%d: %s: %s (%s)", f.Path, f.Line, service.Level(f), f.Message, f.Rule)
}
