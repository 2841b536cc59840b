package lsp

import (
	"fmt"
	"net/url"

	"forge/lsp/document"

	"go.lsp.dev/uri"

	"forge/api/service"
	"forge/codeintel/search"
	"forge/engine/workspace"
)

// folders are the open workspace folders with their texts as they are now: open documents over what is on disk. It owns nothing, reads
// the session, the open documents and the disk, and never calls the client.
type folders struct {
	session *session
	docs    *document.Documents
}

func (f *folders) current() []Folder { return f.session.currentFolders() }

// choose picks the folder of this URI, or else the only one.
func (f *folders) choose(named string) (Folder, error) { return chooseFolder(f.current(), named, "") }

// served is a folder as services take it.
func (f *folders) served(folder Folder) service.Folder {
	return service.Folder{Path: folder.Path, URI: string(folder.URI), Texts: func() workspace.Snapshot { return f.freeze(folder) }}
}

// lines is an index over a text, in the client's units.
func (f *folders) lines(text string) *document.Lines { return document.NewLines(text, f.docs.Unit) }

// query makes an atlas's query of the arguments, and chooses the folder it is about. Open files outside of it do not
// matter.
func (f *folders) query(text string, open []string, named string) (search.Query, Folder, error) {
	folder, err := f.folderFor(named, open)
	if err != nil {
		return search.Query{}, Folder{}, err
	}
	q := search.Query{Text: text}
	for _, document := range open {
		if path, inside := pathIn(folder, document); inside {
			q.Open = append(q.Open, path)
		}
	}
	return q, folder, nil
}

// folderFor picks the folder that is named, or else the one of the first open file that is in any, or else the only one.
func (f *folders) folderFor(named string, open []string) (Folder, error) {
	folders := f.current()
	if named == "" {
		for _, document := range open {
			if folder, err := folderOf(onDisk(folders), document); err == nil {
				return folder, nil
			}
		}
	}
	return chooseFolder(folders, named, "")
}

// addressOf is the URI of a document about a folder.
func (f *folders) addressOf(folder Folder, format string, args ...any) uri.URI {
	address := fmt.Sprintf(documentScheme+"://"+format, args...)
	if len(onDisk(f.current())) > 1 {
		address += "?folder=" + url.PathEscape(string(folder.URI))
	}
	return uri.URI(address)
}

// freeze takes the folder as it is at this moment: its open documents lie over what is on disk. It
// reads no file, so that a run is acknowledged at once.
func (f *folders) freeze(folder Folder) workspace.Snapshot {
	snapshot := workspace.Snapshot{Root: folder.Path, Unsaved: map[string]workspace.Document{}}
	for _, d := range f.docs.Snapshot() {
		path, ok := document.FilePath(d.URI)
		if !ok {
			continue
		}
		if rel, inside := relative(folder, path); inside {
			snapshot.Unsaved[rel] = workspace.Document{Path: rel, Text: d.Text, Version: d.Version}
		}
	}
	return snapshot
}
