//go:build cgo

package treesitter

import (
	"iter"

	sitter "github.com/smacker/go-tree-sitter"
)

// Bounds of trees: to run a query takes time quadratic in the depth of a tree, and in the breadth of what does not fit the grammar.
const (
	maxNodes   = 500  // in each other, without the small ones
	maxLevels  = 1000 // nodes in each other around an error
	maxBreadth = 5000 // nodes side by side in one error
)

// small is the length of a node, in bytes, below which its depth does not matter.
const small = 512

// deeper reports whether a tree is deeper than a number of nodes, without those that are small.
func deeper(n *sitter.Node, depth int) bool {
	if depth == 0 {
		return true
	}
	for child := range children(n) {
		if child.EndByte()-child.StartByte() >= small && deeper(child, depth-1) {
			return true
		}
	}
	return false
}

// damaged is what a tree has of errors.
type damaged struct {
	bytes   int // that do not fit the grammar, and one for each node that is missing
	breadth int // the most nodes in one error
}

// damageOf looks down to a level; what is deeper counts as more than a grammar can bear.
func damageOf(n *sitter.Node, levels int) damaged {
	switch {
	case levels == 0:
		return damaged{1 + int(n.EndByte()-n.StartByte()), maxBreadth + 1}
	case n.IsMissing():
		return damaged{bytes: 1}
	case n.IsError():
		return damaged{1 + int(n.EndByte()-n.StartByte()), int(n.ChildCount())}
	}
	var all damaged
	if n.HasError() {
		for child := range children(n) {
			d := damageOf(child, levels-1)
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
