package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/codeintel"
)

// withoutHidden is the outline of a text without what Options.Blank takes out of that text. An outline is made of the text as it is: a parser
// that reads stars where a name stood loses the name, and in some languages every other one. What code names is no secret; the
// keys of data, names in quotes, signatures and comments may be, and lose what blank has without.
func withoutHidden(o codeintel.Outline, text, blank string) codeintel.Outline {
	hidden := hiddenIn(text, blank)
	if len(hidden) == 0 {
		return o
	}
	k := keptOutline{text: text, data: isData(o.Language), hide: strings.NewReplacer(hidden...)}
	o.Package = k.hide.Replace(o.Package)
	o.Symbols = k.symbols(o.Symbols)
	for i := range o.Imports {
		o.Imports[i].Path = k.hide.Replace(o.Imports[i].Path)
	}
	return o
}

// hiddenIn gives pairs for a strings.Replacer: each run that a blank text has stars for, and the stars, the longest runs first.
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
	text string
	data bool // the language has keys and headings where others have names
	hide *strings.Replacer
}

func (k keptOutline) symbols(all []codeintel.Symbol) []codeintel.Symbol {
	for i := range all {
		s := &all[i]
		if !k.isName(*s) {
			s.Name = k.hide.Replace(s.Name)
		}
		s.Detail, s.Doc = k.hide.Replace(s.Detail), k.hide.Replace(s.Doc)
		s.Children = k.symbols(s.Children)
	}
	return all
}

// isName reports whether a symbol is called by an identifier, and not by a string or a key.
func (k keptOutline) isName(s codeintel.Symbol) bool {
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

// isData reports whether the files of a language hold values rather than code.
func isData(language codeintel.Language) bool {
	switch language {
	case codeintel.LanguageMarkdown, codeintel.LanguageYAML, codeintel.LanguageTOML:
		return true
	default:
		return false
	}
}
