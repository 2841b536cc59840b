//go:build cgo

package treesitter

import (
	"fmt"
	"strings"
	"sync"

	sitter "github.com/smacker/go-tree-sitter"
)

// finder finds nodes in trees of one grammar by a query of its own. What each capture is called does not matter.
type finder struct {
	*program
}

// newFinder panics for a query that does not fit its grammar, as newProgram does.
func newFinder(g *grammar, text string) finder {
	query, err := sitter.NewQuery([]byte(text), g.language())
	if err != nil {
		panic(fmt.Sprintf("query %s: %v", text, err))
	}
	p := &program{query: query}
	for i := range query.PatternCount() {
		predicates, err := newPredicates(query, i)
		if err != nil {
			panic(fmt.Sprintf("query %s: %v", text, err))
		}
		p.predicates = append(p.predicates, predicates)
	}
	return finder{p}
}

// finders makes a finder for each of some grammars when it is first used.
func finders(text string, grammars ...*grammar) func(*grammar) finder {
	made := map[*grammar]func() finder{}
	for _, g := range grammars {
		made[g] = sync.OnceValue(func() finder { return newFinder(g, text) })
	}
	return func(g *grammar) finder { return made[g]() }
}

// in gives the nodes below a root that are captured, in order of the source.
func (f finder) in(root *sitter.Node, source string) (found []*sitter.Node) {
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	cursor.Exec(f.query, root)
	for {
		m, ok := cursor.NextMatch()
		if !ok {
			return found
		}
		if f.allowed(m, source) {
			for _, c := range m.Captures {
				found = append(found, c.Node)
			}
		}
	}
}

// same reports whether two nodes are one; either may be nil.
func same(a, b *sitter.Node) bool { return a != nil && b != nil && a.Equal(b) }

func words(text string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(text) {
		all[w] = true
	}
	return all
}
