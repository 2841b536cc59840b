package editor

import (
	"cmp"
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

	ends string // the line ends of the client's text, if Text has others; else empty
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

// Like gives a text the byte order mark and the line ends that a change has, so that it compares with that, and remembers that the client's text
// has no such mark, or other line ends: Emacs and Kakoune show a file with CRLF without the carriage returns. Line ends stay if one of the texts
// has several kinds, or the change is about them.
func (c Current) Like(before, after string) Current {
	if !c.Exists {
		return c
	}
	ends, own := lineEnds(cmp.Or(before, after)), lineEnds(c.Text)
	if ends != "" && own != "" && own != ends && (after == "" || lineEnds(after) == ends) && strings.TrimSpace(c.Text) != "" {
		c.Text, c.ends = withEnds(c.Text, ends), own
	}
	if !strings.HasPrefix(before, ByteOrderMark) {
		return c
	}
	if marked := strings.HasPrefix(c.Text, ByteOrderMark); !marked {
		c.Text = ByteOrderMark + c.Text
	} else if c.Open {
		return c
	}
	c.Hidden = len(ByteOrderMark)
	return c
}

// Shown is a part of the text, or what is to be put into it, with the client's line ends.
func (c Current) Shown(text string) string {
	if c.ends == "" {
		return text
	}
	return withEnds(text, c.ends)
}

// Marked is a text of the client's with what the client does not show of it.
func (c Current) Marked(text string) string {
	if c.ends != "" {
		text = withEnds(text, lineEnds(c.Text))
	}
	if !strings.HasPrefix(c.Text, ByteOrderMark) || strings.HasPrefix(text, ByteOrderMark) {
		return text
	}
	return ByteOrderMark + text
}

// The kinds of line ends.
const (
	endLF   = "\n"
	endCRLF = "\r\n"
)

// lineEnds returns the kind of line end that a text has; empty if it has none, or several.
func lineEnds(text string) string {
	feeds, returns := strings.Count(text, endLF), strings.Count(text, "\r")
	switch {
	case feeds > 0 && returns == 0:
		return endLF
	case feeds > 0 && returns == feeds && strings.Count(text, endCRLF) == feeds:
		return endCRLF
	}
	return ""
}

// withEnds returns a text with one kind of line ends.
func withEnds(text, ends string) string {
	text = strings.ReplaceAll(text, endCRLF, endLF)
	if ends == endLF {
		return text
	}
	return strings.ReplaceAll(text, endLF, ends)
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
	return err != nil || strings.TrimPrefix(saved, ByteOrderMark) != strings.TrimPrefix(now.Like(saved, "").Text, ByteOrderMark)
}
