package gitdir

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// maxSymbolicRefs limits how many symbolic refs are followed; git has the same limit.
const maxSymbolicRefs = 5

// origin is the place of the commits in the user's repository. It is read as data: git never runs with the
// user's repository as its directory.
type origin struct {
	head     string // full id of the commit that is checked out
	objects  string // the folder of the objects
	boundary string // the file with the commits whose parents were not fetched; /dev/null if there are none
	shallow  string // its content
	prefix   string // the workspace, relative to the repository's top folder, slash-separated; empty if they are the same
}

// findOrigin finds the repository that contains a folder. It is not ok if HEAD has no readable commit:
// unborn, damaged, or in a reftable.
func findOrigin(root string) (o origin, ok bool) {
	top, ok := repositoryTop(root)
	if !ok {
		return origin{}, false
	}
	dir, common, ok := gitDirs(top)
	if !ok {
		return origin{}, false
	}
	o = origin{objects: filepath.Join(common, "objects"), boundary: os.DevNull}
	if prefix, err := filepath.Rel(top, root); err == nil && prefix != "." {
		o.prefix = filepath.ToSlash(prefix)
	}
	if text, err := readPlain(filepath.Join(common, "shallow")); err == nil {
		o.boundary, o.shallow = filepath.Join(common, "shallow"), string(text)
	}
	o.head, ok = resolveHead(dir, common)
	return o, ok
}

// resolveHead returns the id of HEAD. See gitrepository-layout(5).
func resolveHead(dir, common string) (id string, ok bool) {
	text, err := readPlain(filepath.Join(dir, "HEAD"))
	if err != nil {
		return "", false
	}
	value := strings.TrimSpace(string(text))
	for range maxSymbolicRefs {
		name, symbolic := strings.CutPrefix(value, "ref:")
		if !symbolic {
			break
		}
		if value, ok = resolveRef(dir, common, strings.TrimSpace(name)); !ok {
			return "", false
		}
	}
	return value, IsObjectID(value)
}

// resolveRef returns the value of a ref: from its file in the worktree's directory or the common one, or from packed-refs.
func resolveRef(dir, common, name string) (value string, ok bool) {
	if !strings.HasPrefix(name, "refs/") || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", false
	}
	for _, place := range []string{dir, common} {
		if text, err := readPlain(filepath.Join(place, filepath.FromSlash(name))); err == nil {
			return strings.TrimSpace(string(text)), true
		}
	}
	packed, err := readPlain(filepath.Join(common, "packed-refs"))
	if err != nil {
		return "", false
	}
	for line := range strings.Lines(string(packed)) {
		id, ref, found := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		if found && ref == name {
			return id, true
		}
	}
	return "", false
}

// IsObjectID reports whether text is a full id, of SHA-1 or SHA-256.
func IsObjectID(text string) bool {
	id, err := hex.DecodeString(text)
	return err == nil && (len(id) == 20 || len(id) == 32)
}
