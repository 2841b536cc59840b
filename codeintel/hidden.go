package codeintel

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WithoutHidden returns the outline of a text without what blank, the same text with stars in place of its secrets, hides. The outline comes from the
// original text, because stars in place of a name confuse a parser. Names in code are no secrets; data keys, quoted names, signatures and comments
// may contain some, which are removed.
func WithoutHidden(o Outline, text, blank string) Outline {
	hidden := hiddenIn(text, blank)
	if len(hidden) == 0 {
		return o
	}
	k := keptOutline{text: text, data: o.Language.IsData(), hide: strings.NewReplacer(hidden...), pieces: piecesOf(hidden)}
	o.Package = k.clean(o.Package)
	o.Symbols = k.symbols(o.Symbols)
	for i := range o.Imports {
		o.Imports[i].Path = k.clean(o.Imports[i].Path)
	}
	return o
}

// hiddenIn returns pairs for a strings.Replacer: each run that a blank text has stars for, and the stars, the longest runs first.
func hiddenIn(text, blank string) (pairs []string) {
	if len(text) != len(blank) || text == blank {
		return nil
	}
	var runs []string
	for i := 0; i < len(text); i++ {
		from := i
		for i < len(text) && text[i] != blank[i] {
			i++
		}
		if i > from {
			runs = append(runs, text[from:i])
		}
	}
	slices.SortFunc(runs, func(a, b string) int { return len(b) - len(a) })
	seen := map[string]bool{}
	for _, run := range runs {
		if !seen[run] {
			seen[run] = true
			pairs = append(pairs, run, strings.Repeat("*", len(run)))
		}
	}
	return pairs
}

// keptOutline takes what is hidden out of the strings of an outline.
type keptOutline struct {
	text   string
	data   bool // the language has keys and headings where others have names
	hide   *strings.Replacer
	pieces map[string]bool
}

// pieceBytes is the length of a part of a secret that is too long to be kept: signatures are cut, and may end in one.
const pieceBytes = 8

// piecesOf are all parts of that length of what is hidden, which is every other one of the pairs.
func piecesOf(pairs []string) map[string]bool {
	pieces := map[string]bool{}
	for i := 0; i < len(pairs); i += 2 {
		for at := 0; at+pieceBytes <= len(pairs[i]); at++ {
			pieces[pairs[i][at:at+pieceBytes]] = true
		}
	}
	return pieces
}

// clean is a text without what is hidden; one that has a part of it is not kept at all.
func (k keptOutline) clean(text string) string {
	text = k.hide.Replace(text)
	for at := 0; at+pieceBytes <= len(text); at++ {
		if k.pieces[text[at:at+pieceBytes]] {
			return ""
		}
	}
	return text
}

func (k keptOutline) symbols(all []Symbol) []Symbol {
	for i := range all {
		s := &all[i]
		if !k.isName(*s) {
			s.Name = cmp.Or(k.clean(s.Name), "*")
		}
		s.Detail, s.Doc = k.clean(s.Detail), k.clean(s.Doc)
		s.Children = k.symbols(s.Children)
	}
	return all
}

// isName reports whether a symbol is called by an identifier, and not by a string or a key.
func (k keptOutline) isName(s Symbol) bool {
	if k.data {
		return false
	}
	if at := s.NameSpan.Start; at > 0 && at <= len(k.text) && strings.IndexByte("\"'`", k.text[at-1]) >= 0 {
		return false
	}
	for i, c := range s.Name {
		if c != '_' && c != '$' && c != utf8.RuneError && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return true
}

// IsData reports whether the files of a language hold values rather than code.
func (l Language) IsData() bool {
	switch l {
	case LanguageMarkdown, LanguageYAML, LanguageTOML:
		return true
	default:
		return false
	}
}
