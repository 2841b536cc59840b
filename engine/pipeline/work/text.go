package work

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"forge/engine/event"
	"forge/engine/integrity"
	"forge/engine/step"
	"forge/internal/lazyregexp"
	"forge/patch"
)

// Shorten returns the beginning of a text, at most so many bytes.
func Shorten(text string, most int) string {
	text = strings.TrimSpace(text)
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	if line := strings.LastIndexByte(text[:end], '\n'); line > most/2 {
		end = line
	}
	return text[:end] + "\n[… cut]"
}

// Condense returns the beginning and the end of the output of a tool, at most so many bytes and whole lines where they fit: a failure
// begins with what was expected, and its last frame is where the code failed. Lines that only underline the one above are left out.
func Condense(text string, most int) string {
	lines := slices.DeleteFunc(strings.Split(strings.TrimSpace(text), "\n"), underlines.MatchString)
	text = strings.Join(lines, "\n")
	if len(text) <= most {
		return text
	}
	first, last := 0, len(lines)
	for size := 0; first < last; {
		begins := first == 0 || 2*first < len(lines)-last // two lines of the end for one of the beginning
		if size+len(lines[last-1]) >= most {
			begins = true // it does not fit
		}
		next := lines[last-1]
		if begins {
			next = lines[first]
		}
		if size += len(next) + 1; size > most {
			break
		}
		if begins {
			first++
		} else {
			last--
		}
	}
	if first == 0 {
		return Shorten(text, most)
	}
	return strings.Join(slices.Concat(lines[:first], []string{"[… cut]"}, lines[last:]), "\n")
}

// underlines matches a line that points at a part of the line above.
var underlines = lazyregexp.New(`^\s*[~^][\s~^]*$`)

// Clip shortens a text, and marks the cut.
func Clip(text string) string {
	if len(text) <= MaxMessage {
		return text
	}
	return strings.ToValidUTF8(text[:MaxMessage], "") + " …"
}

// FirstOf returns the first line of a text, for a list.
func FirstOf(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return Shorten(line, 300)
}

// Are is event.Count with the verb: "2 parts are".
func Are(n int, thing string) string {
	if n == 1 {
		return "1 " + thing + " is"
	}
	return event.Count(n, thing) + " are"
}

// Union returns the paths of both, without duplicates.
func Union(a, b []string) []string {
	all := slices.Clone(a)
	for _, p := range b {
		if !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all
}

// ChangedPaths returns the files of a change.
func ChangedPaths(c patch.ChangeSet) (paths []string) {
	for _, f := range c.Files {
		paths = append(paths, path.Clean(f.Path))
	}
	return paths
}

// Since returns the changes of a tree after the first n.
func Since(s step.State, n int) patch.ChangeSet {
	var all patch.ChangeSet
	for _, c := range s.Changes[n:] {
		all.Files = append(all.Files, c.Files...)
	}
	return all
}

// Named returns the sorted paths with new content in a change set: those to format or parse.
func Named(changes patch.ChangeSet) []string {
	var paths []string
	for _, f := range changes.Files {
		if f.Kind != patch.Delete && f.After != f.Before {
			paths = append(paths, f.Path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// ScopePaths returns the files that a change affects, including the sources of moves.
func ScopePaths(changes patch.ChangeSet) (paths []string) {
	for _, f := range changes.Files {
		paths = append(paths, integrity.Paths(f)...)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// OneLine joins a text to the one line of a summary.
func OneLine(text string) string {
	line := strings.Join(strings.Fields(text), " ")
	if runes := []rune(line); len(runes) > 200 {
		return string(runes[:199]) + "…"
	}
	return line
}

// MaxDigest limits a description of changes, or of failures, in bytes. A tool truncates its own answer, once.
const MaxDigest = 2000

// MaxMessage limits a message of a tool, in bytes.
const MaxMessage = 600

// Because formats a model's reason for its tests in a line; "" without one.
func Because(reason string) string {
	if reason = Shorten(strings.Join(strings.Fields(reason), " "), 300); reason != "" {
		return ". The model's reason: " + reason
	}
	return ""
}

// Quote formats a model's text as a quotation in Markdown.
func Quote(text string) string {
	return "> " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n> ")
}
