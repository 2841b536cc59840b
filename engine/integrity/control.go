package integrity

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"forge/patch"
)

// ControlLevel is how careful to be with a change. Higher is more careful.
type ControlLevel int

// The levels.
const (
	ControlNone ControlLevel = iota
	ControlLook              // look twice: it is executed when the project is built or tested
	ControlAsk               // not covered by a yes to everything
	ControlDeny              // never
)

// Verdict is what is to be known of a change. The zero Verdict is none.
type Control struct {
	Level  ControlLevel
	Path   string // of the file that it is about
	Reason string // for people, as a clause: "VS Code runs its tasks when the folder is opened"
}

// Judge says how careful to be with a change. A move counts for both of its paths, and the stricter one is given.
func ControlOf(c patch.FileChange) Control {
	verdicts := []Control{ofPath(c.Path), ofText(c)}
	if c.From != "" {
		verdicts = append(verdicts, ofPath(c.From))
	}
	return slices.MaxFunc(verdicts, func(a, b Control) int { return cmp.Compare(a.Level, b.Level) })
}

// Refused says, as a *patch.PathError, which change may never be made; nil is none.
func Refused(set patch.ChangeSet) error {
	for _, c := range set.Files {
		if v := ControlOf(c); v.Level == ControlDeny {
			return &patch.PathError{Path: v.Path, Cause: v.Reason}
		}
	}
	return nil
}

// Named reports whether a request names a path, literally and as a whole: who asked for a file by its path wants it changed.
func Named(request, name string) bool {
	for at := 0; ; {
		found := strings.Index(request[at:], name)
		if found < 0 {
			return false
		}
		start, end := at+found, at+found+len(name)
		if !inPath(request[:start], true) && !inPath(request[end:], false) {
			return true
		}
		at = end
	}
}

// inPath reports whether a path goes on where a text ends, or begins. A point at the end of a sentence is none of it.
func inPath(text string, atEnd bool) bool {
	partOf := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_-/\\~", r)
	}
	if atEnd {
		last := []rune(text[max(0, len(text)-4):])
		return len(last) > 0 && (partOf(last[len(last)-1]) || last[len(last)-1] == '.')
	}
	rest := strings.TrimLeft(text, ".")
	first := []rune(rest[:min(4, len(rest))])
	return len(first) > 0 && partOf(first[0])
}

// ofPath judges a path by its name and the folders that it is in.
func ofPath(name string) Control {
	folded := fold(name)
	parts := strings.Split(folded, "/")
	if slices.Contains(parts, ".forge") {
		return Control{ControlDeny, name, "it is in Forge's own folder, which no model and no patch writes"}
	}
	for _, r := range rules {
		if r.matches(folded, parts) {
			return Control{r.level, name, r.reason}
		}
	}
	return Control{Path: name}
}

// fold gives a path in the one form that stands for all that a file system may take for the same: in any case, without the
// code points that some file systems ignore, and without trailing points and spaces.
func fold(name string) string {
	parts := strings.Split(strings.Map(foldRune, name), "/")
	for i, part := range parts {
		if trimmed := strings.TrimRight(part, ". "); trimmed != "" {
			parts[i] = trimmed
		}
	}
	return path.Clean(strings.Join(parts, "/"))
}

func foldRune(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	smallest := r
	for variant := unicode.SimpleFold(r); variant != r; variant = unicode.SimpleFold(variant) {
		smallest = min(smallest, variant)
	}
	return unicode.ToLower(smallest)
}
