package lsp_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/codeintel/search"
	"forge/engine/atlas"
)

func (r *reading) search(args api.SearchArgs) api.SearchResult {
	r.t.Helper()
	var result api.SearchResult
	require.NoError(r.t, r.execute(api.Search, args, &result))
	return result
}

// paths are where a text is found.
func (r *reading) paths(text string) []string {
	r.t.Helper()
	found := []string{}
	for _, h := range r.search(api.SearchArgs{Text: text}).Hits {
		found = append(found, h.Path)
	}
	return found
}

func span32(line, from, to uint32) api.Range {
	return api.Range{Start: api.Position{Line: line, Character: from}, End: api.Position{Line: line, Character: to}}
}

func TestSearch_AnswersWithPlaces(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"pkg/a.py": "# 𝒳\r\n𝒳 = 'needle'  \r\ndef needle\r\n", "b.py": "nothing\n"})
	got := r.search(api.SearchArgs{Text: "needle", Limit: 500})
	where := span32(1, 0, 15)
	name := span32(2, 4, 10)
	want := api.SearchResult{
		Folder: string(uri.File(r.root)), Complete: true,
		Hits: []api.SearchHit{{
			URI: string(r.uri("pkg/a.py")), Path: "pkg/a.py", Score: 3, Range: &where, Why: "its text, changed often of late",
			Signals: []api.SearchSignal{{Name: "content", Value: 2}, {Name: "frequent", Value: 1}},
			Lines:   []api.SearchLine{{Line: 1, Text: "𝒳 = 'needle'  "}},
			Best:    &api.SearchLine{Line: 1, Text: "𝒳 = 'needle'  "},
		}},
		Symbols: []api.SearchSymbol{{
			URI: string(r.uri("pkg/a.py")), Path: "pkg/a.py", Name: "needle", Kind: "function", Range: name, Score: 1.0 / 6,
		}},
	}
	require.Empty(t, cmp.Diff(want, got))
	require.Equal(t, []search.Query{{Text: "needle", Limit: 200}}, r.atlas.queries, "the limit has a limit")
}

func TestSearch_LeavesOpenFilesOut(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "needle", "b.py": "needle"})
	got := r.search(api.SearchArgs{Text: "needle", Open: []string{string(r.uri("a.py")), "file:///elsewhere/c.py", "untitled:1"}})
	require.Len(t, got.Hits, 1)
	require.Equal(t, "b.py", got.Hits[0].Path)
	require.Equal(t, []string{"a.py"}, r.atlas.queries[0].Open, "what is not in the folder does not matter")
}

func TestSearch_RefusesWrongArguments(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "needle"})
	for name, tt := range map[string]struct {
		command string
		args    any
		want    string
	}{
		"nothing to look for":  {api.Search, nil, "Say in plain words"},
		"only blanks":          {api.Search, api.SearchArgs{Text: " \n"}, "Say in plain words"},
		"an unknown folder":    {api.Search, api.SearchArgs{Text: "x", Folder: "file:///elsewhere"}, "The folder file:///elsewhere is not open"},
		"a negative limit":     {api.Search, protocol.LSPAny(`{"text":"x","limit":-1}`), "limit: want a whole number"},
		"a list for a text":    {api.RepoMap, protocol.LSPAny(`{"text":["x"]}`), "text: want a string"},
		"a folder not open":    {api.Context, api.PackArgs{Folder: "file:///elsewhere"}, "is not open"},
		"no file":              {api.Imports, nil, "Choose the file: 0 are open"},
		"a file not open":      {api.Imports, api.ImportsArgs{URI: "file:///elsewhere/a.py"}, "is not a file in an open folder"},
		"a file that is none":  {api.Imports, api.ImportsArgs{URI: "untitled:1"}, "is not a file in an open folder"},
		"what the atlas knows": {api.Imports, api.ImportsArgs{URI: string(r.uri("broken.py"))}, "broken.py is not indexed"},
	} {
		require.ErrorContains(t, r.execute(tt.command, tt.args, nil), tt.want, name)
	}
	require.Equal(t, 1, r.opened.times(), "a folder is read for questions that make sense")
}

func TestSearch_NeedsAnAtlas(t *testing.T) {
	t.Parallel()
	d := start(t, map[string]string{"a.go": "package a"}, &fakeEngine{})
	require.ErrorContains(t, d.execute(api.Search, api.SearchArgs{Text: "x"}, nil), "without an index")
	require.ErrorContains(t, startWithout(t).execute(api.Search, api.SearchArgs{Text: "x"}, nil), "No folder is open")
}

