//go:build cgo

package treesitter

import (
	"strings"

	sitter "github.com/smacker/go-tree-sitter"
	grammarOfScala "github.com/smacker/go-tree-sitter/scala"

	"forge/codeintel"
)

var scala = grammar{language: grammarOfScala.GetLanguage, queries: []string{"scala"}, refine: refineScala, imports: splitScalaImport}

func refineScala(s *codeintel.Symbol, _ *sitter.Node, _ string) bool {
	trimBackticks(s)
	return true
}

// splitScalaImport removes the keyword.
func splitScalaImport(i codeintel.Import, _ string) []codeintel.Import {
	i.Path = strings.TrimSpace(strings.TrimPrefix(i.Path, "import"))
	return splitTree(i, ".")
}
