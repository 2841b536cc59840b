package lsp_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api"
	"forge/engine"
	"forge/engine/event"
	"forge/engine/execution"
	"forge/engine/workspace"
)

// The run sees the same texts as the user: open buffers, not the files on disk.
func TestRequest_RunSeesUnsavedBuffers(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := start(t, map[string]string{"calc.go": calcGo, "doc.go": docGo}, &fakeEngine{script: checking(event.Succeeded)})
		d.Open(d.uri("calc.go"), "go", calcGo)
		d.Edit(d.uri("calc.go"), insert(0, "// unsaved\n"))
		d.Open(uri.URI("untitled:1"), "go", "nowhere")
		d.Open(uri.File("/elsewhere/a.go"), "go", "elsewhere")
		args := api.RunArgs{
			Task: "x", Recipe: "tdd", Approve: "edits", Limits: &api.Limits{CostUSD: 0.5, Tokens: 7, Minutes: 2},
			Scope: &api.Scope{URI: string(d.uri("calc.go")), Range: &api.Range{
				Start: api.Position{Line: 2, Character: 3}, End: api.Position{Line: 5},
			}},
		}
		require.NoError(t, d.execute(api.Run, args, nil))
		got := d.engine.started()[0]
		got.Asker = nil
		want := engine.Request{
			Task: "x", Recipe: "tdd",
			Snapshot: workspace.Snapshot{Root: d.root, Unsaved: map[string]workspace.Document{
				"calc.go": {Path: "calc.go", Text: "// unsaved\n" + calcGo, Version: 2},
			}},
			Focus:  execution.Focus{Path: "calc.go", StartLine: 3, EndLine: 5},
			Limits: execution.Limits{MicroUSD: 500_000, Tokens: 7, Duration: 2 * time.Minute},
		}
		require.Empty(t, cmp.Diff(want, got))
	})
}

func TestRequest_ApproveAsksForTheSpecByDefault(t *testing.T) {
	for approve, want := range map[string]bool{"": true, "plan+edits": true, "edits": false} {
		bubble(t, func(t *testing.T) {
			d := start(t, nil, &fakeEngine{script: checking(event.Succeeded)})
			require.NoError(t, d.execute(api.Run, api.RunArgs{Task: "x", Approve: approve}, nil))
			require.Equal(t, want, d.engine.started()[0].AskSpec)
		})
	}
}

func TestRequest_TakesATaskFromAComment(t *testing.T) {
	const text = "package a\n\n// forge: first\n\nfunc A() {}\n\n\t# forge:   second  \n\n/* forge: third */\n"
	for name, tc := range map[string]struct {
		where *api.Range
		open  string // unsaved text; empty leaves the file closed
		want  string
		says  string // of the error
	}{
		"whole file":     {nil, "", "first", ""},
		"selection":      {&api.Range{Start: api.Position{Line: 4}, End: api.Position{Line: 7}}, "", "second", ""},
		"block comment":  {&api.Range{Start: api.Position{Line: 7}, End: api.Position{Line: 9}}, "", "third", ""},
		"none selected":  {&api.Range{Start: api.Position{Line: 4}, End: api.Position{Line: 5}}, "", "", "// forge:"},
		"past the end":   {&api.Range{Start: api.Position{Line: 400}, End: api.Position{Line: 500}}, "", "", "there is no line 401"},
		"unsaved":        {nil, "// forge: typed\n", "typed", ""},
		"unsaved, empty": {nil, "// nothing\n", "", "// forge:"},
		"CRLF":           {nil, "// forge: typed\r\nx", "typed", ""},
		"in code":        {nil, "x := \"// forge: no\"\n", "", "// forge:"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, map[string]string{"a.go": text}, &fakeEngine{script: checking(event.Succeeded)})
				if tc.open != "" {
					d.Open(d.uri("a.go"), "go", tc.open)
				}
				err := d.execute(api.Run, api.RunArgs{Scope: &api.Scope{URI: string(d.uri("a.go")), Range: tc.where}}, nil)
				if tc.says != "" {
					require.ErrorContains(t, err, tc.says)
					return
				}
				require.NoError(t, err)
				require.Equal(t, tc.want, d.engine.started()[0].Task)
			})
		})
	}
}

