package patch

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// CheckPath reports, as a *PathError, why an edit may not name p. A path is slash-separated, clean, relative to the root, inside it on
// every system, and not in a git directory. It checks the name only: the code that opens the file handles symbolic links (os.Root).
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

// CheckNew is CheckPath for a new file: its name must be valid, and mean the same file, on every system. Existing files may have any
// name that CheckPath allows.
func CheckNew(p string) error {
	if err := CheckPath(p); err != nil {
		return err
	}
	for part := range strings.SplitSeq(p, "/") {
		if cause := partCause(part); cause != "" {
			return &PathError{Path: p, Cause: cause}
		}
	}
	return nil
}

// maxName is the longest name of a file, in bytes, on common file systems.
const maxName = 255

// partCause returns why a name may not be created, or "".
func partCause(part string) string {
	stem, _, _ := strings.Cut(strings.ToLower(part), ".")
	switch {
	case strings.ContainsAny(part, `<>:"|?*`):
		return `it has one of the characters <>:"|?*, which Windows does not have in names`
	case strings.TrimRight(part, ". ") != part || strings.HasPrefix(part, " "):
		return "a part of it begins with a space, or ends with a period or a space, which some systems ignore"
	case slices.Contains(devices, strings.TrimRight(stem, " ")):
		return "a part of it is the name of a device on Windows"
	case shortName(part):
		return "a part of it may be the short name of another file on Windows"
	case strings.ContainsFunc(part, hidden):
		return "it has an invisible character"
	case !norm.NFC.IsNormalString(part):
		return "it is not in normal form (NFC), so some systems treat it as another name"
	case len(part) > maxName:
		return "a part of it is longer than 255 bytes"
	}
	return ""
}

// devices are the names of devices on Windows, in any folder and with any extension.
var devices = []string{
	"con", "prn", "aux", "nul", "conin$", "conout$", "clock$", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "com¹", "com²", "com³",
	"lpt0", "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9", "lpt¹", "lpt²", "lpt³",
}

// shortName reports whether a name has the form of a short one (8.3): GIT~1, FORGE~2.YAM.
func shortName(part string) bool {
	stem, extension, _ := strings.Cut(part, ".")
	name, number, found := strings.Cut(stem, "~")
	return found && len(name) > 0 && len(stem) <= 8 && len(extension) <= 3 && len(number) > 0 && strings.Trim(number, "0123456789") == ""
}

// hidden reports whether a character is invisible: a format character, or a line separator.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Co)
}

// InGit reports whether a path is in, or names, a git directory, in any spelling that a file system accepts.
func InGit(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if isGitName(part) {
			return true
		}
	}
	return false
}

// isGitName reports whether a file system may treat the name as ".git": in any case, with the code points that HFS+ ignores, the trailing
// dots and spaces or the stream name that NTFS ignores, or as the 8.3 short name. git's own checkout has the same list.
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
