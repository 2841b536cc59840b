package lsp

import (
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"
)

// chooseFolder picks the folder a command works on: the one that is named, or else the longest that
// holds the document, or else the only one. Its error is an answer that says what to do.
func chooseFolder(folders []Folder, named, document string) (Folder, error) {
	folders = onDisk(folders)
	switch {
	case named != "":
		return namedFolder(folders, named)
	case len(folders) == 0:
		return Folder{}, invalidParams("folder: no folder is open; open one and run the command again")
	case document != "":
		return folderOf(folders, document)
	case len(folders) > 1:
		return Folder{}, invalidParams("folder: several are open; name one of %s, or a scope inside one", folderList(folders))
	default:
		return folders[0], nil
	}
}

func namedFolder(folders []Folder, named string) (Folder, error) {
	for _, folder := range folders {
		if documentKey(folder.URI) == documentKey(uri.URI(named)) {
			return folder, nil
		}
	}
	return Folder{}, invalidParams("folder: %q is not open; want one of %s", named, folderList(folders))
}

// folderOf returns the innermost folder that holds the document.
func folderOf(folders []Folder, document string) (Folder, error) {
	path, ok := filePath(uri.URI(document))
	if !ok {
		return Folder{}, invalidParams("scope.uri: %q is not a file; save it into an open folder first", document)
	}
	best := Folder{}
	for _, folder := range folders {
		if _, inside := relative(folder, path); inside && len(folder.Path) > len(best.Path) {
			best = folder
		}
	}
	if best.Path == "" {
		return Folder{}, invalidParams("scope.uri: %q is in no open folder; want a file in one of %s", document, folderList(folders))
	}
	return best, nil
}

// relative returns the slash-separated path of a file relative to a folder, and false when it is not
// inside.
func relative(folder Folder, path string) (string, bool) {
	if folder.Path == "" {
		return "", false
	}
	rel, err := filepath.Rel(folder.Path, path)
	if err != nil || rel == "." || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

// onDisk leaves out folders that are not on this file system: no compiler can run there.
func onDisk(folders []Folder) []Folder {
	var local []Folder
	for _, folder := range folders {
		if folder.Path != "" {
			local = append(local, folder)
		}
	}
	return local
}

func folderList(folders []Folder) string {
	var uris []string
	for _, folder := range folders {
		uris = append(uris, string(folder.URI))
	}
	if len(uris) == 0 {
		return "the open folders, of which there are none"
	}
	return strings.Join(uris, ", ")
}
