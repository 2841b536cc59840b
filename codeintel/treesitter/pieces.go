//go:build cgo

package treesitter

import (
	"cmp"
	"context"
	"errors"

	"forge/codeintel"
	"forge/codeintel/treesitter/fit"
	"forge/internal/lazyregexp"
)

// maxPiece is how long the pieces of a text are that is too long, in bytes.
const maxPiece = 64 << 10

// inPieces reads the pieces that fit.Cut makes of a text, each by itself, and leaves out those that are more than the grammar can bear. They have the
// time together that the text would have. The error is of ctx.
func (o *Outliner) inPieces(ctx context.Context, g *grammar, language codeintel.Language, source string, start *lazyregexp.Regexp, least int) (codeintel.Outline, error) {
	all := codeintel.Outline{Language: language, Broken: true}
	work := startWork(ctx, o.timeFor(len(source)))
	defer work.end()
	at := 0
	for _, piece := range fit.Cut(source, start, least) {
		outline, err := o.byGrammar(work, g, language, piece)
		if err != nil && !errors.Is(err, errTooComplex) {
			return all, err
		}
		appendMoved(&all, outline, at)
		at += len(piece)
	}
	return all, nil
}

// appendMoved adds the content of a piece that is at an offset.
func appendMoved(all *codeintel.Outline, piece codeintel.Outline, at int) {
	all.Package = cmp.Or(all.Package, piece.Package)
	moveSymbols(piece.Symbols, at)
	all.Symbols = append(all.Symbols, piece.Symbols...)
	for _, i := range piece.Imports {
		i.Span = moved(i.Span, at)
		all.Imports = append(all.Imports, i)
	}
}

func moveSymbols(symbols []codeintel.Symbol, by int) {
	for i := range symbols {
		s := &symbols[i]
		s.Span, s.NameSpan = moved(s.Span, by), moved(s.NameSpan, by)
		moveSymbols(s.Children, by)
	}
}

func moved(s codeintel.Span, by int) codeintel.Span {
	return codeintel.Span{Start: s.Start + by, End: s.End + by}
}
