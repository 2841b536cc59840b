//go:build cgo

package treesitter

import (
	"iter"

	sitter "github.com/smacker/go-tree-sitter"
)

// Running a query takes time quadratic in the depth of a tree, and in the breadth of what does not fit the grammar, all
// inside of the C code, where nothing can stop it. People do not write such texts; they are read line by line.
const (
	maxDepth   = 1000 // brackets
	maxBreadth = 5000 // nodes side by side in one error
)

// bracketDepth is how deep brackets are nested. It counts those in strings and comments, too: a difference in the thousands
// does not come from these.
func bracketDepth(source string) int {
	depth, deepest := 0, 0
	for i := range len(source) {
		switch source[i] {
		case '(', '[', '{':
			depth++
			deepest = max(deepest, depth)
		case ')', ']', '}':
			depth = max(0, depth-1)
		}
	}
	return deepest
}

// damaged is what a tree has of errors.
type damaged struct {
	bytes   int // that do not fit the grammar, and one for each node that is missing
	breadth int // the most nodes in one error
}

func damageOf(n *sitter.Node) damaged {
	switch {
	case n.IsMissing():
		return damaged{bytes: 1}
	case n.IsError():
		return damaged{1 + int(n.EndByte()-n.StartByte()), int(n.ChildCount())}
	}
	var all damaged
	if n.HasError() {
		for child := range children(n) {
			d := damageOf(child)
			all = damaged{all.bytes + d.bytes, max(all.breadth, d.breadth)}
		}
	}
	return all
}

// children goes through the children of a node. To ask for them by number takes longer the higher it is.
func children(n *sitter.Node) iter.Seq[*sitter.Node] {
	return func(yield func(*sitter.Node) bool) {
		cursor := sitter.NewTreeCursor(n)
		defer cursor.Close()
		for ok := cursor.GoToFirstChild(); ok; ok = cursor.GoToNextSibling() {
			if !yield(cursor.CurrentNode()) {
				return
			}
		}
	}
}
