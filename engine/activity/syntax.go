package activity

import (
	"context"
	"fmt"
	"strings"
	"time"

	"forge/codeintel"
	"forge/engine/gate"
	"forge/engine/step"
)

// syntaxLimit is how long the syntax of an edit is looked at: compilers find what is not found by then.
const syntaxLimit = 500 * time.Millisecond

// maxFaults is how many faults are told of one file: those behind the first ones often come from these.
const maxFaults = 3

// syntax reports where files are no sentences of their language, though they were in the base. A file that was none there, and one
// for whose language there is no parser, has no finding, and neither has what was not looked at in time.
func (k Kit) syntax(ctx context.Context, c step.PathsCall) ([]gate.Finding, error) {
	if k.Checker == nil {
		return nil, nil
	}
	now, err := k.textsOf(ctx, c.State, c.Paths)
	if err != nil {
		return nil, err
	}
	before, err := k.textsOf(ctx, step.State{Base: c.State.Base}, c.Paths)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, syntaxLimit)
	defer cancel()
	var found []gate.Finding
	for i, path := range now.paths {
		faults, err := k.faults(limited, path, now.texts[i], before.text(path))
		if err != nil {
			return found, ctx.Err()
		}
		found = append(found, faults...)
	}
	return found, nil
}

// faults are those of one text that the one before did not have.
func (k Kit) faults(ctx context.Context, path, now, before string) (found []gate.Finding, err error) {
	language := codeintel.LanguageOf(path)
	faults, err := k.Checker.Faults(ctx, language, now)
	if err != nil || len(faults) == 0 {
		return nil, err
	}
	if had, err := k.Checker.Faults(ctx, language, before); err != nil || len(had) >= len(faults) {
		return nil, err
	}
	for _, f := range faults[:min(len(faults), maxFaults)] {
		line, column := place(now, f.Span.Start)
		found = append(found, gate.Finding{
			Path: path, Line: line, Column: column, Severity: gate.SeverityError, Rule: "syntax",
			Message: fmt.Sprintf("%s: %s", f.Message, strings.TrimSpace(lineAt(now, f.Span.Start))),
		})
	}
	return found, nil
}

// place is a byte of a text as line and column, from 1.
func place(text string, at int) (line, column int) {
	at = min(max(at, 0), len(text))
	return 1 + strings.Count(text[:at], "\n"), at - strings.LastIndexByte(text[:at], '\n')
}

// lineAt is the line of a text that a byte is in.
func lineAt(text string, at int) string {
	at = min(max(at, 0), len(text))
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return line
}
