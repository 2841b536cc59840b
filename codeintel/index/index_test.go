package index_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"forge/codeintel/index"
)

func TestMain(m *testing.M) {
	if what := os.Getenv("FORGE_INDEX_CHILD"); what != "" {
		child(what)
		return
	}
	goleak.VerifyTestMain(m)
}

// walk lists all files of a folder, as a source without git does, but also what is no regular file.
type walk string

func (w walk) Files(context.Context) ([]string, error) {
	var paths []string
	err := filepath.WalkDir(string(w), func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return nil //nolint:nilerr // what cannot be listed is not there
		}
		relative, err := filepath.Rel(string(w), name)
		paths = append(paths, filepath.ToSlash(relative))
		return err
	})
	return paths, err
}

// opened is an index of a folder that tests write to.
type opened struct {
	*index.Index
	t    testing.TB
	root string
}

func open(t testing.TB, root, state string, change ...func(*index.Options)) opened {
	t.Helper()
	o := index.Options{Root: root, Dir: state, Source: walk(root), Outliner: goOutliner{}, OutlinerVersion: "1", Workers: 2}
	for _, c := range change {
		c(&o)
	}
	x, err := index.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	return opened{x, t, root}
}

func write(t testing.TB, root, name, content string) {
	t.Helper()
	name = filepath.Join(root, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(content), 0o644))
}

// dump waits for the index, and writes it.
func (o opened) dump() string {
	o.t.Helper()
	require.NoError(o.t, o.Wait(context.Background()))
	require.True(o.t, o.View().Complete())
	return dump(o.t, o.Index)
}

func dump(t testing.TB, x *index.Index) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, x.Dump(&b))
	return b.String()
}

func paths(v index.View) []string {
	var all []string
	for _, d := range v.Documents() {
		all = append(all, d.Path)
	}
	return all
}

// found returns the paths of the files that hold a word.
func found(v index.View, word string) string {
	var all []string
	for _, p := range v.Postings(word) {
		if path := v.Documents()[p.Document].Path; len(all) == 0 || all[len(all)-1] != path {
			all = append(all, path)
		}
	}
	return strings.Join(all, " ")
}

func TestOpen_IsReady(t *testing.T) {
	t.Parallel()
	root, state := t.TempDir(), filepath.Join(t.TempDir(), "deep", "state")
	write(t, root, "a.go", "package a\n\nfunc Alpha() {}\n")
	write(t, root, "b/b.go", "package b\n\nfunc Beta() { a.Alpha() }\n")
	write(t, root, "b/notes.txt", "alpha is first\n")

	x := open(t, root, state)
	first := x.dump()
	require.Equal(t, "a.go b/b.go b/notes.txt", found(x.View(), "alpha"))
	require.Equal(t, "Beta", x.View().Documents()[1].Outline.Symbols[0].Name)
	status := x.Status()
	require.Equal(t, []int{3, 3, 2}, []int{status.Indexed, status.Total, status.Outlined})
	require.Empty(t, status.Skipped)
	require.Empty(t, status.Notes)

	t.Run("an equal one again from disk", func(t *testing.T) {
		require.NoError(t, x.Close())
		again := open(t, root, state, func(o *index.Options) { o.Outliner = failing{t} })
		require.Empty(t, cmp.Diff(first, again.dump()))
		require.Empty(t, again.Status().Notes)
	})
	info, err := os.Stat(state)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o700), info.Mode().Perm())
}
