package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"forge/cmd/forge/terminal"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/llm"
	"forge/engine/pipeline"
	"forge/engine/plan"
	"forge/internal/inert"
)

// plansFolder has the plans of a folder, relative to it.
const plansFolder = ".forge/plans"

// NewPlan returns the command forge plan.
func NewPlan(t terminal.Terminal) *cobra.Command {
	var f readFlags
	c := &cobra.Command{
		Use:   `plan "what to do"`,
		Short: "Make a plan to edit and to carry out later; changes no code",
		Long: "Make a plan: the parts of a task, with their files and what each waits for. The plan is a file in " + plansFolder + " of the folder.\n" +
			"Edit it as you like, and carry it out with forge run --plan-file.",
		Example: `  forge plan "add refunds, taxes and their report"
  forge plan validate .forge/plans/add-refunds-taxes-and-their-report.json
  forge run --plan-file .forge/plans/add-refunds-taxes-and-their-report.json`,
		Args: terminal.OneTask,
		RunE: func(c *cobra.Command, args []string) error { return makePlan(c.Context(), t, f, args[0]) },
	}
	f.add(c, "the task is about")
	c.AddCommand(newPlanValidate(t), newPlanSchema(t))
	return c
}

// makePlan runs a planner, and writes its plan to a new file of the folder.
func makePlan(ctx context.Context, t terminal.Terminal, f readFlags, task string) error {
	return f.read(ctx, t, pipeline.Plan, func() string { return task }, func(r reading) error { return r.planned(t, f.json) })
}

// planned writes the plan of a run that only plans, if it has one, and returns the exit code of the program. One with faults is written,
// too: the user may correct it.
func (r reading) planned(t terminal.Terminal, asJSON bool) error {
	made, usable := r.result.Plan, r.result.State == event.Succeeded
	if made == nil {
		return printed(t, asJSON, r.outcome(), exitFor(r.result.State))
	}
	name, text, err := writePlan(r.run.Root, *made)
	if err != nil {
		return fmt.Errorf("write the plan: %w", err)
	}
	here := inert.Text(terminal.FromHere(r.run.Root, name))
	switch {
	case asJSON:
		err = terminal.WriteJSON(t.Out, struct {
			readOutcome
			Path string `json:"path"` // relative to the project
		}{r.outcome(), name})
	case usable:
		fmt.Fprint(t.Out, inert.Text(plan.Plan{Parts: made.Parts}.Markdown(nil)))
		fmt.Fprintf(t.Err, "[forge] the plan is in %s: edit it, and carry it out with: forge run --plan-file %s\n", here, here)
	default:
		_, faults := plan.Read(text, nil)
		printFaults(t, here, faults)
		fmt.Fprintf(t.Err, "[forge] the planner's last answer is in %s: correct it, and carry it out with: forge run --plan-file %s\n", here, here)
	}
	return errors.Join(err, exitFor(r.result.State))
}

// writePlan writes a plan to a file that does not exist yet, and returns its name and text. No link leads it out of the folder.
func writePlan(folder string, p plan.File) (name string, text []byte, err error) {
	if text, err = json.MarshalIndent(p, "", "  "); err != nil {
		return "", nil, err
	}
	text = append(text, '\n')
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", nil, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	if err := root.MkdirAll(plansFolder, 0o755); err != nil {
		return "", nil, err
	}
	for i := 1; ; i++ {
		name = path.Join(plansFolder, slug(p.Task, i)+".json")
		file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", nil, err
		}
		_, err = file.Write(text)
		return name, text, errors.Join(err, file.Close())
	}
}

// slug returns the name of a task's file: its first words in lower case, and a number from the second file on.
func slug(task string, number int) string {
	words := strings.FieldsFunc(strings.ToLower(task), func(c rune) bool { return (c < 'a' || c > 'z') && (c < '0' || c > '9') })
	name := "plan"
	for i, word := range words {
		switch {
		case i == 0:
			name = word[:min(len(word), 40)]
		case len(name)+1+len(word) <= 40:
			name += "-" + word
		}
	}
	if number > 1 {
		name = fmt.Sprintf("%s-%d", name, number)
	}
	return name
}

