package atlas

import (
	"context"
	"strings"

	"forge/codeintel/search"
)

// Symbols finds definitions by the typed part of their name: see search.NameTable. Several words are searched for as in
// Search. It returns at most limit hits, the best first.
func (a *Atlas) Symbols(ctx context.Context, text string, limit int) ([]search.SymbolHit, error) {
	p, err := a.partsFor(ctx)
	if err != nil {
		return nil, err
	}
	if len(strings.Fields(text)) < 2 {
		return p.names().Names(ctx, text, limit)
	}
	q := search.Query{Text: text}
	hits := p.searcher.Symbols(q, p.searcher.Files(q))
	return hits[:min(len(hits), max(limit, 0))], nil
}
