package editor

import (
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"

	"forge/lsp/transport"
)

// ChooseFolder picks the folder a command works on: the one that is named, or else the longest that
// holds the file, or else the only one. Its error is an answer that says what to do.
func ChooseFolder(folders []Folder, named, file string) (Folder, error) {
	folders = OnDisk(folders)
	switch {
	case named != "":
		return namedFolder(folders, named)
	case len(folders) == 0:
		return Folder{}, transport.InvalidParams("folder: no folder is open; open one and run the command again")
	case file != "":
		return FolderOf(folders, file)
	case len(folders) > 1:
		return Folder{}, transport.InvalidParams("folder: several are open; name one of %s, or a scope inside one", FolderList(folders))
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
	return Folder{}, transport.InvalidParams("folder: %q is not open; want one of %s", named, FolderList(folders))
}

// FolderOf returns the innermost folder that holds the file.
func FolderOf(folders []Folder, file string) (Folder, error) {
	path, ok := FilePath(uri.URI(file))
	if !ok {
		return Folder{}, transport.InvalidParams("scope.uri: %q is not a file; save it into an open folder first", file)
	}
	best := Folder{}
	for _, folder := range folders {
		if _, inside := Relative(folder, path); inside && len(folder.Path) > len(best.Path) {
			best = folder
		}
	}
	if best.Path == "" {
		return Folder{}, transport.InvalidParams("scope.uri: %q is in no open folder; want a file in one of %s", file, FolderList(folders))
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
