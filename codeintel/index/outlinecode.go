package index

import "forge/codeintel"

// encodeOutline writes an outline, with a checksum.
func encodeOutline(outline codeintel.Outline) []byte {
	w := outlineWriter{}
	broken := 0
	if outline.Broken {
		broken = 1
	}
	w.int(broken)
	w.string(string(outline.Language))
	w.string(outline.Package)
	w.symbols(outline.Symbols)
	w.int(len(outline.Imports))
	for _, i := range outline.Imports {
		w.string(i.Path)
		w.int(len(i.Names))
		for _, name := range i.Names {
			w.string(name)
		}
		w.span(i.Span)
	}
	return w.sealed()
}

type outlineWriter struct{ encoder }

func (w *outlineWriter) span(s codeintel.Span) {
	w.int(s.Start)
	w.int(s.End - s.Start)
}

// symbols writes siblings, each followed by what is inside it.
func (w *outlineWriter) symbols(symbols []codeintel.Symbol) {
	w.int(len(symbols))
	for i := range symbols {
		s := &symbols[i]
		w.string(s.Name)
		w.string(string(s.Kind))
		w.string(s.Receiver)
		w.string(s.Detail)
		w.string(s.Doc)
		w.span(s.Span)
		w.span(s.NameSpan)
		w.symbols(s.Children)
	}
}

// decodeOutline reads what encodeOutline wrote. All strings of the outline share the memory of one text.
func decodeOutline(sealed []byte) (codeintel.Outline, error) {
	d, err := unseal(sealed)
	if err != nil {
		return codeintel.Outline{}, err
	}
	r := outlineReader{d}
	outline := codeintel.Outline{Broken: r.int() != 0, Language: codeintel.Language(r.string()), Package: r.string(), Symbols: r.symbols()}
	outline.Imports = listOf(d, func() codeintel.Import {
		return codeintel.Import{Path: r.string(), Names: listOf(d, r.string), Span: r.span()}
	})
	if err := r.err(); err != nil {
		return codeintel.Outline{}, err
	}
	return outline, nil
}

type outlineReader struct{ *decoder }

func (r outlineReader) span() codeintel.Span {
	start := r.int()
	return codeintel.Span{Start: start, End: start + r.int()}
}

func (r outlineReader) symbols() []codeintel.Symbol {
	return listOf(r.decoder, func() codeintel.Symbol {
		return codeintel.Symbol{
			Name: r.string(), Kind: codeintel.Kind(r.string()), Receiver: r.string(), Detail: r.string(), Doc: r.string(),
			Span: r.span(), NameSpan: r.span(), Children: r.symbols(),
		}
	})
}

// listOf reads how many values there are, and these; nil if there are none.
func listOf[T any](d *decoder, read func() T) []T {
	n := d.length()
	if n == 0 {
		return nil
	}
	all := make([]T, n)
	for i := range all {
		all[i] = read()
	}
	return all
}

// appendNames appends the names of symbols and of what is inside them.
func appendNames(names []string, symbols []codeintel.Symbol) []string {
	for i := range symbols {
		names = append(names, symbols[i].Name)
		names = appendNames(names, symbols[i].Children)
	}
	return names
}
