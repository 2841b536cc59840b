//go:build cgo

package treesitter

import (
	"forge/codeintel/treesitter/fit"

	grammarOfCSharp "github.com/smacker/go-tree-sitter/csharp"
)

var csharp = grammar{
	language: grammarOfCSharp.GetLanguage, queries: []string{"csharp"},
	guess: func(source string) string { return fit.CloseBraces(fit.OneBranch(source)) },
}
