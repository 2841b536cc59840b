package treesitter

import (
	"cmp"
	"slices"

	"forge/codeintel"
)

// found is a symbol before it has its place among the others, or a scope.
type found struct {
	symbol  codeintel.Symbol
	pattern int  // which pattern of the query found it
	scope   bool // no symbol: variables inside are local

	parent   *found
	children []*found
}

// place is where a symbol is.
type place struct {
	In    *codeintel.Symbol // the symbol around it; nil at the level of the file
	Local bool              // inside a function, as far as the next class or module around it
}

// nest puts symbols into those that span them, and asks for each whether it is a symbol there.
func nest(all []*found, keep func(*codeintel.Symbol, place) bool) []codeintel.Symbol {
	slices.SortStableFunc(all, func(a, b *found) int {
		return cmp.Or(a.symbol.Span.Start-b.symbol.Span.Start, b.symbol.Span.End-a.symbol.Span.End, a.symbol.NameSpan.Start-b.symbol.NameSpan.Start)
	})
	root := &found{scope: true}
	around := root
	for _, f := range all {
		for around != root && !within(f, around) {
			around = around.parent
		}
		f.parent = around
		around.children = append(around.children, f)
		around = f
	}
	return root.symbols(nil, keep)
}

// within is false for equal spans, as of names that are declared together; a scope includes its equals.
func within(inner, outer *found) bool {
	a, b := inner.symbol.Span, outer.symbol.Span
	return b.Start <= a.Start && a.End <= b.End && (a != b || outer.scope)
}

// symbols returns what is in f, which belongs to the symbol in. A rejected symbol is replaced by its children, and so
// is a variable that is declared again: in many languages each assignment looks like a declaration.
func (f *found) symbols(in *codeintel.Symbol, keep func(*codeintel.Symbol, place) bool) []codeintel.Symbol {
	type variable struct {
		name string
		kind codeintel.Kind
	}
	var symbols []codeintel.Symbol
	seen := map[variable]bool{}
	for _, child := range f.children {
		s := &child.symbol
		kept := !child.scope && keep(s, place{in, child.local()}) && !seen[variable{s.Name, s.Kind}]
		if !kept {
			child.scope = child.scope || isFunction(s.Kind)
			symbols = append(symbols, child.symbols(in, keep)...)
			continue
		}
		seen[variable{s.Name, s.Kind}] = isVariable(s.Kind)
		s.Children = child.symbols(s, keep)
		symbols = append(symbols, *s)
	}
	return symbols
}

func (f *found) local() bool {
	for p := f.parent; p.parent != nil; p = p.parent {
		switch p.symbol.Kind {
		case codeintel.Variable, codeintel.Constant, codeintel.Field:
			continue // what is inside is as local as they are
		default:
			return p.scope || isFunction(p.symbol.Kind)
		}
	}
	return false
}

func isFunction(k codeintel.Kind) bool {
	return k == codeintel.Function || k == codeintel.Method || k == codeintel.Constructor
}

func isVariable(k codeintel.Kind) bool {
	return k == codeintel.Variable || k == codeintel.Constant || k == codeintel.Field
}

// isType reports whether functions inside are methods.
func isType(k codeintel.Kind) bool {
	switch k {
	case codeintel.Class, codeintel.Struct, codeintel.Interface, codeintel.Enum, codeintel.Type:
		return true
	default:
		return false
	}
}

// placeByDefault drops local variables, and calls functions in types methods and variables in types fields.
func placeByDefault(s *codeintel.Symbol, p place) bool {
	if isVariable(s.Kind) && p.Local {
		return false
	}
	if p.In == nil || !isType(p.In.Kind) {
		return true
	}
	switch s.Kind {
	case codeintel.Function:
		s.Kind = codeintel.Method
	case codeintel.Variable:
		s.Kind = codeintel.Field
	}
	return true
}
