package editor

import (
	"forge/api/service"
	"forge/engine/workspace"
)

// Folders are the open workspace folders with their texts as they are now: open documents over what is on disk. It owns nothing, reads
// the session, the open documents and the disk, and never calls the client.
type Folders struct {
	Session *Session
	Docs    *Documents
}

// NewFolders returns the folders of a session.
func NewFolders(s *Session, docs *Documents) *Folders {
	return &Folders{Session: s, Docs: docs}
}

// Current returns the open folders, in the client's order.
func (f *Folders) Current() []Folder { return f.Session.CurrentFolders() }

// Choose picks the folder of this URI, or else the only one.
func (f *Folders) Choose(named string) (Folder, error) { return ChooseFolder(f.Current(), named, "") }

// Served is a folder as services take it.
func (f *Folders) Served(folder Folder) service.Folder {
	return service.Folder{Path: folder.Path, URI: string(folder.URI), Texts: func() workspace.Snapshot { return f.Freeze(folder) }}
}

// Lines is an index over a text, in the client's units.
func (f *Folders) Lines(text string) *Lines { return NewLines(text, f.Docs.Unit) }

// FolderFor picks the folder that is named, or else the one of the first open file that is in any, or else the only one.
func (f *Folders) FolderFor(named string, open []string) (Folder, error) {
	folders := f.Current()
	if named == "" {
		for _, file := range open {
			if folder, err := FolderOf(OnDisk(folders), file); err == nil {
				return folder, nil
			}
		}
	}
	return ChooseFolder(folders, named, "")
}

// Freeze takes the folder as it is at this moment: its open documents lie over what is on disk. It
// reads no file, so that a run is acknowledged at once.
func (f *Folders) Freeze(folder Folder) workspace.Snapshot {
	snapshot := workspace.Snapshot{Root: folder.Path, Unsaved: map[string]workspace.Document{}}
	for _, d := range f.Docs.Snapshot() {
		path, ok := FilePath(d.URI)
		if !ok {
			continue
		}
		if rel, inside := Relative(folder, path); inside {
			snapshot.Unsaved[rel] = workspace.Document{Path: rel, Text: d.Text, Version: d.Version}
		}
	}
	return snapshot
}
