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

// The ways on which secrets could leave a run, and what redacts them. Inside a run texts keep their secrets, so that edits fit the files:
//
//	to the model       calls, before they are sent                  activity.Redaction.Call
//	from gates, trees  output, and files that are shown             activity.Redaction.Guard
//	to the user        events, and the file of events               Log.Guard
//	to the journal     texts of files are stored beside it          vault
//
// Secrets in texts of the user (the task, diagnostics, entries of memory) are replaced when a run receives them.

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

// redaction adds redaction to the activities of a run.
func (s Secrets) redaction(report func(event.SecretsRedacted)) *activity.Redaction {
	return &activity.Redaction{Secrets: s.Redactor, Report: report, Writer: pipeline.Writing, Exact: []string{activitySnapshot.Name}}
}

// Learn reads the secrets from the files of a trusted folder that usually contain some. It notifies the user of files that cannot be read: a
// model normally cannot be shown them either.
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

// discreet redacts questions and answers: secrets that a model, or a file that it quotes, has put into a question, and those in the text
// that the user writes. The ids of choices stay as they are.
type discreet struct {
	asker event.Asker
	host  *Host
}

// Ask passes a redacted question to the asker. It returns the asker's errors unwrapped.
func (d discreet) Ask(ctx context.Context, q event.Question) (event.Answer, error) {
	q.Title, q.Detail, q.Choices = d.host.Secrets.Plain(q.Title), d.host.Secrets.Plain(q.Detail), slices.Clone(q.Choices)
	for i := range q.Choices {
		q.Choices[i].Title = d.host.Secrets.Plain(q.Choices[i].Title)
	}
	answer, err := d.asker.Ask(ctx, q)
	answer.Text = d.host.Secrets.Plain(answer.Text)
	return answer, err //nolint:wrapcheck // as the asker returned it: the caller knows its errors
}
