package editor

import (
	"path/filepath"
	"slices"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
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
