// Package control knows the files of a folder that do more than be compiled or read: a program executes them when the
// folder is opened, they steer git, a package manager or a build machine, or the next model takes them as instructions.
// A change of one needs a look of its own, however many other files it comes with. It is pure: a change goes in, how
// careful to be and why comes out. docs/adr/0052 has the levels, and why some files are on the lower one.
//
//	look     everyday files that are executed when the project is built or tested: marked in the proposal
//	ask      never applied along with the rest: only by a yes to this very file, or where the task names it
//	deny     Forge's own folder: no model writes there
package control

import (
	"cmp"
	"path"
	"slices"
	"strings"
	"unicode"

	"forge/patch"
)

// Level is how careful to be with a change. Higher is more careful.
type Level int

// The levels.
const (
	None Level = iota
	Look       // look twice: it is executed when the project is built or tested
	Ask        // not covered by a yes to everything
	Deny       // never
)

// Verdict is what is to be known of a change. The zero Verdict is none.
type Verdict struct {
	Level  Level
	Path   string // of the file that it is about
	Reason string // for people, as a clause: "VS Code runs its tasks when the folder is opened"
}

// Judge says how careful to be with a change. A move counts for both of its paths, and the stricter one is given.
func Judge(c patch.FileChange) Verdict {
	verdicts := []Verdict{ofPath(c.Path), ofText(c)}
	if c.From != "" {
		verdicts = append(verdicts, ofPath(c.From))
	}
	return slices.MaxFunc(verdicts, func(a, b Verdict) int { return cmp.Compare(a.Level, b.Level) })
}

// Refused says, as a *patch.PathError, which change may never be made; nil is none.
func Refused(set patch.ChangeSet) error {
	for _, c := range set.Files {
		if v := Judge(c); v.Level == Deny {
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
func ofPath(name string) Verdict {
	folded := fold(name)
	parts := strings.Split(folded, "/")
	if slices.Contains(parts, ".forge") {
		return Verdict{Deny, name, "it is in Forge's own folder, which no model and no patch writes"}
	}
	for _, r := range rules {
		if r.matches(folded, parts) {
			return Verdict{r.level, name, r.reason}
		}
	}
	return Verdict{Path: name}
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
