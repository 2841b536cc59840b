package lsp

import (
	"context"
	"os"
	"strings"

	"go.lsp.dev/uri"

	"forge/engine/event"
	"forge/internal/inert"
)

// draft is the whole text of a specification or a plan that a question is about, as a file that the user reads and changes before they consent.
type draft struct {
	path  string // empty: there is none
	asked string // the text that the question is about
	file  string // a file of the run's that the user may change instead; empty: there is none
}

// wantedVersion begins the answer of a user who has changed the text.
const wantedVersion = "The user has changed the text. Take over this version of theirs:\n\n"

// draftOf writes the text that a question is about into a file and shows it. A file that the user has changed since stays as it is: they
// may dismiss the question to edit in peace, and resume the run.
func (qu *questioner) draftOf(ctx context.Context, q event.Question) draft {
	if q.Kind != event.AskApproval || q.FreeText == "" || strings.TrimSpace(q.Detail) == "" {
		return draft{}
	}
	text := inert.Text(q.Detail)
	path, err := qu.copies.draft("forge://question/"+q.RunID+"/"+q.ID, "question.md", text)
	if err != nil {
		return draft{}
	}
	if qu.session.Features().ShowDocument {
		if q.File != "" {
			qu.client.ShowDocument(ctx, uri.File(q.File))
		}
		qu.client.ShowDocument(ctx, uri.File(path))
	}
	return draft{path, text, q.File}
}

// hint returns the text that a question has about the file; empty without one.
func (d draft) hint() string {
	switch {
	case d.path == "":
		return ""
	case d.file != "":
		return "\n\nAll of it is in " + d.path + ". To change it, edit " + d.file + " and save it: what is in it when you consent is carried out."
	}
	return "\n\nThe whole text is in " + d.path + ". If you change it and save it, your version counts."
}

// changed returns the text of the file if the user has saved another one.
func (d draft) changed() (string, bool) {
	if d.path == "" {
		return "", false
	}
	text, err := os.ReadFile(d.path)
	return string(text), err == nil && strings.TrimSpace(string(text)) != strings.TrimSpace(d.asked)
}
