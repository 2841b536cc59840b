package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"forge/api"
	"forge/api/service"
	"forge/engine"
	"forge/internal/inert"
	"forge/memory"
)

// KeptFlags are the flags of commands about stored data.
type KeptFlags struct {
	Dir  string
	JSON bool
}

// Add adds the flags to a command.
func (f *KeptFlags) Add(c *cobra.Command) {
	c.Flags().StringVar(&f.Dir, "dir", ".", "the folder")
	c.Flags().BoolVar(&f.JSON, "json", false, "print the result as JSON")
}

// With opens the engine for a folder, calls do, and explains its error.
func (f *KeptFlags) With(t Terminal, do func(e *engine.Engine, in service.Folder) error) error {
	return Explained(InProject(t, f.Dir, func(e *engine.Engine, root string) error { return do(e, service.At(root)) }))
}

// Everywhere opens the engine for a command that is not about a folder.
func Everywhere(t Terminal, do func(e *engine.Engine) error) error {
	e, err := OpenEngine(t)
	if err != nil {
		return err
	}
	defer e.Close()
	return Explained(do(e.Engine))
}

// Opened is the folder that a command is about, with its open engine, and the arguments of the command.
type Opened struct {
	Engine *engine.Engine
	In     service.Folder
	Args   []string
}

// Stored returns a command about the stored data of a folder: it asks a service, and shows the answer, or prints it as JSON.
func Stored[R any](t Terminal, c cobra.Command, ask func(context.Context, Opened) (R, error), show func(Terminal, R) error) *cobra.Command {
	var f KeptFlags
	c.RunE = func(c *cobra.Command, args []string) error {
		return f.With(t, func(e *engine.Engine, in service.Folder) error {
			result, err := ask(c.Context(), Opened{e, in, args})
			return Shown(t, f.JSON, result, err, func(r R) error { return show(t, r) })
		})
	}
	f.Add(&c)
	return &c
}

// Shown prints the result of a command as JSON, or with show for the user.
func Shown[R any](t Terminal, asJSON bool, result R, err error, show func(R) error) error {
	switch {
	case err != nil:
		return err
	case asJSON:
		return WriteJSON(t.Out, result)
	}
	return show(result)
}

// When parses a time of a result; the zero time if it is empty.
func When(stamp string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, stamp)
	return at
}

// Explained adds an exit code and advice to an error of a command.
func Explained(err error) error {
	var exit *ExitError
	if err == nil || errors.As(err, &exit) {
		return err
	}
	switch fault := service.FaultOf(err); fault {
	case service.WrongInput:
		if wrong, is := errors.AsType[*api.ArgumentError](err); is {
			return ExitWith(ExitUsage, "--"+wrong.Error())
		}
		return ExitWith(ExitUsage, err.Error())
	case service.NotTrusted:
		return ExitWith(ExitBlocked, err.Error()+". If you trust it: forge validate --trust")
	case service.Cancelled:
		return ExitWith(ExitCancelled, "cancelled")
	case service.NotThere, service.Collected:
		if missing, is := errors.AsType[*service.MissingError](err); is {
			return ExitWith(ExitFailed, whereToLook(missing))
		}
	case service.Illegal:
		if illegal, is := errors.AsType[*memory.StateError](err); is {
			return ExitWith(ExitFailed, illegal.Error())
		}
	case service.NoFault, service.Failed, service.Busy, service.NoSuchBatch, service.NoSuchRun, service.OtherVersion:
		return ExitWith(ExitFailed, err.Error()+advice[fault])
	}
	return ExitWith(ExitFailed, err.Error())
}

// advice is the advice for each kind of error.
var advice = map[service.Fault]string{
	service.Busy:         ": forge sessions shows which process executes it",
	service.NoSuchBatch:  ": forge batch list shows all batches",
	service.NoSuchRun:    ": forge runs lists the runs of a folder",
	service.OtherVersion: "\n  forge log shows what it did, and forge run starts its task again",
}

// whereToLook names the command that lists the existing objects.
func whereToLook(e *service.MissingError) string {
	switch {
	case e.Subject == service.Tasks:
		return fmt.Sprintf("unknown task %s: forge task list shows the tasks of the folder", inert.Text(e.Name))
	case e.Subject == service.Memory:
		return fmt.Sprintf("memory has no row %s: forge memory list shows all rows", inert.Text(e.Name))
	case errors.Is(e, memory.ErrCollected):
		return fmt.Sprintf("the specification of %s: %v", e.Folder, e)
	}
	return fmt.Sprintf("%s has no such version of the specification: forge spec shows the latest", e.Folder)
}

// Table prints rows with aligned columns; the first row is the header. Cells are made inert.
func Table(out io.Writer, rows [][]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			if i > 0 {
				fmt.Fprint(w, "\t")
			}
			fmt.Fprint(w, inert.Text(cell))
		}
		fmt.Fprintln(w)
	}
	return w.Flush()
}

// TableOr prints a table, or a message if it has no rows below its head.
func TableOr(t Terminal, rows [][]string, none string) error {
	if len(rows) == 1 {
		fmt.Fprintln(t.Err, "[forge] "+none)
		return nil
	}
	return Table(t.Out, rows)
}

// OneLine returns the beginning of a text.
func OneLine(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	const width = 72
	if runes := []rune(line); len(runes) > width {
		line, more = string(runes[:width]), true
	}
	if more {
		line += "…"
	}
	return line
}

// AtMostOne accepts at most one argument; what describes it.
func AtMostOne(what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > 1 {
			return fmt.Errorf("%d arguments, want %s", len(args), what)
		}
		return nil
	}
}

// Exactly requires n arguments; the error shows an example.
func Exactly(n int, example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) != n {
			return fmt.Errorf("%d arguments, want %d, as in\n  %s", len(args), n, example)
		}
		return nil
	}
}

// BothOf requires two arguments; the error says what is missing, and how it is given.
func BothOf(what, example string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) == 2:
			return nil
		case len(args) > 2:
			return fmt.Errorf("give two arguments, %s, and quote what has spaces: there are %d, and not two as in\n  %s", what, len(args), example)
		}
		return fmt.Errorf("give two arguments, %s, as in\n  %s", what, example)
	}
}

// First returns the first argument, or "".
func First(args []string) string { return append(args, "")[0] }
