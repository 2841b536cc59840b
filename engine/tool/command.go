package tool

import (
	"context"
	"fmt"
	"strings"
)

// Command is the name of the tool that starts programs.
const Command = "run_command"

// NotGranted is the reason, for users, why a command is not allowed.
const NotGranted = "your settings (tools.commands) do not allow it"

// VerifyRule returns, for a planner, which commands of "verify" are run.
func (g Grants) VerifyRule() string {
	const always = "The formatters, compilers, linters and tests of the folder are run on each part anyway."
	if len(g.Commands) == 0 {
		return always + ` The user's settings allow no other commands, so "verify" has none.`
	}
	return always + ` Of the commands in "verify", those are run that begin with one of these: ` + g.commands() + "."
}

type commandArgs struct {
	Argv []string `json:"argv" jsonschema:"a program and its arguments, one string each; there is no shell"`
}

// runCommand starts a program. What it changes in the tree is its change: the code of the run decides whether it is allowed.
func runCommand(ctx context.Context, w World, a commandArgs) (Result, error) {
	if w.Commands == nil {
		return failed("%s", Grants{}.RefusesCommand(a.Argv)), nil
	}
	if len(a.Argv) == 0 || strings.TrimSpace(a.Argv[0]) == "" {
		return failed("argv names no program"), nil
	}
	ran, err := w.Commands.Run(ctx, a.Argv)
	switch {
	case err != nil:
		return Result{}, fmt.Errorf("run %s: %w", a.Argv[0], err)
	case ran.Failed != "":
		return failed("%s", ran.Failed), nil
	}
	heading := ran.heading()
	most := max(0, MaxOutput-len(heading))
	return Result{
		Text: heading + tail(ran.Output, most), Cut: ran.Cut || len(ran.Output) > most, Change: ran.Change, Exit: ran.Exit, Unsuccessful: ran.Exit != 0,
	}, nil
}

// maxTouched is how many of the files are named that a command has changed.
const maxTouched = 20

// heading returns how a command ended, and what it changed.
func (r Ran) heading() string {
	var b strings.Builder
	if r.Exit < 0 {
		b.WriteString("it was ended by a signal\n")
	} else {
		fmt.Fprintf(&b, "exit code %d\n", r.Exit)
	}
	for i, f := range r.Change.Files {
		if i == maxTouched {
			fmt.Fprintf(&b, "… and %d more files\n", len(r.Change.Files)-i)
			break
		}
		fmt.Fprintf(&b, "%s %s\n", verbs[f.Kind], f.Path)
	}
	return b.String()
}
