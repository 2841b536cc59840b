package server

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/codeintel/treesitter"
	"forge/engine"
	"forge/lsp"
	"forge/lsp/lsptest"
)

// library is a workspace in several languages. Nothing in lib/shelf.ts says what its last commit was about.
var library = map[string]string{
	"go.mod":         "module example.com/library\n\ngo 1.24\n",
	"loan/loan.go":   "package loan\n\nimport \"example.com/library/fine\"\n\n// Return takes a book back, and asks for money when it is overdue.\nfunc Return() { fine.Of(3) }\n",
	"fine/fine.go":   "package fine\n\n// Of is what so many days cost.\nfunc Of(days int) int { return days }\n",
	"lib/shelf.ts":   "export class Shelf {\n  put(): void {}\n}\n",
	"tools/label.py": "class LabelPrinter:\n    def spool(self):\n        return 'thermal paper'\n",
	"notes.md":       "# Opening hours\n",
}

// patron is an editor with the library open, and the real engine behind it.
type patron struct {
	*lsptest.Editor
	t    *testing.T
	root string
}

func enter(t *testing.T, options ...func(*protocol.InitializeParams)) *patron {
	t.Helper()
	p := &patron{t: t, root: t.TempDir()}
	p.git("init", "--quiet")
	for name, text := range library {
		p.write(name, text)
	}
	p.git("add", "--all")
	p.git("commit", "--quiet", "--message", "Begin")
	p.write("lib/shelf.ts", library["lib/shelf.ts"]+"\n")
	p.git("commit", "--quiet", "--all", "--message", "Keep the atlases upright")
	outliner := new(treesitter.Outliner)
	e := engine.New(engine.Options{StateDir: t.TempDir(), Environ: os.Environ(), Outliner: outliner})
	t.Cleanup(e.Close)
	p.Editor = lsptest.Start(t, lsp.Options{Engine: lsp.EngineOf(e), Atlas: lsp.AtlasOf(e), Outliner: outliner})
	p.Initialize(func(params *protocol.InitializeParams) {
		params.WorkspaceFolders = protocol.NewNullable([]protocol.WorkspaceFolder{{URI: uri.File(p.root), Name: "library"}})
		for _, o := range options {
			o(params)
		}
	})
	return p
}

func (p *patron) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.root, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p.t, os.WriteFile(path, []byte(text), 0o600))
}

func (p *patron) git(args ...string) {
	p.t.Helper()
	c := exec.Command("git", append([]string{"-C", p.root, "-c", "user.name=A", "-c", "user.email=a@b"}, args...)...)
	out, err := c.CombinedOutput()
	require.NoError(p.t, err, string(out))
}

func (p *patron) uri(name string) uri.URI { return uri.File(filepath.Join(p.root, name)) }

func (p *patron) execute(name string, args, result any) {
	p.t.Helper()
	raw, err := protocol.Marshal(args)
	require.NoError(p.t, err)
	params := &protocol.ExecuteCommandParams{Command: name, Arguments: []protocol.LSPAny{raw}}
	require.NoError(p.t, p.Request(protocol.MethodWorkspaceExecuteCommand, params, result))
}

// search asks until the whole folder has been read.
func (p *patron) search(text string) api.SearchResult {
	p.t.Helper()
	for {
		var result api.SearchResult
		p.execute(api.Search, api.SearchArgs{Text: text}, &result)
		if result.Complete {
			return result
		}
	}
}

// first is the best file, empty if there is none.
func (p *patron) first(text string) string {
	p.t.Helper()
	if hits := p.search(text).Hits; len(hits) > 0 {
		return hits[0].Path
	}
	return ""
}

// eventually waits until a file is the best one: changes on disk are read behind.
func (p *patron) eventually(text, want string) {
	p.t.Helper()
	for began := time.Now(); p.first(text) != want; {
		require.Less(p.t, time.Since(began), lsptest.Patience, "%q is not found where it should be", text)
	}
}

