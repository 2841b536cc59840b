package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"forge/engine/ask"
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
// person there is no consent, and every other question gets its careful default.
func (t terminal) asker() ask.Asker {
	if !t.person {
		return ask.Func(t.nobody)
	}
	lines := bufio.NewReader(t.in)
	return ask.Func(func(ctx context.Context, q ask.Question) (ask.Answer, error) {
		fmt.Fprintf(t.err, "\n%s\n", inert(q.Title))
		if q.Detail != "" {
			fmt.Fprintf(t.err, "\n%s\n\n", inert(q.Detail))
		}
		for i, c := range q.Choices {
			fmt.Fprintf(t.err, "  %d) %s%s\n", i+1, inert(c.Title), defaultMark(c.ID == q.Default))
		}
		fmt.Fprint(t.err, "> ")
		return readChoice(ctx, lines, q)
	})
}

// consents are the flags with which a person consents beforehand.
var consents = map[ask.Kind]string{
	ask.Trust:   "if you do, give --trust",
	ask.Approve: "give --yes to approve it beforehand, or run forge in a terminal",
}

// nobody answers in place of a person, and says so.
func (t terminal) nobody(_ context.Context, q ask.Question) (ask.Answer, error) {
	advice, consent := consents[q.Kind]
	if !consent {
		answer := ask.Answer{Choice: q.Default}
		fmt.Fprintf(t.err, "[forge] %s\n        Nobody is here to answer, so the careful choice is taken: %s\n", inert(q.Title), inert(titleOf(q, answer)))
		return answer, nil
	}
	fmt.Fprintf(t.err, "[forge] %s\n        Nobody is here to answer: %s\n", inert(q.Title), advice)
	return ask.Answer{}, ask.ErrNoAnswer
}

func titleOf(q ask.Question, a ask.Answer) string {
	for _, c := range q.Choices {
		if c.ID == a.Choice {
			return c.Title
		}
	}
	return a.Choice
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

// inert makes text that was not written by Forge harmless to show: control characters, terminal
// escapes, and characters that reorder or hide text are replaced by what they are.
func inert(text string) string {
	var b strings.Builder
	for _, c := range text {
		switch {
		case c == '\n' || c == '\t':
			b.WriteRune(c)
		case c == '\r':
		case c < 0x20 || c >= 0x7f && c <= 0x9f || invisible(c):
			fmt.Fprintf(&b, "\\u%04x", c)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}

// invisible reports bidirectional controls, zero-width characters and tag characters.
func invisible(c rune) bool {
	return c >= 0x200b && c <= 0x200f || c >= 0x202a && c <= 0x202e || c >= 0x2060 && c <= 0x2069 ||
		c == 0xfeff || c >= 0xe0000 && c <= 0xe007f
}
