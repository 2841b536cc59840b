//go:build cgo

package treesitter

import grammarOfCSharp "github.com/smacker/go-tree-sitter/csharp"

var csharp = grammar{
	language: grammarOfCSharp.GetLanguage, queries: []string{"csharp"},
	guess: func(source string) string { return closeBraces(oneBranch(source)) },
}
