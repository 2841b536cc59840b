//go:build cgo

package treesitter

import (
	"iter"
	"strings"
	"sync"

	sitter "github.com/smacker/go-tree-sitter"
)

// finder finds nodes in trees of one grammar by a query of its own.
type finder struct{ *program }

// finder makes the finder of queries, by the names of their files, when it is first used.
func (g *grammar) finder(names ...string) func() finder {
	return sync.OnceValue(func() finder { return finder{g.compile(textOf(names))} })
}

// finders makes a finder for each of some grammars.
func finders(name string, grammars ...*grammar) func(*grammar) finder {
	made := map[*grammar]func() finder{}
	for _, g := range grammars {
		made[g] = g.finder(name)
	}
	return func(g *grammar) finder { return made[g]() }
}

// matches goes through what is found below a root, in order of the source: the nodes by the names of their captures.
func (f finder) matches(root *sitter.Node, source string) iter.Seq[map[string]*sitter.Node] {
	return func(yield func(map[string]*sitter.Node) bool) {
		cursor := sitter.NewQueryCursor()
		defer cursor.Close()
		cursor.Exec(f.query, root)
		for m, ok := cursor.NextMatch(); ok; m, ok = cursor.NextMatch() {
			if !f.allowed(m, source) {
				continue
			}
			found := map[string]*sitter.Node{}
			for _, c := range m.Captures {
				found[f.query.CaptureNameForId(c.Index)] = c.Node
			}
			if !yield(found) {
				return
			}
		}
	}
}

// same reports whether two nodes are one; either may be nil.
func same(a, b *sitter.Node) bool { return a != nil && b != nil && a.Equal(b) }

func words(text string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(text) {
		all[w] = true
	}
	return all
}