func (p *patron) symbols(text string) []string {
	p.t.Helper()
	p.search(text)
	var found protocol.SymbolInformationSlice
	require.NoError(p.t, p.Request(protocol.MethodWorkspaceSymbol, &protocol.WorkspaceSymbolParams{Query: text}, &found))
	names := []string{}
	for _, s := range found {
		names = append(names, s.Name)
	}
	return names
}

func TestServerSearch_FindsByEachSignal(t *testing.T) {
	t.Parallel()
	p := enter(t)
	require.Equal(t, "loan/loan.go", p.first("asks for money when overdue"), "by words")
	require.Equal(t, "tools/label.py", p.first("LabelPrinter"), "by a symbol")
	require.Equal(t, "lib/shelf.ts", p.first("keep atlases upright"), "by history")
	require.Equal(t, "notes.md", p.first("notes"), "by its path")
	require.Empty(t, p.first("walrus"))
	hit := p.search("asks for money when overdue").Hits[0]
	require.NotEmpty(t, hit.Why)
	require.Equal(t, uint32(4), hit.Lines[0].Line)
}

// Typed text is found at once, without being saved; the text that it replaces is no longer found.
func TestServerSearch_FindsUnsavedText(t *testing.T) {
	t.Parallel()
	p := enter(t)
	require.Equal(t, "tools/label.py", p.first("thermal paper"))
	p.Open(p.uri("tools/label.py"), "python", library["tools/label.py"])
	p.Edit(p.uri("tools/label.py"), protocol.TextEdit{
		Range:   protocol.Range{Start: protocol.Position{Line: 0}, End: protocol.Position{Line: 3}},
		NewText: "class Walrus:\n    pass\n",
	})
	require.Equal(t, "tools/label.py", p.first("walrus"))
	require.Empty(t, p.first("thermal paper"))
	require.Contains(t, p.symbols("Walrus"), "Walrus")
	require.NotContains(t, p.symbols("LabelPrinter"), "LabelPrinter")
	p.Close(p.uri("tools/label.py"))
	require.Empty(t, p.first("walrus"))
	require.Equal(t, "tools/label.py", p.first("thermal paper"))
}

// A buffer that has no file yet is found too.
func TestServerSearch_FindsUnsavedFiles(t *testing.T) {
	t.Parallel()
	p := enter(t)
	p.Open(p.uri("new/zeppelin.rs"), "rust", "fn zeppelin() {}\n")
	require.Equal(t, "new/zeppelin.rs", p.first("zeppelin"))
	p.Close(p.uri("new/zeppelin.rs"))
	require.Empty(t, p.first("zeppelin"))
}

func TestServerSearch_ForgetsDeletedFiles(t *testing.T) {
	t.Parallel()
	p := enter(t)
	require.Equal(t, "tools/label.py", p.first("thermal paper"))
	require.NoError(t, os.Remove(filepath.Join(p.root, "tools/label.py")))
	p.write("lib/walrus.ts", "export const walrus = 1;\n")
	p.Notify(protocol.MethodWorkspaceDidChangeWatchedFiles, &protocol.DidChangeWatchedFilesParams{Changes: []protocol.FileEvent{
		{URI: p.uri("tools/label.py"), Type: protocol.FileChangeTypeDeleted}, {URI: p.uri("lib/walrus.ts"), Type: protocol.FileChangeTypeCreated},
	}})
	p.eventually("walrus", "lib/walrus.ts")
	p.eventually("thermal paper", "")
	require.Empty(t, p.symbols("LabelPrinter"))
}

