package activity

import (
	"context"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/engine/step"
	"forge/patch"
)

// rack is a tree in memory, of one snapshot.
type rack struct{ base, files map[string]string }

func (s *rack) Dir() string { return "/nowhere" }

func (s *rack) ReadFile(path string) ([]byte, error) {
	text, is := s.files[path]
	if !is {
		return nil, &fs.PathError{Op: "read", Path: path, Err: fs.ErrNotExist}
	}
	return []byte(text), nil
}

func (s *rack) List(context.Context) ([]string, error) { return slices.Sorted(maps.Keys(s.files)), nil }

func (s *rack) Apply(c patch.ChangeSet) error {
	for _, f := range c.Files {
		s.files[f.Path] = f.After
	}
	return nil
}

func (s *rack) Changes(context.Context) (patch.ChangeSet, error) { return patch.ChangeSet{}, nil }

func (s *rack) Reset(context.Context) error {
	s.files = maps.Clone(s.base)
	return nil
}

func (s *rack) Close() error { return nil }

// onRacks is a kit whose trees begin as these files.
func onRacks(base map[string]string) Kit {
	return Kit{Trees: &Trees{Open: func(context.Context, string) (Tree, error) {
		return &rack{base: base, files: maps.Clone(base)}, nil
	}}}
}

// A formatter changes the text of files, not how those of the user are stored, and nothing beside them.
func TestFormat_KeepsHowFilesAreStored(t *testing.T) {
	t.Parallel()
	kit := onRacks(map[string]string{"crlf": "a\r\nb\r\n", "bare": "a", "bom": "\ufeffa\n", "same": "x\n", "other": "o"})
	kit.Format = func(_ context.Context, tree Tree, paths []string) error {
		files := tree.(*rack).files
		for _, p := range paths {
			text := strings.TrimPrefix(strings.ReplaceAll(files[p], "\r\n", "\n"), "\ufeff")
			files[p] = strings.ReplaceAll(strings.TrimSuffix(text, "\n"), " ", "") + "\n"
		}
		files["litter"] = "l"
		files["other"] = "changed"
		return nil
	}
	state := step.State{Base: "b"}.With(patch.ChangeSet{Files: []patch.FileChange{
		{Path: "crlf", Before: "a\r\nb\r\n", After: "a \r\nb\r\n"}, {Path: "bare", Before: "a", After: "a b"},
		{Path: "bom", Before: "\ufeffa\n", After: "\ufeffa a\n"}, {Kind: patch.Create, Path: "new", After: "n w"},
	}})
	got, err := kit.format(t.Context(), step.PathsCall{State: state, Paths: []string{"new", "same", "crlf", "gone", "bom", "bare"}})
	require.NoError(t, err)
	require.Empty(t, cmp.Diff([]patch.FileChange{
		{Path: "bare", Before: "a b", After: "ab"},
		{Path: "bom", Before: "\ufeffa a\n", After: "\ufeffaa\n"},
		{Path: "crlf", Before: "a \r\nb\r\n", After: "a\r\nb\r\n"},
		{Path: "new", Before: "n w", After: "nw\n"},
	}, got.Files), "a new file is as the formatter wants it")

	kit.Format = nil
	got, err = kit.format(t.Context(), step.PathsCall{State: state, Paths: []string{"crlf"}})
	require.NoError(t, err)
	require.Empty(t, got.Files)
}
