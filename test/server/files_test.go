package server

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/api"
)

// An editor gets the files of a folder as they are in it: with texts that are not saved.
func TestServer_FilesAreThoseOfTheEditor(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
	p := &patron{t: t, root: d.root}
	p.git("init", "--quiet")
	p.git("add", "--all")
	p.git("commit", "--quiet", "--message", "one")
	d.Open(d.uri("sum.go"), "go", strings.Replace(module["sum.go"], "a + b", "b + a", 1))
	d.Open(d.uri("sum_test.go"), "go", module["sum_test.go"])
	d.Open(d.uri("draft.go"), "go", "package sum\n")

	list := ask[api.FilesResult](d, api.ListFiles, api.FilesArgs{})
	require.Equal(t, []api.FileEntry{{Path: "draft.go"}, {Path: "go.mod"}, {Path: "sum.go"}, {Path: "sum_test.go"}}, list.Entries)
	require.Equal(t, []string{"sum.go", "sum_test.go"}, ask[api.FileSearchResult](d, api.SearchFiles, api.FileSearchArgs{Query: "SUM"}).Paths)
	status := ask[api.FileStatusResult](d, api.FilesStatus, api.FolderArgs{})
	require.Equal(t, []api.FileStatus{{Path: "draft.go", State: "untracked"}, {Path: "sum.go", State: "modified"}}, status.Files)

	read := ask[api.FileRead](d, api.ReadFile, api.FileReadArgs{Path: "sum.go"})
	require.True(t, read.Unsaved)
	require.Contains(t, read.Text, "return b + a")
	require.Contains(t, read.Diff, "-func Add(a, b int) int { return a + b }\n+func Add(a, b int) int { return b + a }\n")
	saved := ask[api.FileRead](d, api.ReadFile, api.FileReadArgs{Path: "sum_test.go"})
	require.Equal(t, api.FileRead{Path: "sum_test.go", State: "unchanged", Text: module["sum_test.go"], Bytes: len(module["sum_test.go"])}, saved)
	require.ErrorContains(t, d.execute(api.ReadFile, api.FileReadArgs{Path: "/etc/passwd"}, nil), "path: ")
}
