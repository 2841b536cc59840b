package match_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/patch"
	"forge/patch/match"
)

func TestWhole_FileLists(t *testing.T) {
	t.Parallel()
	files := memory{"f": "old\n", "g": "g\n", "bin": "\x00", "dir/x": "x\n"}
	tests := []struct {
		name    string
		entries []match.Entry
		want    []patch.FileChange
		kind    string // of the error
	}{
		{"create", []match.Entry{{Path: "new", Action: patch.ActionCreate, Content: "x"}},
			[]patch.FileChange{{Kind: patch.Create, Path: "new", After: "x"}}, ""},
		{"update", []match.Entry{{Path: "f", Action: patch.ActionUpdate, Content: "$1\n"}},
			[]patch.FileChange{{Path: "f", Before: "old\n", After: "$1\n"}}, ""},
		{"write over", []match.Entry{{Path: "f", Action: patch.ActionWrite, Content: "new\n"}},
			[]patch.FileChange{{Path: "f", Before: "old\n", After: "new\n"}}, ""},
		{"write new", []match.Entry{{Path: "new", Action: patch.ActionWrite, Content: "new\n"}},
			[]patch.FileChange{{Kind: patch.Create, Path: "new", After: "new\n"}}, ""},
		{"delete", []match.Entry{{Path: "f", Action: patch.ActionDelete}},
			[]patch.FileChange{{Kind: patch.Delete, Path: "f", Before: "old\n"}}, ""},
		{"several are ordered, unchanged ones left out", []match.Entry{{Path: "new", Action: patch.ActionCreate}, {Path: "g", Action: patch.ActionWrite, Content: "g\n"}, {Path: "f", Action: patch.ActionDelete}},
			[]patch.FileChange{{Kind: patch.Delete, Path: "f", Before: "old\n"}, {Kind: patch.Create, Path: "new"}}, ""},
		{"create over", []match.Entry{{Path: "new", Action: patch.ActionCreate}, {Path: "f", Action: patch.ActionCreate}}, nil, "Exists"},
		{"update of nothing", []match.Entry{{Path: "new", Action: patch.ActionUpdate}}, nil, "Missing"},
		{"delete of nothing", []match.Entry{{Path: "new", Action: patch.ActionDelete}}, nil, "Missing"},
		{"unknown action", []match.Entry{{Path: "f", Action: "append"}}, nil, "Other"},
		{"no action", []match.Entry{{Path: "f"}}, nil, "Other"},
		{"folder", []match.Entry{{Path: "dir", Action: patch.ActionWrite}}, nil, "Other"},
		{"twice", []match.Entry{{Path: "f", Action: patch.ActionWrite}, {Path: "F", Action: patch.ActionWrite}}, nil, "Path"},
		{"outside", []match.Entry{{Path: "../f", Action: patch.ActionWrite}}, nil, "Path"},
		{"NUL in the file", []match.Entry{{Path: "bin", Action: patch.ActionWrite, Content: "x"}}, nil, "Text"},
		{"NUL in the new text", []match.Entry{{Path: "f", Action: patch.ActionWrite, Content: "\x00"}}, nil, "Text"},
		{"invalid new text", []match.Entry{{Path: "new", Action: patch.ActionWrite, Content: "\xff"}}, nil, "Text"},
		{"nothing changes", []match.Entry{{Path: "f", Action: patch.ActionWrite, Content: "old\n"}}, nil, "NoChange"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := match.Whole(tt.entries, files)
			if tt.kind != "" {
				require.Error(t, err)
				require.Equal(t, tt.kind, kindOf(err), "%v", err)
				require.Empty(t, got.Files)
				return
			}
			require.NoError(t, err)
			require.Empty(t, cmp.Diff(tt.want, got.Files))
		})
	}
}

func TestReplace_KeepsHowAFileIsStored(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, before, after, want string }{
		{"line feeds", "a\n", "b\nc\n", "b\nc\n"},
		{"carriage returns and line feeds", "a\r\nb\r\n", "b\nc\n", "b\r\nc\r\n"},
		{"one line, no end", "a", "b\nc\n", "b\nc"},
		{"no final line end", "a\r\nb", "b\nc\n", "b\r\nc"},
		{"final line end", "a\n", "b\nc", "b\nc\n"},
		{"mixed: literal", "a\r\nb\n", "b\nc\r\n", "b\nc\r\n"},
		{"mixed new text: literal", "a\r\nb\r\n", "b\nc\r\n", "b\nc\r\n"},
		{"byte order mark", "\ufeffa\n", "b\n", "\ufeffb\n"},
		{"byte order mark in both", "\ufeffa\n", "\ufeffb\n", "\ufeffb\n"},
		{"no byte order mark", "a\n", "\ufeffb\n", "b\n"},
		{"empty before", "", "b", "b"},
		{"empty after", "a\r\n", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, match.Replace("f", tt.before, true, tt.after).After)
			require.Equal(t, tt.after, match.Replace("f", "", false, tt.after).After, "a new file is literal")
		})
	}
}
