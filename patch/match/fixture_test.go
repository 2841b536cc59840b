package match_test

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/patch"
	"forge/patch/match"
)

// memory is a tree of files by path.
type memory map[string]string

func (m memory) ReadFile(path string) ([]byte, error) {
	if text, ok := m[path]; ok {
		return []byte(text), nil
	}
	for name := range m {
		if strings.HasPrefix(name, path+"/") {
			return nil, errors.New("is a directory")
		}
	}
	return nil, fmt.Errorf("open %s: %w", path, fs.ErrNotExist)
}

// apply returns the tree after a change set.
func (m memory) apply(changes patch.ChangeSet) memory {
	after := maps.Clone(m)
	for _, c := range changes.Files {
		switch c.Kind {
		case patch.Delete:
			delete(after, c.Path)
			continue
		case patch.Move:
			delete(after, c.From)
		}
		after[c.Path] = c.After
	}
	return after
}

// A fixture is a patch, in one of three notations ("patch", "blocks", "diff"), the files before it and either the files after it or the error: its kind and,
// line by line, what its message says. In its texts ␍ stands for a carriage return, and ⊘ at the end of
// the last line for no line end.
type fixture struct {
	patch         string
	parse         func(string) (patch.Patch, error)
	before, after memory
	kind          string
	says          []string
}

func readFixture(t *testing.T, file string) fixture {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	require.NoError(t, err)
	require.NotEmpty(t, strings.TrimSpace(string(archive.Comment)), "a fixture says what it shows")
	f := fixture{before: memory{}, after: memory{}}
	for _, part := range archive.Files {
		text := strings.ReplaceAll(string(part.Data), "␍", "\r")
		text = strings.ReplaceAll(text, "⊘\n", "")
		switch side, name, _ := strings.Cut(part.Name, "/"); side {
		case "patch":
			f.patch, f.parse = text, patch.Parse
		case "blocks":
			f.patch, f.parse = text, patch.ParseSearchReplace
		case "diff":
			f.patch, f.parse = text, patch.ParseUnified
		case "before":
			f.before[name] = text
		case "after":
			f.after[name] = text
		case "error":
			f.says = strings.Split(strings.TrimSuffix(text, "\n"), "\n")
			f.kind, f.says = f.says[0], f.says[1:]
		default:
			t.Fatalf("unknown part %q", part.Name)
		}
	}
	return f
}

func TestResolve_Fixtures(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			readFixture(t, file).check(t)
		})
	}
}

func (f fixture) check(t *testing.T) {
	t.Helper()
	untouched := maps.Clone(f.before)
	changes, err := f.resolve()
	require.Equal(t, untouched, f.before, "files are only read")
	if f.kind != "" {
		require.Error(t, err)
		require.Equal(t, f.kind, kindOf(err), "error: %v", err)
		require.Empty(t, changes.Files, "a patch applies whole or not at all")
		for _, part := range f.says {
			require.Contains(t, err.Error(), part)
		}
		return
	}
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(f.after, f.before.apply(changes)))
}

func (f fixture) resolve() (patch.ChangeSet, error) {
	p, err := f.parse(f.patch)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	return match.Resolve(p, f.before)
}

func resolve(text string, files patch.Files) (patch.ChangeSet, error) {
	p, err := patch.Parse(text)
	if err != nil {
		return patch.ChangeSet{}, err
	}
	return match.Resolve(p, files)
}

// kindOf names an error as fixtures do.
func kindOf(err error) string {
	for kind, is := range map[string]bool{
		"Action":         errors.As(err, new(*patch.ActionError)),
		"Block":          errors.As(err, new(*patch.BlockError)),
		"Parse":          errors.As(err, new(*patch.ParseError)),
		"Missing":        errors.As(err, new(*match.MissingError)),
		"Exists":         errors.As(err, new(*match.ExistsError)),
		"Text":           errors.As(err, new(*match.TextError)),
		"NoMatch":        errors.As(err, new(*match.NoMatchError)),
		"Ambiguous":      errors.As(err, new(*match.AmbiguousError)),
		"Overlap":        errors.As(err, new(*match.OverlapError)),
		"AlreadyApplied": errors.As(err, new(*match.AlreadyAppliedError)),
		"NoChange":       errors.Is(err, match.ErrNoChange),
	} {
		if is {
			return kind
		}
	}
	if errors.As(err, new(*patch.PathError)) {
		return "Path"
	}
	return "Other"
}

// The fixtures of the notation's own behaviours and of known defects are all there: a fixture that is
// lost must be missed.
func TestFixtures_AreComplete(t *testing.T) {
	t.Parallel()
	for name := range strings.FieldsSeq(`add_file multiple_operations multiple_chunks move_to_new_directory
		rejects_empty_patch rejects_missing_context rejects_missing_file_delete rejects_empty_update_hunk
		requires_existing_file_for_update move_overwrites_existing_destination add_overwrites_existing_file
		delete_directory_fails rejects_invalid_hunk_header update_file_appends_trailing_newline
		failure_after_partial_success_leaves_changes pure_addition_update_chunk whitespace_padded_hunk_header
		whitespace_padded_patch_markers unicode_simple delete_file_success whitespace_padded_patch_marker_lines
		update_file_deletion_only update_file_end_of_file_marker`) {
		require.FileExists(t, filepath.Join("testdata", name+".txtar"))
	}
}
