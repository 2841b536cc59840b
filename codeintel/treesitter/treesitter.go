// Package treesitter reads outlines of many languages: Go by its own parser, the others by tree-sitter grammars, or,
// where there is no cgo, line by line.
package treesitter
