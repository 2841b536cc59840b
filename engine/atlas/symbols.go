package atlas

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"forge/codeintel"
	"forge/codeintel/search"
)

// Symbols finds definitions by name while it is typed: the whole name, its beginning, the beginning of a word in it, or any
// part of it; letters count in either case. Several words are searched for as in Search. At most limit are given, the
// best first, equal ones by length, path and place.
func (a *Atlas) Symbols(ctx context.Context, text string, limit int) ([]search.SymbolHit, error) {
	p, err := a.partsFor(ctx)
	if err != nil {
		return nil, err
	}
	var hits []search.SymbolHit
	words := strings.Fields(text)
	switch len(words) {
	case 0:
		return nil, nil
	case 1:
		hits = p.named(words[0])
	default:
		q := search.Query{Text: text}
		hits = p.searcher.Symbols(q, p.searcher.Files(q))
	}
	return hits[:min(len(hits), max(limit, 0))], nil
}

func (p *parts) named(text string) []search.SymbolHit {
	n := naming{text: text, folded: strings.ToLower(text)}
	documents := p.view.Documents()
	for i := range documents {
		if d := &documents[i]; d.Outline != nil {
			n.add(d.Path, d.Outline.Symbols)
		}
	}
	slices.SortStableFunc(n.hits, func(a, b search.SymbolHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(len(a.Symbol.Name), len(b.Symbol.Name)))
	})
	return n.hits
}

// naming collects the definitions whose name has a text in it.
type naming struct {
	text, folded string
	hits         []search.SymbolHit
}

func (n *naming) add(path string, symbols []codeintel.Symbol) {
	for _, s := range symbols {
		if score := n.score(s.Name); score > 0 {
			n.hits = append(n.hits, search.SymbolHit{Path: path, Symbol: s, Score: score - minorKinds[s.Kind]})
		}
		n.add(path, s.Children)
	}
}

// minorKinds are what is rarely looked for by name, and what that takes from a score: less than one step.
var minorKinds = map[codeintel.Kind]float64{
	codeintel.Field: .5, codeintel.Member: .3, codeintel.Variable: .3, codeintel.Heading: .7, codeintel.Key: .7,
}

func (n *naming) score(name string) float64 {
	folded := strings.ToLower(name)
	at := strings.Index(folded, n.folded)
	switch {
	case at < 0:
		return 0
	case name == n.text:
		return 5
	case folded == n.folded:
		return 4
	case at == 0:
		return 3
	case len(folded) == len(name) && startsWord(name, at):
		return 2
	}
	return 1
}

// startsWord reports whether a word of an identifier begins at an offset.
func startsWord(name string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(name[:at])
	first, _ := utf8.DecodeRuneInString(name[at:])
	return !unicode.IsLetter(before) || unicode.IsUpper(first) && !unicode.IsUpper(before)
}
