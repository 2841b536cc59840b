//go:build cgo

package treesitter

import (
	"slices"
	"strings"
	"unicode/utf8"

	sitter "github.com/smacker/go-tree-sitter"

	"forge/codeintel"
)

// reading collects what the query finds in one text.
type reading struct {
	work    *work
	grammar *grammar
	program *program
	source  string

	pack     string
	found    []*found
	comments []codeintel.Span
	between  []codeintel.Span
	imports  []codeintel.Import
	atName   map[int]int // index in found, by where the name starts
}

// match is one match of the query, its captures by their roles.
type match struct {
	kind    codeintel.Kind
	nodes   [rolePackage + 1]*sitter.Node
	details codeintel.Span
	taken   []string
}

func (r *reading) outline(language codeintel.Language, root *sitter.Node) (codeintel.Outline, error) {
	r.atName = map[int]int{}
	if err := r.run(root); err != nil {
		return codeintel.Outline{}, err
	}
	r.document()
	place := r.grammar.place
	if place == nil {
		place = placeByDefault
	}
	return codeintel.Outline{
		Language: language,
		Package:  r.pack,
		Symbols:  nest(r.found, place),
		Imports:  r.imports,
		Broken:   root.HasError(),
	}, nil
}

// run goes through the matches. The time for it is limited like that for parsing: it asks ctx now and then.
func (r *reading) run(root *sitter.Node) error {
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	cursor.Exec(r.program.query, root)
	for n := 0; ; n++ {
		if n%256 == 0 {
			if err := r.work.err(); err != nil {
				return err
			}
		}
		m, ok := cursor.NextMatch()
		if !ok {
			return nil
		}
		if r.program.allowed(m, r.source) {
			r.take(m)
		}
	}
}

func (r *reading) take(found *sitter.QueryMatch) {
	var m match
	for _, c := range found.Captures {
		capture := r.program.captures[c.Index]
		switch capture.role {
		case roleOther:
		case roleDetail:
			m.widenDetails(span(c.Node))
		case roleTaken:
			m.taken = append(m.taken, r.text(span(c.Node)))
		case roleSignature:
			m.widenBySignature(c.Node)
		case roleDefinition:
			m.kind = capture.kind
			m.nodes[roleDefinition] = c.Node
		default:
			m.nodes[capture.role] = c.Node
		}
	}
	r.add(&m, int(found.PatternIndex))
}

func (m *match) widenDetails(s codeintel.Span) {
	if m.details.End == 0 {
		m.details = s
		return
	}
	m.details = codeintel.Span{Start: min(m.details.Start, s.Start), End: max(m.details.End, s.End)}
}

// widenBySignature takes the fields of a function, in this order, or the type of anything else.
func (m *match) widenBySignature(n *sitter.Node) {
	for _, field := range []string{"parameters", "parameter", "return_type", "type"} {
		child := n.ChildByFieldName(field)
		switch {
		case child == nil:
		case field == "type" && child.Type() == "type_annotation" && child.ChildCount() > 1: // a colon and the type
			m.widenDetails(codeintel.Span{Start: int(child.Child(0).EndByte()), End: int(child.EndByte())})
		default:
			m.widenDetails(span(child))
		}
	}
}

func (r *reading) add(m *match, pattern int) {
	if n := m.nodes[roleComment]; n != nil {
		r.comments = append(r.comments, span(n))
	}
	if n := m.nodes[roleBetween]; n != nil {
		r.between = append(r.between, span(n))
	}
	if n := m.nodes[roleScope]; n != nil {
		r.found = append(r.found, &found{symbol: codeintel.Symbol{Span: span(n)}, scope: true})
	}
	if n := m.nodes[rolePackage]; n != nil && r.pack == "" {
		r.pack = codeintel.Brief(r.text(span(n)))
	}
	if m.nodes[roleImport] != nil && m.nodes[rolePath] != nil {
		r.addImport(m)
	}
	if m.nodes[roleDefinition] != nil {
		r.define(m, pattern)
	}
}

// addImport joins matches of one import: each may take another name out of it.
func (r *reading) addImport(m *match) {
	i := codeintel.Import{Path: unquoted(r.text(span(m.nodes[rolePath]))), Names: m.taken, Span: span(m.nodes[roleImport])}
	for n := range slices.Backward(r.imports) {
		earlier := &r.imports[n]
		if earlier.Span == i.Span && earlier.Path == i.Path {
			earlier.Names = append(earlier.Names, i.Names...)
			return
		}
		if earlier.Span.End <= i.Span.Start {
			break
		}
	}
	switch {
	case i.Path == "":
	case r.grammar.imports != nil:
		r.imports = append(r.imports, r.grammar.imports(i, r.text(i.Span))...)
	default:
		r.imports = append(r.imports, i)
	}
}

func (r *reading) define(m *match, pattern int) {
	whole := m.nodes[roleDefinition]
	if r.grammar.whole != nil {
		whole = r.grammar.whole(whole)
	}
	names := []*sitter.Node{m.nodes[roleName]}
	if n := m.nodes[roleNames]; n != nil {
		names = r.grammar.names(n)
	}
	for _, name := range names {
		if name == nil {
			continue
		}
		s := codeintel.Symbol{Kind: m.kind, Span: span(whole), NameSpan: r.trimQuotes(span(name))}
		s.Name = r.text(s.NameSpan)
		s.Detail = codeintel.Brief(r.text(m.details))
		if n := m.nodes[roleDoc]; n != nil {
			s.Doc = codeintel.DocLine(r.text(span(n)))
		}
		if r.grammar.refine != nil && !r.grammar.refine(&s, name, r.source) {
			continue
		}
		r.addSymbol(s, pattern)
	}
}

// addSymbol leaves out what has no name, as in broken source, and a name that an earlier pattern has found.
func (r *reading) addSymbol(s codeintel.Symbol, pattern int) {
	if s.Name == "" || !utf8.ValidString(s.Name) || s.NameSpan.Start < s.Span.Start || s.NameSpan.End > s.Span.End {
		return
	}
	at, known := r.atName[s.NameSpan.Start]
	switch {
	case !known:
		r.atName[s.NameSpan.Start] = len(r.found)
		r.found = append(r.found, &found{symbol: s, pattern: pattern})
	case pattern < r.found[at].pattern:
		r.found[at] = &found{symbol: s, pattern: pattern}
	}
}

// document gives symbols without documentation the comment above them, and removes the comments that follow them:
// without braces a grammar sees these as their last lines.
func (r *reading) document() {
	notes := newNotes(r.source, r.comments, r.between)
	for _, f := range r.found {
		if f.scope {
			continue
		}
		f.symbol.Span.End = max(notes.withoutTail(f.symbol.Span.End), f.symbol.NameSpan.End)
		if f.symbol.Doc == "" {
			f.symbol.Doc = notes.above(f.symbol.Span.Start)
		}
	}
}

func (r *reading) text(s codeintel.Span) string { return r.source[s.Start:s.End] }

// trimQuotes is for names that are written as strings.
func (r *reading) trimQuotes(s codeintel.Span) codeintel.Span {
	if text := r.text(s); unquoted(text) != text {
		return codeintel.Span{Start: s.Start + 1, End: s.End - 1}
	}
	return s
}

func unquoted(text string) string {
	if len(text) >= 2 && strings.IndexByte("\"'`", text[0]) >= 0 && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return text
}

func span(n *sitter.Node) codeintel.Span {
	return codeintel.Span{Start: int(n.StartByte()), End: int(n.EndByte())}
}
