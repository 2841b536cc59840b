package engine

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// The doors through which secrets could leave a run. Inside, texts are what they are, so that edits fit the files:
//
//	to the model       calls of it, as they are made               redaction.model
//	from gates, trees  what they print, and files that are shown    redaction.output, .tool
//	to people          events, and so the file of them              Log.Guard
//	to the journal     texts of files are kept beside it            vault
//
// What a person wrote (the task, diagnostics, entries of memory) has its secrets replaced as it comes in.

// Redact replaces the secrets in a text for people.
func (e *Engine) Redact(text string) string { return e.secrets.Plain(text) }

// redactJSON replaces the secrets in a document.
func (e *Engine) redactJSON(document []byte) []byte {
	document, _ = e.secrets.JSON(document)
	return document
}

// withoutSecrets is a request without the secrets that somebody wrote into it.
func (e *Engine) withoutSecrets(r Request) Request {
	r.Task = e.Redact(r.Task)
	diagnostics := make([]string, len(r.Focus.Diagnostics))
	for i, d := range r.Focus.Diagnostics {
		diagnostics[i] = e.Redact(d)
	}
	if r.Focus.Diagnostics != nil {
		r.Focus.Diagnostics = diagnostics
	}
	r.Direct = slices.Clone(r.Direct)
	for i, a := range r.Direct {
		r.Direct[i].Args = e.redactJSON(a.Args)
	}
	return r
}

// learnFolder makes known what the files of a trusted folder hold that are for secrets. What cannot be read has no secrets
// for a model either, but for a race: the person is told.
func (e *Engine) learnFolder(folder string) {
	root, err := os.OpenRoot(folder)
	if err == nil {
		err = errors.Join(e.secrets.LearnFolder(root.FS()), root.Close())
	}
	if err != nil {
		e.state.Notify(fmt.Sprintf("the secrets of %s could not all be read, and what has no known pattern may be shown to the model: %v", folder, err))
	}
}
