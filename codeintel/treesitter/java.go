//go:build cgo

package treesitter

import grammarOfJava "github.com/smacker/go-tree-sitter/java"

var java = grammar{language: grammarOfJava.GetLanguage, queries: []string{"java"}, imports: withStar, guess: closeBraces}
