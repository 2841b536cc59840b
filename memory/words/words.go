// Package words finds the rows that have most to do with a question: the words of texts and questions, an index of FTS5 for each kind of
// rows, and bm25 over the candidates. What the rows are, and what else they are weighed by, is for package memory.
package words

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode"
)

// JSONText is what can be searched in a JSON value: its texts and the names of its fields, in order.
func JSONText(value json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(value))
	decoder.UseNumber()
	var decoded any
	if err := decoder.Decode(&decoded); err != nil {
		return string(value)
	}
	var b strings.Builder
	appendText(&b, decoded)
	return strings.TrimSpace(b.String())
}

func appendText(b *strings.Builder, value any) {
	switch v := value.(type) {
	case string:
		b.WriteString(v + "\n")
	case json.Number:
		b.WriteString(v.String() + "\n")
	case []any:
		for _, element := range v {
			appendText(b, element)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(name + " ")
			appendText(b, v[name])
		}
	}
}

// Indexed is the text as the index sees it: the words, and after them the parts of those that have parts,
// so that "ServeMux" is found by "mux" and "parse_row" by "row".
func Indexed(text string) string {
	var b strings.Builder
	b.WriteString(text)
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
		if parts := split(word); len(parts) > 1 {
			b.WriteString("\n" + strings.Join(parts, " "))
		}
	}
	return b.String()
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// split returns the parts of an identifier: at underscores, and where a capital begins a word.
func split(word string) []string {
	var parts []string
	runes, from := []rune(word), 0
	cut := func(at int) {
		if at > from {
			parts = append(parts, string(runes[from:at]))
		}
		from = at
	}
	for i, r := range runes {
		switch {
		case r == '_':
			cut(i)
			from = i + 1
		case i > from && unicode.IsUpper(r) && (!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1])):
			cut(i)
		}
	}
	cut(len(runes))
	return parts
}

// queryLimit bounds the words of a question: the first so many count.
const queryLimit = 24

// OfQuestion are the words of a question that distinguish rows: of three letters and more, in lower
// case, each once, with the parts of identifiers.
func OfQuestion(text string) []string {
	var words []string
	add := func(word string) {
		word = strings.ToLower(word)
		if len([]rune(word)) > 2 && len(words) < queryLimit && !slices.Contains(words, word) && !filler[word] {
			words = append(words, word)
		}
	}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
		for _, part := range append([]string{strings.Trim(word, "_")}, split(word)...) {
			add(part)
		}
	}
	return words
}

// filler are words of sentences that are in every other row.
var filler = map[string]bool{
	"the": true, "and": true, "for": true, "that": true, "this": true, "with": true, "from": true, "are": true, "was": true,
	"has": true, "have": true, "not": true, "but": true, "you": true, "can": true, "its": true, "into": true, "when": true,
}

// MatchAny is a question to FTS5 that rows with any of the words answer. Words hold letters, digits and
// underscores only, so that nothing in them is syntax of FTS5.
func MatchAny(words []string) string { return match(words, " OR ") }

// matchAll is a question that rows with all of the words answer.
func matchAll(words []string) string { return match(words, " AND ") }

func match(words []string, operator string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = `"` + w + `"`
	}
	return strings.Join(quoted, operator)
}

// countWords counts the words of a text, and the parts of those that have parts. Its length is without the parts.
func countWords(text string) (counts map[string]int, length float64) {
	counts = map[string]int{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return !isWord(r) }) {
		length++
		counts[strings.ToLower(strings.Trim(word, "_"))]++
		if parts := split(word); len(parts) > 1 {
			for _, part := range parts {
				counts[strings.ToLower(part)]++
			}
		}
	}
	return counts, length
}
