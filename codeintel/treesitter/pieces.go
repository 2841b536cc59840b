//go:build cgo

package treesitter

import (
	"context"
	"errors"

	"forge/codeintel"
	"forge/internal/lazyregexp"
)

// Lines on which a declaration of a file begins.
var (
	anyStart        = lazyregexp.New(`(?m)^[\pL_@#]`)
	pythonStart     = lazyregexp.New(`(?m)^(?:def|class|async|@|if|for|try|with|import|from|[A-Za-z_]\w* *[:=])`)
	ecmaScriptStart = lazyregexp.New(`(?m)^(?:export|import|function|async|class|abstract|const|let|var|interface|type|enum|declare|namespace|module)\b`)
	bashStart       = lazyregexp.New(`(?m)^(?:function[ \t]+)?[\w:.-]+[ \t]*\(\)`)
)

// maxPiece is how long the pieces of a text are that is too long, in bytes.
const maxPiece = 64 << 10

// cut cuts a text in front of lines that match. Where a piece with the next one is no longer than least, they stay together.
func cut(source string, start *lazyregexp.Regexp, least int) (pieces []string) {
	from := 0
	for _, m := range start.FindAllStringIndex(source, -1) {
		if m[0] > from+least {
			pieces, from = append(pieces, source[from:m[0]]), m[0]
		}
	}
	return append(pieces, source[from:])
}

// inPieces reads pieces of a text, each by itself, and leaves out those that are more than the grammar can bear. They have the
// time together that the text would have. The error is of ctx.
func (o *Outliner) inPieces(ctx context.Context, g *grammar, language codeintel.Language, pieces []string) (codeintel.Outline, error) {
	all := codeintel.Outline{Language: language, Broken: true}
	length := 0
	for _, piece := range pieces {
		length += len(piece)
	}
	work := startWork(ctx, o.timeFor(length))
	defer work.end()
	at := 0
	for _, piece := range pieces {
		outline, err := o.byGrammar(work, g, language, piece)
		if err != nil && !errors.Is(err, errHopeless) {
			return all, err
		}
		appendMoved(&all, outline, at)
		at += len(piece)
	}
	return all, nil
}

// appendMoved adds what a piece holds that stands at an offset.
func appendMoved(all *codeintel.Outline, piece codeintel.Outline, at int) {
	if all.Package == "" {
		all.Package = piece.Package
	}
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
