package look

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/checks"
	"forge/engine/gate"
	"forge/internal/inert"
)

// NewValidate returns the command forge validate.
func NewValidate(t terminal.Terminal) *cobra.Command {
	var dir string
	var asJSON, trust bool
	var wanted api.ValidateArgs
	c := &cobra.Command{
		Use:   "validate",
		Short: "Run the compilers, linters and tests of a folder in a scratch copy",
		Long: "Finds the projects of a folder and runs their gates in a scratch copy. It uses no model and does not change the folder.\n" +
			"It also checks that each file parses, and that imports between files resolve.\n" +
			"Exit codes: 0 all gates passed, 1 a gate failed, 3 a gate could not run or nothing was checked.",
		Example: "  forge validate\n  forge validate --trust --json\n  forge validate --gate \"go vet\"\n  forge validate --cwd services/api --file services/api/openapi.json",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			at, err := terminal.PlaceOf(dir)
			if err != nil {
				return err
			}
			if wanted.Cwd = cmp.Or(at.File(wanted.Cwd), at.Inside); wanted.Cwd != "" && !filepath.IsLocal(wanted.Cwd) {
				return terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("--cwd %s: want a folder in %s", wanted.Cwd, at.Root))
			}
			for i, file := range wanted.Files {
				wanted.Files[i] = at.File(file)
			}
			return terminal.InFolder(t, at.Root, func(e *engine.Engine, root string) error {
				if trust {
					if err := e.Trust(root); err != nil {
						return terminal.ExitWith(terminal.ExitBlocked, err.Error())
					}
				}
				return terminal.Explained(validate(c.Context(), t.Safe(), e, service.At(root), &wanted, asJSON))
			})
		},
	}
	c.Flags().StringVar(&dir, "dir", ".", "the folder")
	c.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	c.Flags().StringArrayVar(&wanted.Files, "file", nil, "a file that must exist, relative to the folder; repeatable")
	c.Flags().StringVar(&wanted.Cwd, "cwd", "", "directory to check: its projects, or else those that contain it")
	c.Flags().StringArrayVar(&wanted.Gates, "gate", nil, "run only this gate; repeatable")
	c.Flags().BoolVar(&trust, "trust", false, terminal.TrustUsage)
	return c
}

func validate(ctx context.Context, t terminal.Terminal, e *engine.Engine, in service.Folder, wanted *api.ValidateArgs, asJSON bool) error {
	report := func(r gate.Report) {
		if !asJSON {
			printReport(t.Out, r)
		}
	}
	result, err := service.Validate(ctx, e, in, report, wanted)
	switch {
	case ctx.Err() != nil:
		return terminal.ExitWith(terminal.ExitCancelled, "cancelled")
	case errors.Is(err, engine.ErrNotTrusted), errors.Is(err, checks.ErrNoGate):
		return err
	case err != nil:
		return terminal.ExitWith(terminal.ExitBlocked, err.Error())
	}
	err = terminal.Shown(t, asJSON, result, nil, func(r api.ValidateResult) error {
		printValidation(t.Out, in.Path, r)
		return nil
	})
	switch {
	case err != nil, result.Verdict == gate.Pass.String():
		return err
	case result.Verdict == gate.Fail.String():
		return &terminal.ExitError{Code: terminal.ExitFailed}
	}
	return &terminal.ExitError{Code: terminal.ExitBlocked}
}

// printReport prints a gate's report with its findings.
func printReport(w io.Writer, r gate.Report) {
	fmt.Fprintf(w, "%-8s %s: %s (%.1f s)\n", r.Verdict, terminal.OnOneLine(r.Gate), inert.Text(r.Summary), r.Elapsed.Seconds())
	failed := r.Verdict == gate.Fail || r.Verdict == gate.Error
	if r.Sandbox != "" && failed {
		fmt.Fprintf(w, "         ran with: %s\n", inert.Text(r.Sandbox))
	}
	if r.Advice != "" && failed {
		fmt.Fprintf(w, "         %s\n", inert.Text(r.Advice))
	}
	for _, f := range r.Findings {
		head, rest, _ := strings.Cut(f.String(), "\n")
		fmt.Fprintf(w, "         %s [%s]\n", inert.Text(head), terminal.OnOneLine(f.Rule))
		for line := range strings.Lines(rest) {
			fmt.Fprintf(w, "           %s\n", inert.Text(strings.TrimRight(line, "\r\n")))
		}
	}
}

// printValidation prints everything but the reports.
func printValidation(w io.Writer, root string, v api.ValidateResult) {
	for _, name := range v.Found.Waived {
		fmt.Fprintf(w, "%-8s %s: disabled in your settings\n", gate.NotRun, terminal.OnOneLine(name))
	}
	if len(v.Skipped) > 0 {
		fmt.Fprintf(w, "Not checked, because they are too large: %s\n", terminal.OnOneLine(strings.Join(v.Skipped, ", ")))
	}
	if len(v.Found.Gates) == 0 && len(v.Found.Waived) == 0 && len(v.Gates) == 0 {
		fmt.Fprintf(w, "Nothing in %s can be checked: Forge supports projects of %s\n", root, strings.Join(v.Found.Known, ", "))
	}
}
