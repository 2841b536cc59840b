package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// PathError says that a path may not be used, and why.
type PathError struct {
	Path   string
	Reason string // for people
}

// Error gives the message for people.
func (e *PathError) Error() string { return fmt.Sprintf("%q cannot be used: %s", e.Path, e.Reason) }

// CheckPath refuses every path that is not a plain, slash-separated path of a file below the root, and
// everything in a .git at any depth, however a file system may spell it. The error is a *PathError.
// Symbolic links are not its business: os.Root confines those where a file is opened.
func CheckPath(path string) error {
	if !fs.ValidPath(path) || path == "." || strings.ContainsRune(path, 0) {
		return &PathError{path, "a path must be relative to the folder, with / between its parts and without . or .."}
	}
	for part := range strings.SplitSeq(path, "/") {
		if isGit(part) {
			return &PathError{path, "the inside of a .git belongs to git"}
		}
	}
	return nil
}

// isGit reports whether a file system can take name for ".git": NTFS drops trailing dots and spaces,
// cuts at a colon and knows git~1; HFS+ ignores some characters; both and APFS fold case.
func isGit(name string) bool {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		if r >= 0x200c && r <= 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x206a && r <= 0x206f || r == 0xfeff {
			return -1
		}
		return r
	}, name)
	name = strings.ToLower(strings.TrimRight(name, ". "))
	return name == ".git" || name == "git~1"
}

// CheckRoot says in a person's words why root cannot be worked in: it is gone, or it is no folder.
func CheckRoot(root string) error {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %s does not exist (any more): open it again: %w", root, err)
	case err != nil:
		return fmt.Errorf("the folder %s cannot be read: check its permissions: %w", root, err)
	case !info.IsDir():
		return fmt.Errorf("%s is a file, not a folder: open the folder it is in", root)
	}
	return nil
}
