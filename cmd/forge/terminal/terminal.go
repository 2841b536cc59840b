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
	Secrets  *secret.Redactor // nil: no known secrets
	Version  string
	loopback bool // treat loopback as public, for tests
	// Interactive reports that a user at the terminal can answer.
	Interactive bool
}

// Build has the values that the linker sets.
type Build struct {
	Version   string
	Redaction string // "off" only in the program with which a test proves that it would find a secret
	WebReach  string // "loopback" only for tests, which have no public address
}

// SystemIO returns the terminal of this process.
func SystemIO(b Build) Terminal {
	secrets := newSecrets(os.Environ(), b.Redaction)
	return Terminal{
		Version: b.Version, loopback: b.WebReach == "loopback",
		In: os.Stdin, Out: os.Stdout, Err: messageWriter{safeWriter{os.Stderr, secrets}}, Environ: os.Environ(), Secrets: secrets,
		Interactive: isTerminal(os.Stdin) && isTerminal(os.Stderr),
	}
}

// isTerminal reports whether a file may be a user's terminal: a character device, but not the null device of services and scripts.
func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	nothing, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(info, nothing)
}

// OpenParts assembles the parts of a command from its environment and model flags. It sends no request to a model.
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

// OpenTrusting is OpenParts for a run in a folder; with trust, it trusts the folder first.
func OpenTrusting(t Terminal, flags ModelFlags, root string, trust bool) (*Parts, error) {
	return openTrusting(t, flags, trust, func(p *Parts) error { return p.Trust(root) })
}

// OpenReading is OpenTrusting for a run that only reads: models may read the folder, and nothing in it is executed.
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

// OpenEngine opens the engine for a command that uses no model.
func OpenEngine(t Terminal) (*Parts, error) { return OpenParts(t, config.Models{}) }

// InFolder calls do with the engine and the absolute path of a folder.
func InFolder(t Terminal, dir string, do func(e *engine.Engine, root string) error) error {
	root, err := Folder(dir)
	if err != nil {
		return err
	}
	return in(t, root, config.Models{}, do)
}

// InProject is InFolder for the project that contains a folder.
func InProject(t Terminal, dir string, do func(e *engine.Engine, root string) error) error {
	return InProjectWith(t, dir, config.Models{}, do)
}

// InPlace is InProject that also calls do with the folder in the project.
func InPlace(t Terminal, dir string, do func(e *engine.Engine, at Place) error) error {
	at, err := PlaceOf(dir)
	if err != nil {
		return err
	}
	return in(t, at.Root, config.Models{}, func(e *engine.Engine, _ string) error { return do(e, at) })
}

// InProjectWith is InProject with model flags.
func InProjectWith(t Terminal, dir string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	at, err := PlaceOf(dir)
	if err != nil {
		return err
	}
	return in(t, at.Root, flags, do)
}

func in(t Terminal, root string, flags config.Models, do func(e *engine.Engine, root string) error) error {
	p, err := OpenParts(t, flags)
	if err != nil {
		return err
	}
	defer p.Close()
	return do(p.Engine, root)
}

// Env looks a variable up; its last definition counts, as for a process.
func (t Terminal) Env(name string) string { return LookUp(t.Environ)(name) }

// Folder returns the absolute path of a folder that the user named.
func Folder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", ExitWith(ExitUsage, fmt.Sprintf("folder %s: %v", dir, err))
	}
	info, err := os.Stat(abs)
	if err != nil {
		return "", ExitWith(ExitUsage, fmt.Sprintf("folder %s does not exist", abs))
	}
	if !info.IsDir() {
		return "", ExitWith(ExitUsage, abs+" is not a folder")
	}
	return abs, nil
}

// newSecrets registers the secrets of the environment.
func newSecrets(environ []string, redaction string) *secret.Redactor {
	if redaction == "off" {
		return secret.Off()
	}
	r := secret.New()
	r.LearnEnviron(environ)
	return r
}

// safeWriter replaces secrets in the output for users. It checks each write as a whole.
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

// messageWriter is a safeWriter for messages. It spells out characters that act on a terminal: any path or error can have some.
type messageWriter struct{ safeWriter }

// Write writes all of the text or fails, as far as the caller can see.
func (w messageWriter) Write(text []byte) (int, error) {
	if _, err := w.safeWriter.Write([]byte(inert.Text(string(text)))); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Draw writes a text among sequences of Forge's own that move the cursor, as a format with one %s.
func Draw(w io.Writer, format, text string) {
	if messages, is := w.(messageWriter); is {
		w = messages.safeWriter
	}
	fmt.Fprintf(w, format, inert.Text(text))
}

// Safe returns a terminal whose output has no secrets either, for commands that show lines of files.
func (t Terminal) Safe() Terminal {
	t.Out = safeWriter{t.Out, t.Secrets}
	return t
}

// ForServer returns a terminal whose messages never wait: a client that does not read stderr loses messages, and does not hold up the server.
func (t Terminal) ForServer() Terminal {
	if messages, is := t.Err.(messageWriter); is {
		if file, is := messages.to.(*os.File); is {
			messages.to = unread(file)
			t.Err = messages
		}
	}
	LogSafely(t)
	return t
}

// LogSafely removes secrets from the program's own log.
func LogSafely(t Terminal) {
	slog.SetDefault(slog.New(slog.NewTextHandler(t.Err, nil)))
}
