package treesitter

import (
	"slices"

	"forge/codeintel"
)

// settle makes an outline what codeintel.Outline promises for any text: all is in
// order of the source, a symbol spans what it holds, and an import has a path. A declaration may end after others that
// start later, as an array does that holds a "#define", or the second branch of an #if.
func settle(o *codeintel.Outline) {
	settleSymbols(o.Symbols)
	o.Imports = slices.DeleteFunc(o.Imports, func(i codeintel.Import) bool { return i.Path == "" })
	slices.SortStableFunc(o.Imports, func(a, b codeintel.Import) int { return a.Span.Start - b.Span.Start })
}

// settleSymbols recurses as deep as symbols are nested.
func settleSymbols(symbols []codeintel.Symbol) {
	for i := range symbols {
		s := &symbols[i]
		settleSymbols(s.Children)
		for _, child := range s.Children {
			s.Span.Start = min(s.Span.Start, child.Span.Start)
			s.Span.End = max(s.Span.End, child.Span.End)
		}
	}
	slices.SortStableFunc(symbols, func(a, b codeintel.Symbol) int { return a.Span.Start - b.Span.Start })
}
