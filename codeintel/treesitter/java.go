//go:build cgo

package treesitter

import (
	"forge/codeintel/treesitter/fit"

	grammarOfJava "github.com/smacker/go-tree-sitter/java"
)

var java = grammar{language: grammarOfJava.GetLanguage, queries: []string{"java"}, imports: withStar, guess: fit.CloseBraces}
