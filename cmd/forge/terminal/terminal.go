package terminal

import (
	"io"
	"os"

	"forge/engine/secret"
)

// Terminal is where a command reads and writes. Environ is in the form of os.Environ.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Environ  []string
	Secrets  *secret.Redactor // nil: nothing is known to be one
	Version  string
	loopback bool // this machine is on the public web, for tests
	// Person says that a user sits at it who can answer.
	Person bool
}

// Build is what the linker sets.
type Build struct {
	Version   string
	Redaction string // "off" only in the program that a test proves its own eyes with
	WebReach  string // "loopback" only for tests, which have no address on the public web: this machine is on it
}

// SystemIO returns the terminal of this process.
func SystemIO(b Build) Terminal {
	secrets := newSecrets(os.Environ(), b.Redaction)
	return Terminal{
		Version: b.Version, loopback: b.WebReach == "loopback",
		In: os.Stdin, Out: os.Stdout, Err: safeWriter{os.Stderr, secrets}, Environ: os.Environ(), Secrets: secrets,
		Person: isTerminal(os.Stdin) && isTerminal(os.Stderr),
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
