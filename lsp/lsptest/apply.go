package lsptest

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unicode/utf16"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
)

// applyEdit is how the editor answers workspace/applyEdit unless Handle says otherwise: all versions
// are checked first, then everything is done in order, in buffers where a document is open and in
// files where it is not. It reports changed buffers to the server before it answers.
func (e *Editor) applyEdit(params []byte) (any, error) {
	var p protocol.ApplyWorkspaceEditParams
	if err := protocol.Unmarshal(params, &p); err != nil {
		return nil, fmt.Errorf("applyEdit: %w", err)
	}
	changes := documentChanges(&p.Edit)
	err := e.checkVersions(changes)
	for _, change := range changes {
		if err == nil {
			err = e.apply(change)
		}
	}
	if err != nil {
		reason := err.Error()
		return &protocol.ApplyWorkspaceEditResult{FailureReason: &reason}, nil //nolint:nilerr // the protocol reports it in the answer
	}
	return &protocol.ApplyWorkspaceEditResult{Applied: true}, nil
}

// documentChanges gives both forms of a workspace edit one shape.
func documentChanges(edit *protocol.WorkspaceEdit) []protocol.DocumentChange {
	changes := slices.Clone(edit.DocumentChanges)
	if len(changes) > 0 {
		return changes
	}
	for u, edits := range edit.Changes {
		change := &protocol.TextDocumentEdit{}
		change.TextDocument.URI = u
		for _, one := range edits {
			change.Edits = append(change.Edits, &one)
		}
		changes = append(changes, change)
	}
	return changes
}

func (e *Editor) checkVersions(changes []protocol.DocumentChange) error {
	for _, change := range changes {
		edit, ok := change.(*protocol.TextDocumentEdit)
		if !ok || edit.TextDocument.Version == nil {
			continue
		}
		if now := e.Version(edit.TextDocument.URI); now != *edit.TextDocument.Version {
			return fmt.Errorf("%s is at version %d, not %d", edit.TextDocument.URI, now, *edit.TextDocument.Version)
		}
	}
	return nil
}

func (e *Editor) apply(change protocol.DocumentChange) error {
	switch c := change.(type) {
	case *protocol.TextDocumentEdit:
		return e.applyText(c.TextDocument.URI, plainEdits(c.Edits))
	case *protocol.CreateFile:
		return create(c)
	case *protocol.RenameFile:
		return os.Rename(c.OldURI.FsPath(), c.NewURI.FsPath())
	case *protocol.DeleteFile:
		return os.Remove(c.URI.FsPath())
	default:
		return fmt.Errorf("a change of type %T", change)
	}
}

// create empties a file that exists, unless it must ignore existing files: so do real editors.
func create(c *protocol.CreateFile) error {
	if _, err := os.Stat(c.URI.FsPath()); err == nil && c.Options != nil && c.Options.IgnoreIfExists != nil && *c.Options.IgnoreIfExists {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(c.URI.FsPath()), 0o755); err != nil {
		return err
	}
	return os.WriteFile(c.URI.FsPath(), nil, 0o600)
}

// plainEdits returns the edits from the end of the text to its begin, so that none moves the next.
func plainEdits(elements []protocol.TextDocumentEditElement) []protocol.TextEdit {
	var edits []protocol.TextEdit
	for _, element := range elements {
		switch edit := element.(type) {
		case *protocol.TextEdit:
			edits = append(edits, *edit)
		case *protocol.AnnotatedTextEdit:
			edits = append(edits, edit.TextEdit)
		}
	}
	slices.Reverse(edits) // of two insertions at one place the first in the list comes first in the text
	slices.SortStableFunc(edits, func(a, b protocol.TextEdit) int {
		return comparePositions(b.Range.Start, a.Range.Start)
	})
	return edits
}

func comparePositions(a, b protocol.Position) int {
	if a.Line != b.Line {
		return int(a.Line) - int(b.Line)
	}
	return int(a.Character) - int(b.Character)
}

func (e *Editor) applyText(u uri.URI, edits []protocol.TextEdit) error {
	if e.Version(u) > 0 {
		e.Edit(u, edits...)
		return nil
	}
	text, err := os.ReadFile(u.FsPath())
	if err != nil {
		return err
	}
	file := &openDocument{text: utf16.Encode([]rune(string(text))), bytes: e.bytes}
	for _, edit := range edits {
		file.replace(edit)
	}
	return os.WriteFile(u.FsPath(), []byte(string(utf16.Decode(file.text))), 0o600)
}
