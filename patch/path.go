package patch

import (
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
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

// CheckNew is CheckPath for a file that is not there yet: its name must be one that every system can have, and takes for the same.
// Existing files may have any name that CheckPath allows.
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
		return "it has a character that is not shown"
	case !norm.NFC.IsNormalString(part):
		return "it is not in normal form (NFC), so that some systems take it for another name"
	case len(part) > maxName:
		return "a part of it is longer than 255 bytes"
	}
	return ""
}

// devices are names that Windows takes for devices, in any folder and with any extension.
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

// hidden reports whether a character is of a kind that is not shown: format characters, and separators of lines.
func hidden(r rune) bool {
	return unicode.In(r, unicode.Cf, unicode.Zl, unicode.Zp, unicode.Cs, unicode.Co)
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
