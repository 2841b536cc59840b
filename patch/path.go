package patch

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckPath reports, as a *PathError, why p may not be named by an edit. A path is slash-separated,
// clean, relative to the root and stays inside it on every system, and leads into no git directory.
// It looks at the name only: symbolic links are the concern of the code that opens the file
// (os.Root).
func CheckPath(p string) error {
	if cause := pathCause(p); cause != "" {
		return &PathError{Path: p, Cause: cause}
	}
	return nil
}

func pathCause(p string) string {
	switch {
	case p == "":
		return "it is empty"
	case !utf8.ValidString(p):
		return "it is not valid UTF-8"
	case strings.ContainsFunc(p, unicode.IsControl):
		return "it has a control character"
	case strings.Contains(p, `\`):
		return "it has a backslash; separate folders by /"
	case p[0] == '/':
		return "it is absolute; name it relative to the root"
	case len(p) > 1 && p[1] == ':':
		return "it has a drive letter; name it relative to the root"
	}
	return partsCause(p)
}

func partsCause(p string) string {
	for part := range strings.SplitSeq(p, "/") {
		if part == ".." {
			return "it leaves the root by .."
		}
	}
	if InGit(p) {
		return "it leads into a git directory"
	}
	if path.Clean(p) != p || p == "." {
		return "it is not a plain path: no empty or . parts, no slash at its end"
	}
	return ""
}

// InGit reports whether a path leads into a git directory, or names one, however a file system may spell it.
func InGit(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if isGitName(part) {
			return true
		}
	}
	return false
}

// isGitName reports whether a file system may take the name for ".git": in any case, with the code
// points HFS+ ignores, the trailing dots and spaces or the stream name NTFS ignores, or as the short
// name of 8.3 systems. The list is the one git's own checkout protects against.
func isGitName(name string) bool {
	name = strings.Map(dropIgnorable, name)
	name, _, _ = strings.Cut(name, ":")
	name = strings.ToLower(strings.TrimRight(name, ". "))
	return name == ".git" || name == "git~1"
}

func dropIgnorable(r rune) rune {
	switch {
	case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		return -1
	}
	return r
}