// planText is a plan file as it was read. The zero value is none.
type planText struct {
	name string
	text []byte
	plan plan.File
}

// edited says, after a run, that the user has changed the file since it was read: the run has carried out the older plan.
func (p planText) edited(t terminal.Terminal) {
	if p.name == "" {
		return
	}
	if now, err := os.ReadFile(p.name); err == nil && !bytes.Equal(now, p.text) {
		fmt.Fprintf(t.Err, "[forge] %s was changed while the run was at work: the run carried out the plan as it was at the start\n", inert.Text(p.name))
	}
}

// readPlan reads a plan file, and prints its faults as compilers do. A plan with an error is none. refuses is that of plan.Read.
func readPlan(t terminal.Terminal, name string, refuses func(argv []string) string) (planText, error) {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return planText{}, terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("plan %s: no such file", name))
	case err != nil:
		return planText{}, terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("cannot read the plan: %v", err))
	case !info.Mode().IsRegular():
		return planText{}, terminal.ExitWith(terminal.ExitUsage, name+" is no plan: it is no regular file")
	case info.Size() > plan.MaxFile:
		return planText{}, terminal.ExitWith(terminal.ExitUsage, fmt.Sprintf("%s:%s", name, plan.TooLarge(info.Size())))
	}
	text, err := os.ReadFile(name) //nolint:gosec // the user names it
	if err != nil {
		return planText{}, err
	}
	file, faults := plan.Read(text, refuses)
	printFaults(t, name, faults)
	if plan.Broken(faults) {
		return planText{}, &terminal.ExitError{Code: terminal.ExitUsage}
	}
	return planText{name, text, file}, nil
}

// printFaults prints the faults of a plan file as compilers do.
func printFaults(t terminal.Terminal, name string, faults []plan.Fault) {
	for _, fault := range faults {
		fmt.Fprintf(t.Err, "%s:%s\n", inert.Text(name), inert.Text(fault.String()))
	}
}

// commandsIn returns why a command of a plan cannot be run in a folder; an engine that cannot be opened knows of none.
func commandsIn(ctx context.Context, t terminal.Terminal, dir string) func(argv []string) string {
	return func(argv []string) (why string) {
		_ = terminal.InFolder(t, dir, func(e *engine.Engine, root string) error {
			why = e.RefusesCommand(ctx, root, argv)
			return nil
		})
		return why
	}
}

func newPlanValidate(t terminal.Terminal) *cobra.Command {
	const example = "forge plan validate .forge/plans/add-refunds.json"
	return &cobra.Command{
		Use: "validate FILE", Short: "Check a plan file: fields, paths, cycles, overlaps, commands; uses no model", Example: "  " + example, Args: terminal.Exactly(1, example),
		RunE: func(c *cobra.Command, args []string) error {
			given, err := readPlan(t, args[0], commandsIn(c.Context(), t, "."))
			if err != nil {
				return err
			}
			p, _ := plan.Repair(plan.Plan{Parts: given.plan.Parts})
			_, err = fmt.Fprintf(t.Out, "%s, about %s\n", event.Count(len(p.Parts), "part")+" in "+event.Count(len(p.Tiers()), "tier"), event.Count(p.Minutes(), "minute"))
			return err
		},
	}
}

func newPlanSchema(t terminal.Terminal) *cobra.Command {
	return &cobra.Command{
		Use: "schema", Short: "Print the JSON schema of plan files, for editors", Example: "  forge plan schema >plan.schema.json", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			schema, err := llm.FileSchema[plan.File]("A plan of Forge")
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(t.Out, string(schema))
			return err
		},
	}
}
