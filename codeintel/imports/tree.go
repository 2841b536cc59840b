package imports

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"

	"forge/codeintel"
)

// tree is what resolvers look files up in. Folders are paths without a slash at the end; the root is "".
// A tree may be read by several goroutines once the resolvers are made.
type tree struct {
	files    []File          // by path
	id       map[string]unit // of each file
	folders  map[string][]unit
	groups   [][]unit         // the files of each group, in order
	groupsOf map[int32][]unit // the groups a file belongs to
	read     func(path string) ([]byte, error)
}

func newTree(files []File, read func(path string) ([]byte, error)) *tree {
	t := &tree{id: make(map[string]unit, len(files)), folders: map[string][]unit{}, groupsOf: map[int32][]unit{}, read: read}
	t.files = make([]File, 0, len(files))
	for _, file := range files {
		if !fs.ValidPath(file.Path) || file.Path == "." {
			continue
		}
		if at, double := t.id[file.Path]; double {
			t.files[at] = file
			continue
		}
		t.id[file.Path] = unit(len(t.files))
		t.files = append(t.files, file)
	}
	slices.SortFunc(t.files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for i := range t.files {
		t.id[t.files[i].Path] = unit(i)
		folder := folderOf(t.files[i].Path)
		t.folders[folder] = append(t.folders[folder], unit(i))
	}
	return t
}

// group makes a unit of several files.
func (t *tree) group(files []unit) unit {
	u := unit(len(t.files) + len(t.groups))
	t.groups = append(t.groups, files)
	for _, file := range files {
		t.groupsOf[int32(file)] = append(t.groupsOf[int32(file)], u)
	}
	return u
}

func (t *tree) appendFiles(files []int32, u unit) []int32 {
	if int(u) < len(t.files) {
		return append(files, int32(u))
	}
	for _, file := range t.groups[int(u)-len(t.files)] {
		files = append(files, int32(file))
	}
	return files
}

func (t *tree) has(languages []codeintel.Language) bool {
	return slices.ContainsFunc(t.files, func(f File) bool { return slices.Contains(languages, f.Language) })
}

// first returns the first of some paths that is a file.
func (t *tree) first(folder string, names ...string) (unit, bool) {
	for _, name := range names {
		if u, ok := t.id[below(folder, name)]; ok {
			return u, true
		}
	}
	return 0, false
}

// foldersAbove returns the folders that hold files of some languages, at any depth, sorted: the root comes first,
// and each folder before those in it.
func (t *tree) foldersAbove(languages []codeintel.Language) []string {
	seen := map[string]bool{}
	for folder, files := range t.folders {
		if !slices.ContainsFunc(files, func(u unit) bool { return slices.Contains(languages, t.files[u].Language) }) {
			continue
		}
		for up := range upwards(folder) {
			if seen[up] {
				break
			}
			seen[up] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// config returns a file of configuration; nil if there is none.
func (t *tree) config(name string) []byte {
	if t.read == nil || !fs.ValidPath(name) {
		return nil
	}
	content, err := t.read(name)
	if err != nil {
		return nil // most folders have none, and one that cannot be read is ignored
	}
	return content
}

// folderOf returns the folder of a path.
func folderOf(name string) string {
	if slash := strings.LastIndexByte(name, '/'); slash >= 0 {
		return name[:slash]
	}
	return ""
}

// below returns the path of a name in a folder, as it is: neither may hold "..".
func below(folder, name string) string {
	switch {
	case folder == "":
		return name
	case name == "":
		return folder
	default:
		return folder + "/" + name
	}
}

// within follows a path as written in a folder. It fails where that leaves the root.
func within(folder, written string) (string, bool) {
	if strings.HasPrefix(written, "/") {
		return "", false
	}
	joined := path.Join(folder, written)
	if joined == "." || joined == "" {
		return "", true
	}
	if !fs.ValidPath(joined) {
		return "", false
	}
	return joined, true
}

// upwards yields a folder and the folders above it, the root last.
func upwards(folder string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for yield(folder) && folder != "" {
			folder = folderOf(folder)
		}
	}
}

// inside reports whether a path is a folder or is in it.
func inside(folder, name string) bool {
	return folder == "" || name == folder || strings.HasPrefix(name, folder+"/")
}

// inFolderNamed reports whether a path has a folder of that name.
func inFolderNamed(name, folder string) bool {
	return strings.HasPrefix(name, folder+"/") || strings.Contains(name, "/"+folder+"/")
}
