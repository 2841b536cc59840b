package review

import (
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/lsp/editor"
	"forge/patch"
)

func TestAppend_AnAppendBeginsAtTheEndOfTheLastLine(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text string
		edit patch.Edit
		want patch.Edit
	}{
		"LF":               {"a\n", patch.Edit{Start: 2, End: 2, New: "b\n"}, patch.Edit{Start: 1, End: 1, New: "\nb"}},
		"CRLF":             {"a\r\n", patch.Edit{Start: 3, End: 3, New: "b\r\n"}, patch.Edit{Start: 1, End: 1, New: "\r\nb"}},
		"no final newline": {"a", patch.Edit{Start: 1, End: 1, New: "\nb"}, patch.Edit{Start: 1, End: 1, New: "\nb"}},
		"loses the newline": {
			"a\n", patch.Edit{Start: 2, End: 2, New: "b"}, patch.Edit{Start: 2, End: 2, New: "b"},
		},
		"not at the end": {"a\nb\n", patch.Edit{Start: 2, End: 2, New: "x\n"}, patch.Edit{Start: 2, End: 2, New: "x\n"}},
		"empty":          {"", patch.Edit{New: "x\n"}, patch.Edit{New: "x\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := fromLastLine(c.text, c.edit)
			require.Equal(t, c.want, got)
			before, err := patch.Apply(c.text, []patch.Edit{c.edit})
			require.NoError(t, err)
			after, err := patch.Apply(c.text, []patch.Edit{got})
			require.NoError(t, err)
			require.Equal(t, before, after, "the text comes out the same")
		})
	}
}

// The hint of an insertion lies on a line that editors have.
func TestAppend_AnAppendIsShownOnTheLastLine(t *testing.T) {
	t.Parallel()
	index := editor.NewLines("one\ntwo\n", protocol.PositionEncodingKindUTF16)
	require.Equal(t, uint32(1), index.Visible(8, 8).Start.Line)
	require.Equal(t, uint32(1), index.Visible(4, 4).Start.Line, "the twin: in the middle it is the line it goes before")
	require.Equal(t, uint32(0), editor.NewLines("", protocol.PositionEncodingKindUTF16).Visible(0, 0).Start.Line)
}
