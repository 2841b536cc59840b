package integrity

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"forge/patch"
)

// ControlLevel is how carefully a change must be reviewed. Higher is more careful.
type ControlLevel int

// The levels.
const (
	ControlNone ControlLevel = iota
	ControlLook              // review it: building or testing the project executes it
	ControlAsk               // needs its own confirmation
	ControlDeny              // never
)

// Control is the judgement of a change. The zero Control has none.
type Control struct {
	Level  ControlLevel
	Path   string // path of the file
	Reason string // for users, as a clause: "VS Code runs its tasks when the folder is opened"
	// Deceptive means that the text reads differently from what it is. Naming the file in a request is no consent to that.
	Deceptive bool
}

// ControlOf returns how carefully a change must be reviewed. A move counts for both of its paths; the stricter one applies.
func ControlOf(c patch.FileChange) Control {
	verdicts := []Control{ofPath(c.Path), ofText(c)}
	if c.From != "" {
		verdicts = append(verdicts, ofPath(c.From))
	}
	worst := slices.MaxFunc(verdicts, func(a, b Control) int { return cmp.Compare(a.Level, b.Level) })
	why := deceives(c)
	if worst.Deceptive = why != ""; worst.Deceptive && worst.Level < ControlAsk {
		worst = Control{ControlAsk, c.Path, why, true}
	}
	return worst
}

// Refused returns, as a *patch.PathError, a change that may never be made; nil if there is none.
func Refused(set patch.ChangeSet) error {
	for _, c := range set.Files {
		if v := ControlOf(c); v.Level == ControlDeny {
			return &patch.PathError{Path: v.Path, Cause: v.Reason}
		}
	}
	return nil
}

// Named reports whether a request contains a path, literally and as a whole: then the user wants the file changed.
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

// inPath reports whether a path continues after the end of a text, or before its beginning. A period at the end of a sentence is
// not part of it.
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

// ofPath judges a path by its name and its folders.
func ofPath(name string) Control {
	folded := fold(name)
	parts := strings.Split(folded, "/")
	if slices.Contains(parts, ".forge") {
		return Control{Level: ControlDeny, Path: name, Reason: "it is in Forge's own folder, which no model and no patch writes"}
	}
	for _, r := range rules {
		if r.matches(folded, parts) {
			return Control{Level: r.level, Path: name, Reason: r.reason}
		}
	}
	return Control{Path: name}
}

// fold returns the canonical form of a path for all spellings that a file system may treat as equal: in any case, without
// the code points that some file systems ignore, and without trailing periods and spaces.
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
