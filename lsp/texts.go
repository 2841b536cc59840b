package lsp

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"forge/engine/proposal"
	"forge/engine/workspace"
	"forge/patch"
)

// current is a file as it is now: the open document, or else what is on disk.
type current struct {
	uri     uri.URI
	text    string
	exists  bool
	open    bool
	version int32 // as the client last told it, where open
	hidden  int   // bytes at the start of text that the client does not count: a byte order mark
}

// read returns a file of the folder as it is now. A file that is not there is no error.
func (f *folders) read(folder Folder, path string) (current, error) {
	full := filepath.Join(folder.Path, filepath.FromSlash(path))
	u := uri.File(full)
	if d, open := f.docs.Document(u); open {
		return current{uri: d.URI, text: d.Text, exists: true, open: true, version: d.Version}, nil
	}
	text, err := onDiskText(folder, path)
	if errors.Is(err, fs.ErrNotExist) {
		return current{uri: u}, nil
	}
	if err != nil {
		return current{}, err
	}
	return current{uri: u, text: text, exists: true}, nil
}

// onDiskText reads a file of the folder: never one outside of it or in a git directory, whatever links there are, and
// never a pipe or a device.
func onDiskText(folder Folder, path string) (string, error) {
	if err := workspace.CheckRoot(folder.Path); err != nil {
		// Not %w: a folder that is gone must not read as a file that is not there.
		return "", fmt.Errorf("the folder %s cannot be read: %v", folder.Path, err) //nolint:errorlint // see above
	}
	text, err := workspace.Snapshot{Root: folder.Path}.ReadFile(path)
	return string(text), err
}

// texts are the files a proposal touches, by path, as they are now.
type texts map[string]current

// texts reads every file the proposal touches, before any lock is taken.
func (f *folders) texts(folder Folder, p *proposal.Proposal) (texts, error) {
	base := map[string]string{}
	for _, file := range p.Files {
		base[file.Change.Path] = file.Change.Before
		if file.Change.From != "" {
			base[file.Change.From] = file.Change.Before
		}
	}
	all := texts{}
	for _, path := range paths(p) {
		now, err := f.read(folder, path)
		switch {
		case errors.As(err, new(*patch.PathError)):
			continue // as a file that is not there; refused says why nothing is sent for it
		case err != nil:
			return nil, err
		}
		all[path] = now.withMark(base[path])
	}
	return all, nil
}

// byteOrderMark is what some files begin with, and what editors keep but do not show.
const byteOrderMark = "\uFEFF"

// withMark gives a text that the client opened without its byte order mark the mark back, so that it
// compares with the base, and remembers that the client does not count it.
func (c current) withMark(base string) current {
	if !strings.HasPrefix(base, byteOrderMark) || !c.exists {
		return c
	}
	if strings.HasPrefix(c.text, byteOrderMark) {
		if !c.open {
			c.hidden = len(byteOrderMark)
		}
		return c
	}
	c.text = byteOrderMark + c.text
	c.hidden = len(byteOrderMark)
	return c
}

// plain is what a proposal sees of a file.
func (c current) plain() proposal.Current { return proposal.Current{Text: c.text, Exists: c.exists} }

// lookup is the form in which proposal.Plan reads texts.
func (t texts) lookup(path string) (proposal.Current, error) { return t[path].plain(), nil }

// same tells whether the named files read the same in both.
func (t texts) same(other texts, names []string) bool {
	for _, name := range names {
		if t[name].plain() != other[name].plain() {
			return false
		}
	}
	return true
}

// uriOf is the URI of a file of the folder, as the client writes it where it has it open.
func (f *folders) uriOf(folder Folder, path string) uri.URI {
	u := uri.File(filepath.Join(folder.Path, filepath.FromSlash(path)))
	if d, open := f.docs.Document(u); open {
		return d.URI
	}
	return u
}

// unsaved tells whether the editor holds a text that is not on disk.
func (f *folders) unsaved(folder Folder, path string) bool {
	now, err := f.read(folder, path)
	if err != nil || !now.open {
		return false
	}
	saved, err := onDiskText(folder, path)
	return err != nil || strings.TrimPrefix(saved, byteOrderMark) != strings.TrimPrefix(now.text, byteOrderMark)
}
