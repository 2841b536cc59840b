package terminal

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"forge/engine"
	"forge/engine/config"
	"forge/engine/secret"
	"forge/internal/inert"
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

// OpenParts makes what a command works with, from its environment and what its flags say of models. It asks no model.
func OpenParts(t Terminal, flags config.Models) (*Parts, error) {
	p, err := Open(Options{
		Environ: t.Environ, Secrets: t.Secrets, Version: t.Version, Loopback: t.loopback,
		Notice: func(text string) { fmt.Fprintf(t.Err, "[forge] %s\n", inert.Text(text)) },
	}, flags)
	if err != nil {
		return nil, ExitWith(ExitBlocked, err.Error())
	}
	return p, nil
}

// OpenTrusting is OpenParts for a run in a folder, which is trusted first where the user says so.
func OpenTrusting(t Terminal, flags ModelFlags, root string, trust bool) (*Parts, error) {
	return openTrusting(t, flags, trust, func(p *Parts) error { return p.Trust(root) })
}

// OpenReading is OpenTrusting for a run that only reads: models may read the folder, and nothing of it is executed.
func OpenReading(t Terminal, flags ModelFlags, root string, trust bool) (*Parts, error) {
	return openTrusting(t, flags, trust, func(p *Parts) error { return p.TrustToRead(root) })
}

func openTrusting(t Terminal, flags ModelFlags, trust bool, do func(p *Parts) error) (*Parts, error) {
	p, err := OpenParts(t, flags.Models())
	if err != nil || !trust {
		return p, err
	}
	if err := do(p); err != nil {
		p.Close()
		return nil, ExitWith(ExitBlocked, err.Error())
	}
	return p, nil
}

// OpenEngine makes the engine of a command that asks no model.
func OpenEngine(t Terminal) (*Parts, error) { return OpenParts(t, config.Models{}) }

// InFolder does something with the engine, in a folder that the user named.
func InFolder(t Terminal, dir string, do func(e *engine.Engine, root string) error) error {
	root, err := Folder(dir)
	if err != nil {
		return err
	}
	return in(t, root, config.Models{}, do)
}

// InProject is inFolder for the project that a folder lies in.
func InProject(t Terminal, dir string, do func(e *engine.Engine, root string) error) error {
	return InProjectWith(t, dir, config.Models{}, do)
}

// InProjectWith is inProject with what flags say of models.
func InProjectWith(t Terminal, dir string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	root, _, err := ProjectFolder(dir)
	if err != nil {
		return err
	}
	return in(t, root, flags, do)
}

func in(t Terminal, root string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	p, err := OpenParts(t, flags)
	if err != nil {
		return err
	}
	defer p.Close()
	return do(p.Engine, root)
}

// Env looks a variable up; where it is set twice, the last one counts, as for a process.
func (t Terminal) Env(name string) string { return LookUp(t.Environ)(name) }

// Folder is the absolute path of a folder that the user named.
func Folder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", ExitWith(ExitUsage, fmt.Sprintf("folder %s: %v", dir, err))
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", ExitWith(ExitUsage, fmt.Sprintf("folder %s: there is no such folder", abs))
	}
	if !info.IsDir() {
		return "", ExitWith(ExitUsage, abs+" is not a folder")
	}
	return abs, nil
}

// newSecrets knows what the environment holds that must not be shown.
func newSecrets(environ []string, redaction string) *secret.Redactor {
	if redaction == "off" {
		return secret.Off()
	}
	r := secret.New()
	r.LearnEnviron(environ)
	return r
}

// safeWriter replaces the secrets in what is written for people. What is written at once is looked at as a whole.
type safeWriter struct {
	to      io.Writer
	secrets *secret.Redactor
}

// Write writes all of the text or fails, as far as the caller can see.
func (w safeWriter) Write(text []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.secrets.Plain(string(text))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Safe is a terminal whose output has no secrets either: for what shows lines of files.
func (t Terminal) Safe() Terminal {
	t.Out = safeWriter{t.Out, t.Secrets}
	return t
}

// LogSafely has what the program logs by itself, such as a fault that it survived, written without secrets.
func LogSafely(t Terminal) {
	slog.SetDefault(slog.New(slog.NewTextHandler(t.Err, nil)))
}
