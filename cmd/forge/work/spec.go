package work

import (
	"context"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/pipeline"
	"forge/internal/inert"
)

// NewSpec returns the command forge spec.
func NewSpec(t terminal.Terminal) *cobra.Command {
	var flags readFlags
	var version int
	c := &cobra.Command{
		Use:   `spec ["requirements"]`,
		Short: "Write, update, show, compare or roll back the specification of a folder",
		Long: "With a text of requirements, a model writes the next version of the specification, and you are asked before it is\n" +
			"stored. Without a text the latest version is shown. No version is changed; the last ten are kept.",
		Example: `  forge spec "refunds are rounded half to even"
  forge spec
  forge spec --version 2
  forge spec diff 2 3`,
		Args: terminal.AtMostOne("one text of requirements: quote it"),
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 0 {
				return writeSpec(c, t, flags, args)
			}
			if version < 1 && c.Flags().Changed("version") {
				return fmt.Errorf("--version %d: want a version from 1", version)
			}
			if err := terminal.OnlyFlags(c, "forge spec without requirements", "dir", "json", "version"); err != nil {
				return err
			}
			f := terminal.KeptFlags{Dir: flags.dir, JSON: flags.json}
			return f.With(t, func(e *engine.Engine, in service.Folder) error {
				spec, err := service.ShowSpec(c.Context(), e, in, &api.SpecArgs{Version: version})
				return terminal.Shown(t, f.JSON, spec, err, func(s api.SpecResult) error { return printSpec(t, s) })
			})
		},
	}
	flags.add(c, "it is about")
	c.Flags().BoolVar(&flags.yes, "yes", false, "append the version without asking")
	c.Flags().IntVar(&version, "version", 0, "the version; without it the latest")
	c.AddCommand(newSpecDiff(t), newSpecRollback(t))
	return c
}

// writeSpec runs a model that writes a version, and shows the appended version.
func writeSpec(c *cobra.Command, t terminal.Terminal, f readFlags, args []string) error {
	err := terminal.OneTask(c, args)
	if err == nil {
		err = terminal.WithoutFlags(c, "forge spec with requirements", "version")
	}
	if err != nil {
		return err
	}
	return f.read(c.Context(), t, pipeline.Specify, func() string { return args[0] }, func(r reading) error {
		kept, err := r.spec(c.Context())
		if err != nil || !f.json && kept == nil {
			return err
		}
		if f.json {
			o := r.outcome()
			o.Spec = kept
			return terminal.WriteJSON(t.Out, o)
		}
		_, err = fmt.Fprintln(t.Out, inert.Text(kept.Text))
		return err
	})
}

// spec returns the version that the run has appended; nil if there is none.
func (r reading) spec(ctx context.Context) (*api.SpecResult, error) {
	for _, e := range r.run.Log.Since(0) {
		if kept, is := e.Data.(event.SpecKept); is {
			spec, err := r.engine.Spec(ctx, r.run.Root, kept.Version)
			wire := api.SpecOf(spec)
			return &wire, err
		}
	}
	return nil, nil
}

func printSpec(t terminal.Terminal, spec api.SpecResult) error {
	fmt.Fprintf(t.Err, "[forge] version %d: %s\n", spec.Version, inert.Text(spec.Changelog))
	_, err := fmt.Fprintln(t.Out, inert.Text(spec.Text))
	return err
}

// versions parses numbers of versions.
func versions(args []string) ([]int, error) {
	var all []int
	for _, arg := range args {
		n, err := strconv.Atoi(arg)
		if err != nil || n < 1 {
			return nil, terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("%q is not a version: want a number from 1", arg))
		}
		all = append(all, n)
	}
	return all, nil
}

func newSpecDiff(t terminal.Terminal) *cobra.Command {
	const example = "forge spec diff 2 3"
	return terminal.Stored(t, cobra.Command{
		Use: "diff A B", Short: "Compare two versions of the specification", Example: "  " + example, Args: terminal.Exactly(2, example),
	}, func(ctx context.Context, o terminal.Opened) (api.SpecDiffResult, error) {
		pair, err := versions(o.Args)
		if err != nil {
			return api.SpecDiffResult{}, err
		}
		return service.DiffSpec(ctx, o.Engine, o.In, &api.SpecDiffArgs{From: pair[0], To: pair[1]})
	}, printSpecDiff)
}

func printSpecDiff(t terminal.Terminal, d api.SpecDiffResult) error {
	if d.Diff == "" {
		fmt.Fprintf(t.Err, "[forge] versions %d and %d are equal\n", d.From, d.To)
	}
	_, err := fmt.Fprint(t.Out, inert.Text(d.Diff))
	return err
}

func newSpecRollback(t terminal.Terminal) *cobra.Command {
	const example = "forge spec rollback 2"
	return terminal.Stored(t, cobra.Command{
		Use: "rollback N", Short: "Append a copy of an old version; deletes no version", Example: "  " + example, Args: terminal.Exactly(1, example),
	}, func(ctx context.Context, o terminal.Opened) (api.SpecResult, error) {
		which, err := versions(o.Args)
		if err != nil {
			return api.SpecResult{}, err
		}
		return service.RollbackSpec(ctx, o.Engine, o.In, &api.SpecArgs{Version: which[0]})
	}, printSpec)
}
