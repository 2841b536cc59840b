package codeintel

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pair is a text, and what replaces it.
type pair struct{ find, replace string }

// variants are the ways in which programs write a name, with the same ways of the new one: fooBar, FooBar, foo_bar, FOO_BAR, foo-bar.
// The name as it was given comes first, and what it gives way to is exactly what was given.
func variants(find, replace string) []pair {
	old, now := parts(find), parts(replace)
	all := []pair{{find, replace}}
	for _, write := range []func([]string) string{camel, pascal, joinedBy("_"), shouting("_"), joinedBy("-"), shouting("-")} {
		p := pair{write(old), write(now)}
		if !slices.ContainsFunc(all, func(known pair) bool { return known.find == p.find }) {
			all = append(all, p)
		}
	}
	return all
}

// parts are the words of a name in lower case.
func parts(name string) (words []string) {
	runes := []rune(name)
	var word []rune
	end := func() {
		if len(word) > 0 {
			words = append(words, strings.ToLower(string(word)))
		}
		word = nil
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			end()
			continue
		case i > 0 && unicode.IsUpper(r) && !unicode.IsUpper(runes[i-1]):
			end()
		case i > 0 && unicode.IsUpper(r) && i+1 < len(runes) && unicode.IsLower(runes[i+1]): // the last capital of several
			end()
		}
		word = append(word, r)
	}
	end()
	return words
}

func camel(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return words[0] + pascal(words[1:])
}

func pascal(words []string) string {
	var b strings.Builder
	for _, w := range words {
		r, size := utf8.DecodeRuneInString(w)
		b.WriteRune(unicode.ToUpper(r))
		b.WriteString(w[size:])
	}
	return b.String()
}

func joinedBy(mark string) func([]string) string {
	return func(words []string) string { return strings.Join(words, mark) }
}

func shouting(mark string) func([]string) string {
	return func(words []string) string { return strings.ToUpper(strings.Join(words, mark)) }
}
