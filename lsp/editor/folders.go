package editor

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api/service"
	"forge/engine/workspace"
	"forge/lsp/transport"
)

// Folder is a workspace folder.
type Folder struct {
	URI  uri.URI // as the client writes it
	Name string
	Path string // absolute; empty for a folder that is not on this file system
}

func newFolder(u uri.URI, name string) Folder {
	path, _ := FilePath(u)
	if name == "" {
		name = filepath.Base(path)
	}
	return Folder{URI: u, Name: name, Path: path}
}

// initialFolders returns the folders of the client, by the newest member it sends: workspaceFolders,
// rootUri or rootPath. An editor without a folder has none.
func initialFolders(p *protocol.InitializeParams) []Folder {
	if given, ok := p.WorkspaceFolders.Get(); ok && len(given) > 0 {
		return addFolders(nil, given)
	}
	if p.RootURI != nil && *p.RootURI != "" {
		return []Folder{newFolder(*p.RootURI, "")}
	}
	if path, ok := p.RootPath.Get(); ok && path != "" {
		return []Folder{newFolder(uri.File(path), "")}
	}
	return nil
}

// addFolders appends folders, except those that are there already.
func addFolders(folders []Folder, more []protocol.WorkspaceFolder) []Folder {
	for _, f := range more {
		if indexFolder(folders, f.URI) < 0 {
			folders = append(folders, newFolder(f.URI, f.Name))
		}
	}
	return folders
}

func indexFolder(folders []Folder, u uri.URI) int {
	return slices.IndexFunc(folders, func(f Folder) bool { return Key(f.URI) == Key(u) })
}

// CurrentFolders returns the workspace folders as they are now, in the client's order.
func (s *Session) CurrentFolders() []Folder {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.folders)
}

func (s *Session) setFolders(folders []Folder) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.folders = folders
}

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

// At returns the open folder with this path, also if links lead to it.
func (f *Folders) At(path string) (Folder, bool) {
	there, err := os.Stat(path)
	if err != nil {
		return Folder{}, false
	}
	for _, folder := range OnDisk(f.Current()) {
		if here, err := os.Stat(folder.Path); err == nil && os.SameFile(here, there) {
			return folder, true
		}
	}
	return Folder{}, false
}

// Served is a folder as services take it.
func (f *Folders) Served(folder Folder) service.Folder {
	return service.Folder{Path: folder.Path, URI: string(folder.URI), Texts: func() workspace.Snapshot { return f.Freeze(folder) }}
}

// ServedAt is a folder as services take it, with its texts as they were.
func (f *Folders) ServedAt(folder Folder, texts workspace.Snapshot) service.Folder {
	return service.Folder{Path: folder.Path, URI: string(folder.URI), Texts: func() workspace.Snapshot { return texts }}
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

// ChooseFolder picks the folder a command works on: the one that is named, or else the longest that
// holds the file, or else the only one. Its error is an answer that says what to do.
func ChooseFolder(folders []Folder, named, file string) (Folder, error) {
	folders = OnDisk(folders)
	switch {
	case named != "":
		return namedFolder(folders, named)
	case len(folders) == 0:
		return Folder{}, transport.InvalidParams("No folder is open. Open one and run the command again.")
	case file != "":
		return FolderOf(folders, file)
	case len(folders) > 1:
		return Folder{}, transport.InvalidParams("Several folders are open: %s. Choose one of them, or a file in it.", FolderList(folders))
	default:
		return folders[0], nil
	}
}

func namedFolder(folders []Folder, named string) (Folder, error) {
	for _, folder := range folders {
		if Key(folder.URI) == Key(uri.URI(named)) {
			return folder, nil
		}
	}
	return Folder{}, transport.InvalidParams("The folder %s is not open. Open it, or choose one of %s.", named, FolderList(folders))
}

// FolderOf returns the innermost folder that holds the file.
func FolderOf(folders []Folder, file string) (Folder, error) {
	path, ok := FilePath(uri.URI(file))
	if !ok {
		return Folder{}, transport.InvalidParams("%s is not a file. Save it into an open folder first.", file)
	}
	best := Folder{}
	for _, folder := range folders {
		if _, inside := Relative(folder, path); inside && len(folder.Path) > len(best.Path) {
			best = folder
		}
	}
	if best.Path == "" {
		return Folder{}, transport.InvalidParams("%s is in no open folder. Choose a file in one of %s.", file, FolderList(folders))
	}
	return best, nil
}

// Relative returns the slash-separated path of a file relative to a folder, and false when it is not
// inside.
func Relative(folder Folder, path string) (string, bool) {
	if folder.Path == "" {
		return "", false
	}
	rel, err := filepath.Rel(folder.Path, path)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// OnDisk leaves out folders that are not on this file system: no compiler can run there.
func OnDisk(folders []Folder) []Folder {
	var local []Folder
	for _, folder := range folders {
		if folder.Path != "" {
			local = append(local, folder)
		}
	}
	return local
}

// FolderList names folders by their URIs, for a message.
func FolderList(folders []Folder) string {
	var uris []string
	for _, folder := range folders {
		uris = append(uris, string(folder.URI))
	}
	if len(uris) == 0 {
		return "the open folders, of which there are none"
	}
	return strings.Join(uris, ", ")
}

// PathIn is the path of a document in a folder, and false if it is not inside.
func PathIn(folder Folder, file string) (string, bool) {
	path, _ := FilePath(uri.URI(file))
	return Relative(folder, path)
}
