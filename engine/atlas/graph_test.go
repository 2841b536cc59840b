package atlas

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/index"
)

// fixed is a view of documents alone.
type fixed struct {
	index.View

	documents []index.Document
}

func (f fixed) Documents() []index.Document { return f.documents }

func nothing(string) ([]byte, error) { return nil, fs.ErrNotExist }

func script(path, imported string) index.Document {
	outline := &codeintel.Outline{Language: codeintel.LanguageTypeScript}
	if imported != "" {
		outline.Imports = []codeintel.Import{{Path: imported}}
	}
	return index.Document{Path: path, Language: codeintel.LanguageTypeScript, Hash: imported, Outline: outline}
}

func TestGraphs_AreMadeAgainOnlyWhereTheyChange(t *testing.T) {
	t.Parallel()
	before := fixed{documents: []index.Document{script("a.ts", "./b"), script("b.ts", ""), script("c.ts", ""), {Path: "package.json", Hash: "1"}}}
	graph := nextGraph(nil, nil, before, nothing)
	require.Equal(t, []string{"b.ts"}, graph.Direct("a.ts"))

	tests := []struct {
		name   string
		change func(documents []index.Document) []index.Document
		same   bool
		direct []string
	}{
		{"nothing", func(d []index.Document) []index.Document { return d }, true, []string{"b.ts"}},
		{"a body", func(d []index.Document) []index.Document {
			d[0] = script("a.ts", "./b")
			d[0].Hash = "other"
			d[0].Outline.Imports[0].Span.Start = 7
			return d
		}, true, []string{"b.ts"}},
		{"an import", func(d []index.Document) []index.Document {
			d[0] = script("a.ts", "./c")
			return d
		}, false, []string{"c.ts"}},
		{"a file is gone", func(d []index.Document) []index.Document { return []index.Document{d[0], d[2], d[3]} }, false, nil},
		{"a file has another name", func(d []index.Document) []index.Document {
			d[1] = script("bb.ts", "")
			return d
		}, false, nil},
		{"a configuration", func(d []index.Document) []index.Document {
			d[3].Hash = "2"
			return d
		}, false, []string{"b.ts"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			after := fixed{documents: tt.change(append([]index.Document(nil), before.documents...))}
			next := nextGraph(graph, before, after, nothing)
			require.Equal(t, tt.same, next == graph)
			require.Equal(t, tt.direct, next.Direct("a.ts"))
		})
	}
}

func TestGraph_ManyChangedImports(t *testing.T) {
	t.Parallel()
	var before, after fixed
	for i := range fewChanges + 5 {
		name := string(rune('a'+i)) + ".ts"
		before.documents = append(before.documents, script(name, ""))
		after.documents = append(after.documents, script(name, "./a"))
	}
	graph := nextGraph(nextGraph(nil, nil, before, nothing), before, after, nothing)
	require.Len(t, graph.Importers("a.ts"), fewChanges+4)
}
