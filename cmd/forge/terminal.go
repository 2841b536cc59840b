package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"forge/engine/ask"
	"forge/internal/inert"
)

// terminal is where a command reads and writes. environ is in the form of os.Environ.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
	// person tells whether somebody sits at it who can answer.
	person bool
}

func systemIO() terminal {
	return terminal{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ(), person: isTerminal(os.Stdin) && isTerminal(os.Stderr)}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// asker asks the person at the terminal, on stderr so that stdout stays what was asked for. Without a
// person every question gets its careful default.
func (t terminal) asker() ask.Asker {
	if !t.person {
		return ask.Defaults
	}
	lines := bufio.NewReader(t.in)
	return ask.Func(func(ctx context.Context, q ask.Question) (ask.Answer, error) {
		fmt.Fprintf(t.err, "\n%s\n", inert.Text(q.Title))
		if q.Detail != "" {
			fmt.Fprintf(t.err, "\n%s\n\n", inert.Text(q.Detail))
		}
		for i, c := range q.Choices {
			fmt.Fprintf(t.err, "  %d) %s%s\n", i+1, inert.Text(c.Title), defaultMark(c.ID == q.Default))
		}
		fmt.Fprint(t.err, "> ")
		return readChoice(ctx, lines, q)
	})
}

func defaultMark(is bool) string {
	if is {
		return " (default)"
	}
	return ""
}

// readChoice reads one line. What names no choice is free text with the default, never consent.
func readChoice(ctx context.Context, lines *bufio.Reader, q ask.Question) (ask.Answer, error) {
	type line struct {
		text string
		err  error
	}
	read := make(chan line, 1)
	go func() { // ends with the line, or with the process: a terminal read cannot be interrupted
		text, err := lines.ReadString('\n')
		read <- line{text, err}
	}()
	select {
	case <-ctx.Done():
		return ask.Answer{}, ctx.Err()
	case l := <-read:
		if l.err != nil && l.text == "" {
			return ask.Answer{}, ask.ErrNoAnswer
		}
		return choose(q, strings.TrimSpace(l.text)), nil
	}
}

func choose(q ask.Question, typed string) ask.Answer {
	for i, c := range q.Choices {
		if typed == fmt.Sprint(i+1) || strings.EqualFold(typed, c.ID) || strings.EqualFold(typed, c.Title) {
			return ask.Answer{Choice: c.ID}
		}
	}
	return ask.Answer{Choice: q.Default, Text: typed}
}
