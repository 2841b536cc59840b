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

// syntaxLimit is the time limit for checking the syntax of an edit: compilers find the rest.
const syntaxLimit = 500 * time.Millisecond

// maxFaults limits the reported faults of one file: later ones often follow from the first.
const maxFaults = 3

// syntax returns new syntax errors of files, compared with the base. There are no findings for files that already had errors,
// whose language has no parser, or that were not checked in time.
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

// faults returns the faults of one text that the previous text did not have.
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

// place converts a byte offset of a text to line and column, from 1.
func place(text string, at int) (line, column int) {
	at = min(max(at, 0), len(text))
	return 1 + strings.Count(text[:at], "\n"), at - strings.LastIndexByte(text[:at], '\n')
}

// lineAt returns the line of a text that contains a byte.
func lineAt(text string, at int) string {
	at = min(max(at, 0), len(text))
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return line
}
