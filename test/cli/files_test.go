package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// filesFolder is a committed folder in which a file was changed, one removed and some added; one is ignored.
func filesFolder(t *testing.T) *world {
	t.Helper()
	w := scripted(t, "\n- {match: {node: planner}, reply: {text: never}}", map[string]string{
		".gitignore": "out/\n", "go.mod": "module example.com/sum\n\ngo 1.24\n", "sum.go": "package sum\n\nconst One = 1\n", "old.go": "package sum\n",
		"parse/parser.go": "package parse\n", "parse/parser_test.go": "package parse\n", "parse/lexer.go": "package parse\n", "docs/parser.md": "words\n",
	})
	w.git("init", "--quiet")
	w.git("add", "--all")
	w.git("commit", "--quiet", "--message", "one")
	w.put(map[string]string{"sum.go": "package sum\n\nconst One = 2\n", "new.go": "package sum\n", "out/made.go": "package out\n", "icon.png": "\x89PNG\x00\xff"})
	require.NoError(t, os.Remove(filepath.Join(w.root, "old.go")))
	return w
}

// The files of a folder are listed, found and compared with the last commit; ignored files are left out.
func TestFiles_AreListedFoundAndCompared(t *testing.T) {
	t.Parallel()
	w := filesFolder(t)
	code, out, said := w.run("files", "list")
	require.Zero(t, code, said)
	require.Equal(t, "docs/\ngo.mod\nicon.png\nnew.go\nparse/\nsum.go\n", out)
	_, out, _ = w.run("files", "ls", "--all", "parse")
	require.Equal(t, "parse/lexer.go\nparse/parser.go\nparse/parser_test.go\n", out)
	_, out, _ = w.run("files", "list", "--all")
	require.Contains(t, out, ".gitignore\n")

	_, out, _ = w.run("files", "search", "Parser")
	require.Equal(t, "docs/parser.md\nparse/parser.go\nparse/parser_test.go\n", out, "its name, then what begins with it")
	_, out, _ = w.run("files", "search", "parse", "test")
	require.Equal(t, "parse/parser_test.go\n", out)
	_, out, said = w.run("files", "search", "--limit", "1", "parser")
	require.Equal(t, "docs/parser.md\n", out)
	require.Contains(t, said, "and 2 more")

	status := asked[api.FileStatusResult](w, "files", "status")
	require.Equal(t, api.FileStatusResult{Compared: true, Files: []api.FileStatus{
		{Path: "icon.png", State: "untracked"}, {Path: "new.go", State: "untracked"}, {Path: "old.go", State: "deleted"}, {Path: "sum.go", State: "modified"},
	}}, status)
}

// A file is printed as it is, with its difference from the last commit; what is no file of the folder is an error that says so.
func TestFiles_AreRead(t *testing.T) {
	t.Parallel()
	w := filesFolder(t)
	code, out, said := w.run("files", "read", "sum.go")
	require.Zero(t, code, said)
	require.Equal(t, "package sum\n\nconst One = 2\n", out)
	_, out, _ = w.run("files", "read", "--diff", "sum.go")
	require.Contains(t, out, "-const One = 1\n+const One = 2\n")
	_, out, _ = w.run("files", "cat", "icon.png")
	require.Equal(t, "\x89PNG\x00\xff", out)
	image := asked[api.FileRead](w, "files", "read", "icon.png")
	require.Equal(t, api.FileRead{Path: "icon.png", State: "untracked", Base64: "iVBORwD/", Bytes: 6}, image)
	require.Equal(t, "unchanged", asked[api.FileRead](w, "files", "read", "parse/parser.go").State)

	for _, path := range []string{"out/made.go", "old.go", "../x", ".git/config", "parse"} {
		require.Contains(t, w.said(2, "files", "read", path), "path: ", path)
	}
	require.Contains(t, w.said(2, "files", "list", "nowhere"), "has no folder nowhere with files")
}

// Without a commit there is nothing to compare with, and everything else works.
func TestFiles_WithoutACommit(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: planner}, reply: {text: never}}", sumModule())
	code, out, said := w.run("files", "status")
	require.Zero(t, code, said)
	require.Empty(t, out)
	require.Contains(t, said, "there is no commit to compare with")
	require.Equal(t, "unknown", asked[api.FileRead](w, "files", "read", "sum.go").State)
	_, out, _ = w.run("files", "list")
	require.Equal(t, "go.mod\nsum.go\n", out)
}
