package overseer

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"forge/internal/inert"
	"forge/patch"
)

// hunk is a place where two attempts differ: the significant lines.
type hunk struct {
	path           string
	line           int // the first line in the failed text, from 1
	end            int // the line after the last one
	removed, added []string
}

func (h hunk) size() int { return len(h.removed) + len(h.added) }

// mostCompared is the longest text that is compared, in bytes.
const mostCompared = 1 << 20

// written are files that tools write: their lines explain nothing.
var written = []string{"go.sum", "package-lock.json", "yarn.lock", "pnpm-lock.yaml", "Cargo.lock", "poetry.lock", "uv.lock"}

// hunksOf returns the differences between the results of two attempts, by path and line.
func hunksOf(failed, passed patch.ChangeSet) (hunks []hunk) {
	type pair struct{ before, after string }
	texts := map[string]pair{}
	for _, f := range failed.Files {
		texts[f.Path] = pair{f.After, f.Before} // where the second attempt leaves the file as it was
	}
	for _, f := range passed.Files {
		before := f.Before
		if earlier, is := texts[f.Path]; is {
			before = earlier.before
		}
		texts[f.Path] = pair{before, f.After}
	}
	for file, t := range texts {
		if !slices.Contains(written, path.Base(file)) && len(t.before)+len(t.after) <= mostCompared {
			hunks = append(hunks, compare(file, t.before, t.after)...)
		}
	}
	slices.SortFunc(hunks, func(a, b hunk) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.line, b.line)) })
	return hunks
}

func compare(file, before, after string) (hunks []hunk) {
	for _, e := range patch.Diff(before, after) {
		old := before[e.Start:e.End]
		h := hunk{path: file, line: 1 + len(patch.SplitLines(before[:e.Start])), removed: tellingLines(old), added: tellingLines(e.New)}
		h.end = h.line + len(patch.SplitLines(old))
		kept := func(other []string) func(string) bool { // a line that was only moved or indented
			return func(line string) bool { return slices.Contains(other, line) }
		}
		removed := slices.DeleteFunc(slices.Clone(h.removed), kept(h.added))
		h.added = slices.DeleteFunc(h.added, kept(h.removed))
		if h.removed = removed; h.size() > 0 {
			hunks = append(hunks, h)
		}
	}
	return hunks
}

// tellingLines returns the significant lines of a text, without their indentation: no comments, and no brackets alone.
func tellingLines(text string) (lines []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		comment := strings.HasPrefix(line, "//") || strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "/*") || strings.HasPrefix(line, "* ")
		if !comment && strings.ContainsFunc(line, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			lines = append(lines, line)
		}
	}
	return lines
}

// mostLines limits the lines of a fix, removed and added ones together.
const mostLines = 6

// mattered returns the hunks that removed a cause, cut to their significant lines: those near its place and with its words; if
// nothing connects any of them with it, all of a small change, and none of a large one. A test that was rewritten until it passed
// teaches nothing.
func (c Cause) mattered(all []hunk, isTest func(path string) bool) (some []hunk) {
	if c.test {
		all = slices.DeleteFunc(slices.Clone(all), func(h hunk) bool { return isTest(h.path) })
	}
	words := c.words()
	scores, total := make([]int, len(all)), 0
	for i, h := range all {
		scores[i] = c.score(h, words)
		total += h.size()
	}
	order := make([]int, len(all))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	room := mostLines
	for _, i := range order {
		if scores[i] == 0 && total > mostLines {
			break
		}
		h := all[i].cut(words, room)
		if h.size() == 0 || len(some) > 0 && h.size() < all[i].size() {
			break
		}
		some, room = append(some, h), room-h.size()
	}
	return some
}

// near is how many lines a hunk may be away from the place of a failure.
const near = 2

// score rates how much a hunk has to do with a cause; 0 is nothing.
func (c Cause) score(h hunk, words []string) (score int) {
	if h.path == c.path {
		score += 4
		if c.line >= h.line-near && c.line <= h.end+near {
			score += 4
		}
	}
	for _, w := range words {
		if slices.ContainsFunc(slices.Concat(h.removed, h.added), func(line string) bool { return hasWord(line, w) }) {
			score++
		}
	}
	return score
}

// cut returns the hunk with at most so many lines: those with the words, or else the first removed and added ones.
func (h hunk) cut(words []string, room int) hunk {
	if h.size() <= room {
		return h
	}
	silent := func(line string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return hasWord(line, w) })
	}
	removed, added := slices.DeleteFunc(slices.Clone(h.removed), silent), slices.DeleteFunc(slices.Clone(h.added), silent)
	if len(removed)+len(added) > 0 {
		h.removed, h.added = removed, added
	}
	h.removed = h.removed[:min(len(h.removed), max(room/2, room-len(h.added)))]
	h.added = h.added[:min(len(h.added), room-len(h.removed))]
	return h
}

// words returns the names in a cause and its message that may be in the code: of three letters and more, without the sentence around
// them.
func (c Cause) words() (words []string) {
	for _, word := range strings.FieldsFunc(c.Text+" "+c.message, func(r rune) bool { return !isWord(r) }) {
		word = strings.TrimPrefix(word, "Test")
		if len(word) > 2 && !common[strings.ToLower(word)] && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// common are words of messages that name nothing.
var common = map[string]bool{
	"the": true, "and": true, "not": true, "got": true, "want": true, "test": true, "assertion": true, "error": true, "expected": true, "actual": true,
	"fail": true, "failed": true, "undefined": true, "declared": true, "used": true, "type": true, "func": true, "function": true, "value": true,
	"return": true, "missing": true, "cannot": true, "use": true, "with": true, "has": true, "but": true, "for": true, "python": true, "javascript": true,
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// hasWord reports whether a line has a word that is not part of a longer one.
func hasWord(line, word string) bool {
	return slices.Contains(strings.FieldsFunc(line, func(r rune) bool { return !isWord(r) }), word)
}

// The limits of a described fix, in bytes.
const (
	mostLine = 100 // of a line; of more than two lines less
	mostFix  = 300
)

// describe returns hunks in words, file by file.
func describe(hunks []hunk) string {
	lines := 0
	for _, h := range hunks {
		lines += h.size()
	}
	quoted := func(texts []string) string {
		quotes := make([]string, len(texts))
		for i, text := range texts {
			quotes[i] = "`" + inert.Clip(strings.ReplaceAll(text, "`", "'"), min(mostLine, 2*mostLine/lines)) + "`"
		}
		return strings.Join(quotes, " ")
	}
	var parts []string
	for _, h := range hunks {
		switch {
		case len(h.added) == 0:
			parts = append(parts, fmt.Sprintf("in %s, remove %s", h.path, quoted(h.removed)))
		case len(h.removed) == 0:
			parts = append(parts, fmt.Sprintf("in %s, add %s", h.path, quoted(h.added)))
		default:
			parts = append(parts, fmt.Sprintf("in %s, replace %s with %s", h.path, quoted(h.removed), quoted(h.added)))
		}
	}
	return inert.Clip(strings.Join(parts, "; "), mostFix)
}

func pathsOf(hunks []hunk) (paths []string) {
	for _, h := range hunks {
		paths = append(paths, h.path)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}
