package lsptest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/lsp"
)

// recorder is a test that is expected to fail.
type recorder struct {
	testing.TB
	failure string
	cleanup []func()
}

func (r *recorder) Helper()          {}
func (r *recorder) Cleanup(f func()) { r.cleanup = append(r.cleanup, f) }

func (r *recorder) Errorf(format string, args ...any) { r.failure = fmt.Sprintf(format, args...) }

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Fatal(args ...any) { r.Fatalf("%s", fmt.Sprint(args...)) }

// failureOf runs f as a test would be run, and returns how it failed.
func failureOf(t *testing.T, f func(t testing.TB)) string {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(r)
	}()
	<-done
	for i := range r.cleanup {
		r.cleanup[len(r.cleanup)-1-i]()
	}
	return r.failure
}

// saying is a server that says one thing and reads until its input ends.
func saying(t testing.TB, output string) *Editor {
	in, out := io.Pipe()
	e := Connect(t, io.MultiReader(strings.NewReader(output)), out, func() int {
		_, _ = io.Copy(io.Discard, in)
		return 0
	})
	return e
}

func TestEditor_ExpectationsFail(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		test func(t testing.TB)
		want string
	}{
		{"the server has ended", func(t testing.TB) { saying(t, "").Expect("m", nil) }, "waiting for a m: the server has ended"},
		{"nothing comes", func(t testing.TB) {
			e := Start(t, lsp.Options{})
			e.Initialize(nil)
			e.Expect("m", nil)
		}, "waiting for a m: nothing came"},
		{"what came does not fit", func(t testing.TB) {
			saying(t, framed(`{"jsonrpc":"2.0","method":"m"}`)).Expect("m", func([]byte) bool { return false })
		}, "waiting for a m: the server has ended"},
		{"output that is no frame", func(t testing.TB) { saying(t, "hello\n") }, `the server's output is malformed: no header: "hello\n"`},
		{"output that is cut off", func(t testing.TB) { saying(t, "Content-Length: 9\r\n\r\n{") }, "the server's output is malformed: unexpected EOF"},
		{"output that is no JSON-RPC", func(t testing.TB) { saying(t, framed("{}")) }, "the server's output is malformed"},
		{"the server refuses initialize", func(t testing.TB) {
			e := Start(t, lsp.Options{})
			e.Initialize(nil)
			e.Initialize(nil)
		}, "initialize: initialize was sent before"},
		{"the server does not end", func(t testing.TB) { Start(t, lsp.Options{}).ExitCode() }, "the server does not end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				require.Contains(t, failureOf(t, test.test), test.want)
			})
		})
	}
}

func framed(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

func TestEditor_ExpectGivesEachMessageOnce(t *testing.T) {
	t.Parallel()
	e := saying(t, framed(`{"jsonrpc":"2.0","method":"m","params":[1]}`)+framed(`{"jsonrpc":"2.0","method":"m","params":[2]}`))
	second := func(params []byte) bool { return string(params) == "[2]" }
	require.Equal(t, "[2]", string(e.Expect("m", second)))
	require.Equal(t, "[1]", string(e.Expect("m", nil)))
	require.Empty(t, e.Messages())
}

func TestEditor_AppliesEdits(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := func(name string) uri.URI { return uri.File(filepath.Join(folder, name)) }
	insert := func(line, character uint32, text string) *protocol.TextEdit {
		at := protocol.Position{Line: line, Character: character}
		return &protocol.TextEdit{Range: protocol.Range{Start: at, End: at}, NewText: text}
	}
	edit := func(name string, version *int32, edits ...protocol.TextDocumentEditElement) *protocol.TextDocumentEdit {
		e := &protocol.TextDocumentEdit{Edits: edits}
		e.TextDocument.URI, e.TextDocument.Version = file(name), version
		return e
	}
	one, nine, yes := int32(1), int32(9), true
	tests := []struct {
		name    string
		edit    protocol.WorkspaceEdit
		applied bool
		open    string // text of the open document afterwards
		closed  string // text of the file that is not open afterwards; "-" is gone
	}{
		{"edits of both", protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{
			edit("open", &one, insert(0, 0, "1"), insert(0, 0, "2"), insert(0, 3, "!")), edit("closed", nil, insert(1, 0, "x")),
		}}, true, "12a𝒳!b\n", "old\nx"},
		{"the other form", protocol.WorkspaceEdit{Changes: map[uri.URI][]protocol.TextEdit{file("open"): {*insert(1, 0, "end")}}}, true, "a𝒳b\nend", "old\n"},
		{"a stale version applies nothing", protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{
			edit("closed", nil, insert(0, 0, "x")), edit("open", &nine, insert(0, 0, "1")),
		}}, false, "a𝒳b\n", "old\n"},
		{"create empties what exists", protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{&protocol.CreateFile{Kind: "create", URI: file("closed")}}}, true, "a𝒳b\n", ""},
		{"create lets it be", protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{
			&protocol.CreateFile{Kind: "create", URI: file("closed"), Options: &protocol.CreateFileOptions{IgnoreIfExists: &yes}},
		}}, true, "a𝒳b\n", "old\n"},
		{"delete", protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{&protocol.DeleteFile{Kind: "delete", URI: file("closed")}}}, true, "a𝒳b\n", "-"},
		{"what is not there", protocol.WorkspaceEdit{DocumentChanges: []protocol.DocumentChange{edit("none", nil, insert(0, 0, "x"))}}, false, "a𝒳b\n", "old\n"},
	}
	for _, test := range tests {
		require.NoError(t, os.WriteFile(filepath.Join(folder, "closed"), []byte("old\n"), 0o600))
		e := Start(t, lsp.Options{})
		e.Initialize(nil)
		e.Open(file("open"), "go", "a𝒳b\n")
		raw, err := protocol.Marshal(&protocol.ApplyWorkspaceEditParams{Edit: test.edit})
		require.NoError(t, err, test.name)
		result, err := e.applyEdit(raw)
		require.NoError(t, err, test.name)
		require.Equal(t, test.applied, result.(*protocol.ApplyWorkspaceEditResult).Applied, test.name)
		require.Equal(t, test.open, e.Text(file("open")), test.name)
		closed, err := os.ReadFile(filepath.Join(folder, "closed"))
		if test.closed == "-" {
			require.ErrorIs(t, err, os.ErrNotExist, test.name)
		} else {
			require.Equal(t, test.closed, string(closed), test.name)
		}
	}
}
