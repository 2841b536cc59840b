package terminal

import (
	"io"
	"log/slog"

	"forge/engine/secret"
)

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
