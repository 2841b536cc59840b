//go:build cgo

package treesitter

import grammarOfCSharp "github.com/smacker/go-tree-sitter/csharp"

// The grammar takes an #if in the middle of a declaration for an error: then the line scanner is better.
var csharp = grammar{language: grammarOfCSharp.GetLanguage, queries: []string{"csharp"}, broken: byLines}
