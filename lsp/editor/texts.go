package editor

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"forge/engine/workspace"
)

// Current is a file as it is now: the open document, or else what is on disk.
type Current struct {
	URI     uri.URI
	Text    string
	Exists  bool
	Open    bool
	Version int32 // of the client's last change, if open
	Hidden  int   // bytes at the start of text that the client does not count: a byte order mark
}

// Read returns a file of the folder as it is now. A missing file is no error. An open document without text and without a
// file does not exist yet: editors open one for a place that the user follows.
func (f *Folders) Read(folder Folder, path string) (Current, error) {
	full := filepath.Join(folder.Path, filepath.FromSlash(path))
	u := uri.File(full)
	if d, open := f.Docs.Document(u); open {
		now := Current{URI: d.URI, Text: d.Text, Exists: true, Open: true, Version: d.Version}
		if strings.TrimSpace(d.Text) == "" {
			_, err := onDiskText(folder, path)
			now.Exists = !isMissing(err)
		}
		return now, nil
	}
	text, err := onDiskText(folder, path)
	if isMissing(err) {
		return Current{URI: u}, nil
	}
	if err != nil {
		return Current{}, err
	}
	return Current{URI: u, Text: text, Exists: true}, nil
}

func isMissing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, workspace.ErrNoFolder)
}

// onDiskText reads a file of the folder: never one outside of it or in a git directory, whatever links there are, and
// never a pipe or a device.
func onDiskText(folder Folder, path string) (string, error) {
	if err := workspace.CheckRoot(folder.Path); err != nil {
		// Not %w: a folder that is gone must not read as a missing file.
		return "", fmt.Errorf("the folder %s cannot be read: %v", folder.Path, err) //nolint:errorlint // see above
	}
	text, err := workspace.Snapshot{Root: folder.Path}.ReadFile(path)
	return string(text), err
}

// ByteOrderMark is what some files begin with, and what editors keep but do not show.
const ByteOrderMark = "\uFEFF"

// WithMark gives a text that the client opened without its byte order mark the mark back, so that it
// compares with the base, and remembers that the client does not count it.
func (c Current) WithMark(base string) Current {
	if !strings.HasPrefix(base, ByteOrderMark) || !c.Exists {
		return c
	}
	if strings.HasPrefix(c.Text, ByteOrderMark) {
		if !c.Open {
			c.Hidden = len(ByteOrderMark)
		}
		return c
	}
	c.Text = ByteOrderMark + c.Text
	c.Hidden = len(ByteOrderMark)
	return c
}

// Marked is a text of the client's with the byte order mark that it does not show.
func (c Current) Marked(text string) string {
	if !strings.HasPrefix(c.Text, ByteOrderMark) || strings.HasPrefix(text, ByteOrderMark) {
		return text
	}
	return ByteOrderMark + text
}

// URIOf is the URI of a file of the folder, as the client writes it where it has it open.
func (f *Folders) URIOf(folder Folder, path string) uri.URI {
	u := uri.File(filepath.Join(folder.Path, filepath.FromSlash(path)))
	if d, open := f.Docs.Document(u); open {
		return d.URI
	}
	return u
}

// Unsaved reports whether the editor holds a text that is not on disk.
func (f *Folders) Unsaved(folder Folder, path string) bool {
	now, err := f.Read(folder, path)
	if err != nil || !now.Open {
		return false
	}
	saved, err := onDiskText(folder, path)
	return err != nil || strings.TrimPrefix(saved, ByteOrderMark) != strings.TrimPrefix(now.Text, ByteOrderMark)
}
