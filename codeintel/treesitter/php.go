//go:build cgo

package treesitter

import grammarOfPHP "github.com/smacker/go-tree-sitter/php"

var php = grammar{language: grammarOfPHP.GetLanguage, queries: []string{"php"}, imports: splitPHPUse}
