package codeintel

import (
	"slices"
	"unicode/utf8"
)

// maxNesting bounds how deep symbols lie in each other, so that walking them may recurse. Deeper ones are
// siblings of the deepest.
const maxNesting = 32

// findings collects what a scanner finds. A symbol may be added before its name is known. If it never gets one, its
// children belong to its parent.
type findings struct {
	all     []entry
	imports []Import
}

// entry is a symbol and the index of its parent in all, -1 for the file. It comes after its parent.
type entry struct {
	Symbol
	parent int
}

func (f *findings) add(parent int, s Symbol) int {
	f.all = append(f.all, entry{s, parent})
	return len(f.all) - 1
}

// close ends the symbols from one place up to another at an offset.
func (f *findings) close(from, to, end int) {
	for i := from; i < to; i++ {
		f.all[i].Span.End = max(f.all[i].NameSpan.End, end)
	}
}

// symbols returns the tree of all named symbols.
func (f *findings) symbols() []Symbol {
	owners := f.owners()
	repeated := f.repeated(owners)
	var top []Symbol
	for i := len(f.all) - 1; i >= 0; i-- {
		if !f.named(i) || repeated[i] {
			continue
		}
		s := &f.all[i].Symbol
		slices.Reverse(s.Children)
		if owners[i] < 0 {
			top = append(top, *s)
			continue
		}
		owner := &f.all[owners[i]].Symbol
		owner.Children = append(owner.Children, *s)
	}
	slices.Reverse(top)
	return top
}

// owners returns for each entry the nearest one with a name that holds it, or -1.
func (f *findings) owners() []int {
	owners, levels := make([]int, len(f.all)), make([]int, len(f.all))
	for i, e := range f.all {
		owner := e.parent
		if owner >= 0 && !f.named(owner) {
			owner = owners[owner]
		}
		if owner >= 0 && levels[owner] >= maxNesting {
			owner = owners[owner]
		}
		owners[i] = owner
		if owner >= 0 {
			levels[i] = levels[owner] + 1
		}
	}
	return owners
}

// repeated returns which variables are declared again next to themselves: in many languages each assignment looks
// like a declaration.
func (f *findings) repeated(owners []int) map[int]bool {
	type variable struct {
		owner int
		name  string
		kind  Kind
	}
	seen, repeated := map[variable]bool{}, map[int]bool{}
	for i, e := range f.all {
		v := variable{owners[i], e.Name, e.Kind}
		if declaresValue(e.Kind) && seen[v] {
			repeated[i] = true
		}
		seen[v] = true
	}
	return repeated
}

func (f *findings) named(i int) bool {
	return f.all[i].Name != "" && utf8.ValidString(f.all[i].Name)
}

func declaresValue(k Kind) bool {
	return k == Variable || k == Constant || k == Field
}
