package rust

import (
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// globImport matches an import of all names of a module.
var globImport = lazyregexp.New(`::\s*\*\s*[;,}]`)

// item is a function or an import of a source, with its attributes and documentation, in bytes.
type item struct {
	start, end int
	test       bool
}

// Without returns the text of a test file without the functions and imports that contain lines which do not compile, with the other
// lines in place. It is not ok if such a line is in another item, such as a type, or if a glob import may provide the removed name.
func Without(text string, faults []int) (rest string, ok bool) {
	items := itemsOf(text)
	left := []byte(text)
	for _, fault := range faults {
		from, to := lineOf(text, fault)
		at := slices.IndexFunc(items, func(i item) bool { return i.start < to && from < i.end })
		if at < 0 || !items[at].test && globImport.MatchString(text) {
			return "", false
		}
		for i := items[at].start; i < items[at].end; i++ {
			if left[i] != '\n' {
				left[i] = ' '
			}
		}
	}
	return string(left), string(left) != text
}

// lineOf returns the beginning and end of a line, counted from 1, in a text.
func lineOf(text string, line int) (from, to int) {
	for ; line > 1; line-- {
		at := strings.IndexByte(text[from:], '\n')
		if at < 0 {
			return len(text), len(text)
		}
		from += at + 1
	}
	if at := strings.IndexByte(text[from:], '\n'); at >= 0 {
		return from, from + at
	}
	return from, len(text)
}

// itemsOf returns the functions and imports of a source, including those in its modules.
func itemsOf(source string) (items []item) {
	r := reader{source: source, tokens: tokens(source), first: -1}
	for r.at < len(r.tokens) {
		switch word, kind := r.word(r.at), r.kind(); {
		case word == "#" && (r.word(r.at+1) == "[" || r.word(r.at+1) == "!" && r.word(r.at+2) == "["):
			r.attribute()
		case strings.HasPrefix(word, "//"):
			r.documentation()
		case kind == "mod":
			for ; r.at < len(r.tokens) && r.word(r.at) != "{" && r.word(r.at) != ";"; r.at++ {
			}
			r.at++
			r.boundary()
		case kind == "":
			r.at++
			r.boundary()
		default:
			end := r.itemEnd()
			if r.begin(r.at); kind == "fn" || kind == "use" {
				items = append(items, item{start: r.first, end: r.tokens[end-1].end, test: r.tested})
			}
			r.at = end
			r.boundary()
		}
	}
	return items
}
