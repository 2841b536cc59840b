package index

import (
	"strings"

	"forge/codeintel"
)

// encodeOutline writes an outline without its references. All strings come first: each once, as one text.
func encodeOutline(outline codeintel.Outline) []byte {
	w := outlineWriter{known: map[string]int{"": 0}, texts: []string{""}}
	w.body.bool(outline.Broken)
	w.string(string(outline.Language))
	w.string(outline.Package)
	w.symbols(outline.Symbols)
	w.body.int(len(outline.Imports))
	for _, i := range outline.Imports {
		w.string(i.Path)
		w.body.int(len(i.Names))
		for _, name := range i.Names {
			w.string(name)
		}
		w.span(i.Span)
	}
	var whole encoder
	whole.int(countSymbols(outline.Symbols))
	whole.int(len(w.texts))
	for _, text := range w.texts {
		whole.int(len(text))
	}
	whole.bytes = append(whole.bytes, strings.Join(w.texts, "")...)
	whole.bytes = append(whole.bytes, w.body.bytes...)
	return whole.bytes
}

func countSymbols(symbols []codeintel.Symbol) int {
	n := len(symbols)
	for i := range symbols {
		n += countSymbols(symbols[i].Children)
	}
	return n
}

type outlineWriter struct {
	body  encoder
	known map[string]int
	texts []string
}

func (w *outlineWriter) string(s string) {
	i, ok := w.known[s]
	if !ok {
		i = len(w.texts)
		w.texts = append(w.texts, s)
		w.known[s] = i
	}
	w.body.int(i)
}

func (w *outlineWriter) span(s codeintel.Span) {
	w.body.int(s.Start)
	w.body.int(s.End - s.Start)
}

// symbols writes brothers and sisters, with what is inside each behind it.
func (w *outlineWriter) symbols(symbols []codeintel.Symbol) {
	w.body.int(len(symbols))
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

// decodeOutline reads what encodeOutline wrote. The outline takes little memory: one text, and one array of symbols.
func decodeOutline(bytes []byte) (codeintel.Outline, error) {
	d := decoder{rest: string(bytes)}
	r := outlineReader{decoder: &d}
	count := d.length()
	r.texts = make([]string, d.length())
	lengths, total := make([]int, len(r.texts)), 0
	for i := range lengths {
		lengths[i] = d.int()
		total += lengths[i]
	}
	all := decoder{rest: strings.Clone(d.take(total))} // the rest of the bytes need not stay in memory
	for i, length := range lengths {
		r.texts[i] = all.take(length)
	}
	r.free = make([]codeintel.Symbol, count)
	outline := codeintel.Outline{Broken: d.bool(), Language: codeintel.Language(r.string()), Package: r.string()}
	outline.Symbols = r.symbols()
	outline.Imports = r.imports()
	if d.bad || d.rest != "" {
		return codeintel.Outline{}, errDamaged
	}
	return outline, nil
}

type outlineReader struct {
	*decoder
	texts []string
	free  []codeintel.Symbol // of the one array
}

func (r *outlineReader) string() string {
	i := r.int()
	if i >= len(r.texts) {
		r.bad = true
		return ""
	}
	return r.texts[i]
}

func (r *outlineReader) span() codeintel.Span {
	start := r.int()
	return codeintel.Span{Start: start, End: start + r.int()}
}

func (r *outlineReader) symbols() []codeintel.Symbol {
	n := r.int()
	if n > len(r.free) {
		r.bad = true
	}
	if n == 0 || r.bad {
		return nil
	}
	symbols := r.free[:n:n]
	r.free = r.free[n:]
	for i := range symbols {
		symbols[i] = codeintel.Symbol{
			Name: r.string(), Kind: codeintel.Kind(r.string()), Receiver: r.string(), Detail: r.string(), Doc: r.string(),
			Span: r.span(), NameSpan: r.span(), Children: r.symbols(),
		}
	}
	return symbols
}

func (r *outlineReader) imports() []codeintel.Import {
	n := r.length()
	if n == 0 {
		return nil
	}
	imports := make([]codeintel.Import, n)
	for i := range imports {
		imports[i].Path = r.string()
		if names := r.length(); names > 0 {
			imports[i].Names = make([]string, names)
		}
		for j := range imports[i].Names {
			imports[i].Names[j] = r.string()
		}
		imports[i].Span = r.span()
	}
	return imports
}

// appendNames appends the names of symbols and of what is inside them.
func appendNames(names []string, symbols []codeintel.Symbol) []string {
	for i := range symbols {
		names = append(names, symbols[i].Name)
		names = appendNames(names, symbols[i].Children)
	}
	return names
}