func TestServerSearch_MapContextAndImports(t *testing.T) {
	t.Parallel()
	p := enter(t)
	p.search("overdue")
	var m api.MapResult
	p.execute(api.RepoMap, api.PackArgs{Text: "overdue books"}, &m)
	require.Contains(t, m.Text, "loan/loan.go")
	require.Contains(t, m.Text, "LabelPrinter")
	require.LessOrEqual(t, m.Tokens, m.Budget)

	var c api.ContextResult
	p.execute(api.Context, api.PackArgs{Text: "overdue books", Budget: 500}, &c)
	require.NotEmpty(t, c.Sections)
	sum := 0
	for _, s := range c.Sections {
		sum += s.Tokens
	}
	require.Positive(t, sum)
	require.LessOrEqual(t, c.Tokens, 500)

	var i api.ImportsResult
	p.execute(api.Imports, api.ImportsArgs{URI: string(p.uri("loan/loan.go"))}, &i)
	require.True(t, i.Complete)
	require.Equal(t, []string{"fine/fine.go"}, i.Direct)
	require.Empty(t, i.Downstream)
	p.execute(api.Imports, api.ImportsArgs{URI: string(p.uri("fine/fine.go"))}, &i)
	require.Equal(t, []string{"loan/loan.go"}, i.Downstream)
	require.Empty(t, i.Direct)
}

// documentSymbol reads every language, in the buffer as it is.
func TestServer_DocumentSymbolsOfEveryLanguage(t *testing.T) {
	t.Parallel()
	p := enter(t)
	for name, test := range map[string]struct {
		language string
		want     string
	}{
		"loan/loan.go": {"go", "Return"}, "lib/shelf.ts": {"typescript", "Shelf"}, "tools/label.py": {"python", "LabelPrinter"},
		"notes.md": {"markdown", "Opening hours"},
	} {
		p.Open(p.uri(name), test.language, "\n"+library[name])
		var tree protocol.DocumentSymbolSlice
		params := &protocol.DocumentSymbolParams{TextDocument: protocol.TextDocumentIdentifier{URI: p.uri(name)}}
		require.NoError(t, p.Request(protocol.MethodTextDocumentDocumentSymbol, params, &tree))
		require.NotEmpty(t, tree, name)
		require.Equal(t, test.want, tree[0].Name)
		require.Positive(t, tree[0].SelectionRange.Start.Line, "in the text of the buffer, which has a line more")
		if name == "tools/label.py" {
			require.Equal(t, "spool", tree[0].Children[0].Name)
			require.Equal(t, protocol.SymbolKindClass, tree[0].Kind)
		}
	}
}

// The folder is as it was: nothing of the index lies in it.
func TestServerSearch_LeavesTheFolderUnchanged(t *testing.T) {
	t.Parallel()
	p := enter(t)
	p.search("overdue")
	out, err := exec.Command("git", "-C", p.root, "status", "--porcelain", "--ignored").Output()
	require.NoError(t, err)
	require.Empty(t, string(out))
	require.Zero(t, p.Shutdown(), "the session ends in good order")
}

func TestServerSearch_ReportsADeletedFolder(t *testing.T) {
	t.Parallel()
	gone := uri.File(filepath.Join(t.TempDir(), "gone"))
	p := enter(t, func(params *protocol.InitializeParams) {
		folders := []protocol.WorkspaceFolder{{URI: gone, Name: "gone"}}
		own, _ := params.WorkspaceFolders.Get()
		params.WorkspaceFolders = protocol.NewNullable(append(folders, own...))
	})
	raw, err := protocol.Marshal(api.SearchArgs{Text: "overdue", Folder: string(gone)})
	require.NoError(t, err)
	params := &protocol.ExecuteCommandParams{Command: api.Search, Arguments: []protocol.LSPAny{raw}}
	err = p.Request(protocol.MethodWorkspaceExecuteCommand, params, nil)
	require.ErrorContains(t, err, gone.FsPath())
	var found protocol.SymbolInformationSlice
	for began := time.Now(); len(found) == 0; {
		_ = p.Request(protocol.MethodWorkspaceSymbol, &protocol.WorkspaceSymbolParams{Query: "LabelPrinter"}, &found)
		require.Less(t, time.Since(began), lsptest.Patience, "the other folder is searched all the same")
	}
	require.Equal(t, "LabelPrinter", found[0].Name)
}
