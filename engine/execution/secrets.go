package execution

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"forge/engine/activity"
	"forge/engine/event"
	"forge/engine/pipeline"
	"forge/engine/secret"
)

// The doors through which secrets could leave a run. Inside, texts are what they are, so that edits fit the files:
//
//	to the model       calls of it, as they are made               activity.Redaction.Call
//	from gates, trees  what they print, and files that are shown    the same, its doors
//	to people          events, and so the file of them              Log.Guard
//	to the journal     texts of files are kept beside it            vault
//
// Secrets in texts of the user (the task, diagnostics, entries of memory) are replaced as they come in.

// Secrets is the engine's use of a redactor.
type Secrets struct {
	*secret.Redactor
	notify func(text string)
}

// Document replaces the secrets in a JSON document.
func (s Secrets) Document(text []byte) []byte {
	text, _ = s.JSON(text)
	return text
}

// redaction puts the activities of a run behind their doors.
func (s Secrets) redaction(report func(event.SecretsRedacted)) *activity.Redaction {
	return &activity.Redaction{Secrets: s.Redactor, Report: report, Writer: pipeline.Writing, Exact: []string{activitySnapshot.Name}}
}

// Learn makes known what the files of a trusted folder hold that are for secrets. What cannot be read has no secrets
// for a model either, but for a race: the user is notified.
func (s Secrets) Learn(folder string) {
	root, err := os.OpenRoot(folder)
	if err == nil {
		err = errors.Join(s.LearnFolder(root.FS()), root.Close())
	}
	if err != nil {
		s.notify(fmt.Sprintf("the secrets of %s could not all be read, and what has no known pattern may be shown to the model: %v", folder, err))
	}
}

// NewSecrets keeps secrets from leaving a run; notify receives what the user should know.
func NewSecrets(r *secret.Redactor, notify func(text string)) Secrets { return Secrets{r, notify} }

// discreet asks the user without the secrets that a model, or a file it quotes, has put into a question, and takes those out of
// what they write. Which choice there is, and which was taken, stays as it is.
type discreet struct {
	asker event.Asker
	host  *Host
}

// Ask asks, with the errors of the asker behind it.
func (d discreet) Ask(ctx context.Context, q event.Question) (event.Answer, error) {
	q.Title, q.Detail, q.Choices = d.host.Secrets.Plain(q.Title), d.host.Secrets.Plain(q.Detail), slices.Clone(q.Choices)
	for i := range q.Choices {
		q.Choices[i].Title = d.host.Secrets.Plain(q.Choices[i].Title)
	}
	answer, err := d.asker.Ask(ctx, q)
	answer.Text = d.host.Secrets.Plain(answer.Text)
	return answer, err //nolint:wrapcheck // as the asker said it: who asks knows its errors
}
