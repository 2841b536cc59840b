package main

import (
	"fmt"
	"io"
	"os"
	"strings"
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

// isTerminal reports whether somebody may sit behind a file: a device of characters, and not the one that
// services and scripts are given in place of a terminal.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	nothing, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, nothing)
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