func TestSearch_AnswersMapContextAndImports(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "import b"})
	folder := string(uri.File(r.root))
	var m api.MapResult
	require.NoError(t, r.execute(api.RepoMap, nil, &m))
	require.Empty(t, cmp.Diff(api.MapResult{Folder: folder, Complete: true, Text: "a.py\n  def a\n", Tokens: 4000, Budget: 8000, Files: []string{"a.py"}}, m))
	require.NoError(t, r.execute(api.RepoMap, api.PackArgs{Text: "t", Open: []string{string(r.uri("a.py"))}, Budget: 50}, &m))
	require.Equal(t, 25, m.Tokens)
	require.Equal(t, search.Query{Text: "t", Open: []string{"a.py"}}, r.atlas.queries[1])

	var c api.ContextResult
	require.NoError(t, r.execute(api.Context, api.PackArgs{Budget: 7}, &c))
	want := api.ContextResult{Folder: folder, Complete: true, Tokens: 7, Budget: 7, Left: []string{"b.py"}, Sections: []api.ContextSection{
		{Name: "target", Path: "a.py", URI: string(r.uri("a.py")), How: "full", Tokens: 2, Text: "def a\n"}, {Name: "map", How: "map"},
	}}
	require.Empty(t, cmp.Diff(want, c))

	var i api.ImportsResult
	r.Open(r.uri("a.py"), "python", "import b")
	require.NoError(t, r.execute(api.Imports, nil, &i), "the only open file is meant")
	wantImports := api.ImportsResult{
		Folder: folder, Complete: true, Path: "a.py", Direct: []string{"b.py"}, Transitive: []string{}, Downstream: []string{"a.py", "a.py"},
	}
	require.Empty(t, cmp.Diff(wantImports, i))
	require.NoError(t, r.execute(api.Imports, api.ImportsArgs{URI: string(r.uri("a.py")), Depth: 99}, &i))
	require.Len(t, i.Downstream, 8, "the depth has an end")

	r.atlas.stand(atlas.Status{Total: 4})
	require.NoError(t, r.execute(api.RepoMap, nil, &m))
	require.NoError(t, r.execute(api.Context, nil, &c))
	require.NoError(t, r.execute(api.Imports, nil, &i))
	require.Equal(t, []bool{false, false, false, false}, []bool{m.Complete, c.Complete, i.Complete, r.search(api.SearchArgs{Text: "b"}).Complete})
}

// Typed text is found at once, and the text before no longer; a closed document is as it is on disk.
func TestSearch_UnsavedTextIsSearched(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n", "b.py": "old\n"})
	r.Open(r.uri("a.py"), "python", "old\n")
	require.Equal(t, []string{"a.py", "b.py"}, r.paths("old"))
	require.Equal(t, []string{}, r.paths("new"))
	r.Edit(r.uri("a.py"), protocol.TextEdit{Range: span(0, 0, 0, 3), NewText: "new"})
	require.Equal(t, []string{"a.py"}, r.paths("new"))
	require.Equal(t, []string{"b.py"}, r.paths("old"))
	r.Close(r.uri("a.py"))
	require.Equal(t, []string{}, r.paths("new"))
	require.Equal(t, []string{"a.py", "b.py"}, r.paths("old"))
}

// Documents that were open before anybody searched count too; those of elsewhere do not.
func TestSearch_OpenDocumentsAreHandedOver(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n"})
	r.Open(r.uri("a.py"), "python", "new\n")
	r.Open("file:///elsewhere/b.py", "python", "new\n")
	r.Open("untitled:1", "python", "new\n")
	require.Equal(t, []string{"a.py"}, r.paths("new"))
	require.Equal(t, []string{"cover a.py"}, r.atlas.calls())
	require.Equal(t, []string{"a.py"}, r.paths("new"))
	require.Equal(t, []string{"cover a.py"}, r.atlas.calls(), "what has not changed is not handed over again")
}

// Typing alone costs the atlas nothing.
func TestSearch_TypingAloneIsNotHandedOver(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n"})
	r.Open(r.uri("a.py"), "python", "old\n")
	require.Equal(t, []string{"a.py"}, r.paths("old"))
	for range 100 {
		r.Edit(r.uri("a.py"), protocol.TextEdit{NewText: "x"})
	}
	requireAlive(t, r.Editor)
	require.Equal(t, []string{"cover a.py"}, r.atlas.calls())
	require.Equal(t, []string{"a.py"}, r.paths("xxx"))
	require.Equal(t, []string{"cover a.py", "cover a.py"}, r.atlas.calls(), "the last text is handed over, once")
}

