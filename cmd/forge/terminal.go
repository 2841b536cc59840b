package main

import (
	"io"
	"os"

	"forge/engine/secret"
)

// terminal is where a command reads and writes. environ is in the form of os.Environ.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
	secrets  *secret.Redactor // nil: nothing is known to be one
	// person tells whether somebody sits at it who can answer.
	person bool
}

func systemIO() terminal {
	secrets := newSecrets(os.Environ())
	return terminal{
		in: os.Stdin, out: os.Stdout, err: safeWriter{os.Stderr, secrets}, environ: os.Environ(), secrets: secrets,
		person: isTerminal(os.Stdin) && isTerminal(os.Stderr),
	}
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
