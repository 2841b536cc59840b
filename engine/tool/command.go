package tool

import (
	"context"
	"fmt"
	"strings"
)

type commandArgs struct {
	Argv []string `json:"argv" jsonschema:"a program and its arguments, one string each; there is no shell"`
}

func runCommand(ctx context.Context, w World, a commandArgs) (Result, error) {
	if w.Commands == nil {
		return failed("commands are switched off in the person's settings: use run_tests and the other tools"), nil
	}
	if len(a.Argv) == 0 || strings.TrimSpace(a.Argv[0]) == "" {
		return failed("argv names no program"), nil
	}
	output, exit, refused, err := w.Commands.Run(ctx, a.Argv)
	switch {
	case err != nil:
		return Result{}, fmt.Errorf("run %s: %w", a.Argv[0], err)
	case refused != "":
		return failed("%s was not started: %s", a.Argv[0], refused), nil
	}
	heading := fmt.Sprintf("exit code %d\n", exit)
	return Result{Text: heading + tail(output, MaxOutput-len(heading)), Cut: len(output) > MaxOutput-len(heading)}, nil
}