func TestSearch_ChangedFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n", "gone.py": "old\n"})
	require.Equal(t, []string{"a.py", "gone.py"}, r.paths("old"))
	require.NoError(t, os.WriteFile(filepath.Join(r.root, "a.py"), []byte("new\n"), 0o600))
	require.NoError(t, os.Remove(filepath.Join(r.root, "gone.py")))
	require.Equal(t, []string{"a.py", "gone.py"}, r.paths("old"), "no client has reported yet")
	r.Notify(protocol.MethodWorkspaceDidChangeWatchedFiles, &protocol.DidChangeWatchedFilesParams{Changes: []protocol.FileEvent{
		{URI: r.uri("a.py"), Type: protocol.FileChangeTypeChanged}, {URI: r.uri("gone.py"), Type: protocol.FileChangeTypeDeleted},
		{URI: "file:///elsewhere/b.py", Type: protocol.FileChangeTypeChanged},
	}})
	require.Equal(t, []string{"a.py"}, r.paths("new"))
	require.Equal(t, []string{}, r.paths("old"))
	require.Equal(t, []string{"changed a.py", "changed gone.py"}, r.atlas.calls())
}

// A client that watches no files still reports what it saves.
func TestSearch_SavedFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n"})
	r.Open(r.uri("a.py"), "python", "new\n")
	require.Equal(t, []string{"a.py"}, r.paths("new"))
	r.Save(r.uri("a.py"))
	r.Close(r.uri("a.py"))
	require.Equal(t, []string{"a.py"}, r.paths("new"))
	require.Equal(t, []string{"cover a.py", "changed a.py", "uncover a.py"}, r.atlas.calls())
}

func watching(p *protocol.InitializeParams) {
	yes := true
	p.Capabilities.Workspace.DidChangeWatchedFiles = &protocol.DidChangeWatchedFilesClientCapabilities{DynamicRegistration: &yes}
}

// If no client reports changed files, they are checked again, but not for each query.
func TestSearch_RechecksFilesWithoutNotifications(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n"})
	require.Equal(t, []string{"a.py"}, r.paths("old"))
	require.NoError(t, os.WriteFile(filepath.Join(r.root, "a.py"), []byte("new\n"), 0o600))
	r.late.Store(4)
	require.Equal(t, []string{"a.py"}, r.paths("old"))
	r.late.Store(5)
	require.Equal(t, []string{"a.py"}, r.paths("new"))
	require.Equal(t, []string{"a.py"}, r.paths("new"))
	require.Equal(t, []string{"look at all", "changed a.py"}, r.atlas.calls())

	r = read(t, map[string]string{"a.py": "old\n"}, watching)
	r.paths("old")
	r.late.Store(500)
	r.paths("old")
	require.Empty(t, r.atlas.calls(), "this client reports changes")
}

func TestSearch_FilesAreWatchedWhereTheClientCan(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n"}, watching)
	requireAlive(t, r.Editor)
	require.Empty(t, r.Messages(), "there was no search yet")
	r.paths("old")
	asked := decodeParams[protocol.RegistrationParams](t, r.Expect(protocol.MethodClientRegisterCapability, nil))
	require.Equal(t, protocol.MethodWorkspaceDidChangeWatchedFiles, asked.Registrations[0].Method)
	require.JSONEq(t, `{"watchers":[{"globPattern":"**/*"}]}`, string(asked.Registrations[0].RegisterOptions))
	r.paths("old")
	require.Empty(t, r.Messages(), "it is asked once")

	r = read(t, map[string]string{"a.py": "old\n"})
	r.paths("old")
	require.Empty(t, r.Messages())
}

func TestSearch_AnAtlasThatCannotBeOpenedIsTriedAgain(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n"})
	r.opened.fail = 1
	require.ErrorContains(t, r.execute(api.Search, api.SearchArgs{Text: "old"}, nil), "the index is locked")
	require.Equal(t, []string{"a.py"}, r.paths("old"))
	require.Equal(t, []string{"a.py"}, r.paths("old"))
	require.Equal(t, 2, r.opened.times())
}

func TestSearch_IsCancelled(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n"})
	r.atlas.hold = make(chan struct{})
	id := r.Post(protocol.MethodWorkspaceExecuteCommand, executeParams(t, api.Search, api.SearchArgs{Text: "old"}))
	r.Cancel(id)
	require.ErrorContains(t, r.Await(id, nil), "cancelled")
	close(r.atlas.hold)
	require.Equal(t, []string{"a.py"}, r.paths("old"), "the server goes on")
}

// Nothing of a folder is read before the first search.
func TestSearch_OpensNoAtlasBeforeTheFirst(t *testing.T) {
	t.Parallel()
	r := read(t, map[string]string{"a.py": "old\n"})
	r.Open(r.uri("a.py"), "python", "new\n")
	require.NoError(t, r.Request(protocol.MethodTextDocumentDocumentSymbol, symbolsOf(r.uri("a.py")), nil))
	require.Zero(t, r.opened.times())
	r.paths("old")
	require.Equal(t, 1, r.opened.times())
}