func folders(paths ...string) capable {
	return func(p *protocol.InitializeParams) {
		list := []protocol.WorkspaceFolder{}
		for _, path := range paths {
			list = append(list, protocol.WorkspaceFolder{URI: uri.File(path), Name: filepath.Base(path)})
		}
		p.WorkspaceFolders = protocol.NewNullable(list)
	}
}

func TestRequest_ChoosesTheFolder(t *testing.T) {
	outer := t.TempDir()
	inner, other := filepath.Join(outer, "inner"), t.TempDir()
	for name, tc := range map[string]struct {
		open   []string
		named  string
		scope  string
		want   string
		failed string
	}{
		"none":                 {nil, "", "", "", "No folder is open"},
		"only":                 {[]string{other}, "", "", other, ""},
		"several":              {[]string{outer, other}, "", "", "", "Several folders are open"},
		"named":                {[]string{outer, other}, other, "", other, ""},
		"named, not open":      {[]string{outer}, other, "", "", "not open"},
		"scope":                {[]string{outer, other}, "", other + "/a.go", other, ""},
		"innermost":            {[]string{outer, inner, other}, "", inner + "/a.go", inner, ""},
		"innermost, any order": {[]string{inner, outer, other}, "", inner + "/a.go", inner, ""},
		"a name is no prefix":  {[]string{inner, other}, "", inner + "2/a.go", "", "no open folder"},
		"named goes first":     {[]string{outer, inner}, outer, inner + "/a.go", outer, ""},
		"scope not in named":   {[]string{outer, other}, other, outer + "/a.go", "", "not in the folder"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				d := start(t, nil, &fakeEngine{script: checking(event.Succeeded)}, folders(tc.open...))
				args := api.RunArgs{Task: "x"}
				if tc.named != "" {
					args.Folder = string(uri.File(tc.named))
				}
				if tc.scope != "" {
					args.Scope = &api.Scope{URI: string(uri.File(tc.scope))}
				}
				err := d.execute(api.Run, args, nil)
				if tc.failed != "" {
					require.ErrorContains(t, err, tc.failed)
					return
				}
				require.NoError(t, err)
				require.Equal(t, tc.want, d.engine.started()[0].Snapshot.Root)
			})
		})
	}
}

func TestRequest_RunSurvivesALostFolder(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		d.Close(d.uri("calc.go"))
		require.NoError(t, os.RemoveAll(d.root))
		require.ErrorContains(t, d.execute(api.ApplyProposal, nil, nil), "the folder "+d.root+" cannot be read")
		require.NoError(t, d.execute(api.Status, nil, nil), "the server goes on")
	})
}

func TestRequest_ProposalOnTheWire(t *testing.T) {
	bubble(t, func(t *testing.T) {
		d := startWithCalc(t, rich)
		var list api.ProposalList
		require.NoError(t, d.execute(api.ListProposals, nil, &list))
		require.Len(t, list.Proposals, 1)
		p := list.Proposals[0]
		require.Equal(t, "add Sub", p.Title)
		require.Equal(t, []string{"pass"}, []string{p.Gates[0].Verdict})
		require.Contains(t, p.Diff, "+// Add adds two numbers.")
		require.Equal(t, api.Hunk{
			ID:      "f1h1",
			Range:   api.Range{Start: api.Position{Line: 2}, End: api.Position{Line: 3}},
			NewText: "// Add adds two numbers.\n", Lines: &api.Span{Start: 2, End: 3}, At: &api.Span{Start: 2, End: 3}, Level: "exact", State: "pending",
		}, p.Files[0].Hunks[0])
		require.Equal(t, "update", p.Files[0].Kind)
		require.Equal(t, string(d.uri("calc.go")), p.Files[0].URI)
	})
}
