package editor

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCurrent_IsLikeTheTextsOfAChange(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, before, after string
		want, shown         string // the text, and "x\r\n" as the client gets it
	}{
		"the same":                    {"a\n", "b\n", "c\n", "a\n", "x\r\n"},
		"carriage returns are hidden": {"a\nb\n", "a\r\nb\r\n", "c\r\n", "a\r\nb\r\n", "x\n"},
		"they come back":              {"a\r\nb\r\n", "a\nb\n", "c\n", "a\nb\n", "x\r\n"},
		"a deletion":                  {"a\n", "a\r\n", "", "a\r\n", "x\n"},
		"a file that was made":        {"a\n", "", "a\r\n", "a\r\n", "x\n"},
		"an empty buffer":             {"\n", "", "a\r\n", "\n", "x\r\n"},
		"several kinds":               {"a\nb\r\n", "a\r\nb\r\n", "c\r\n", "a\nb\r\n", "x\r\n"},
		"several kinds in the base":   {"a\nb\n", "a\r\nb\n", "c\r\n", "a\nb\n", "x\r\n"},
		"lone carriage returns":       {"a\nb\n", "a\rb\r\n", "c\r\n", "a\nb\n", "x\r\n"},
		"a change of line ends":       {"a\n", "a\r\n", "a\n", "a\n", "x\r\n"},
		"without any":                 {"a", "a\r\n", "c\r\n", "a", "x\r\n"},
		"with a mark":                 {"a\n", ByteOrderMark + "a\r\n", ByteOrderMark + "b\r\n", ByteOrderMark + "a\r\n", "x\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			was := Current{Text: c.text, Exists: true, Open: true}
			now := was.Like(c.before, c.after)
			require.Equal(t, c.want, now.Text)
			require.Equal(t, c.shown, now.Shown("x\r\n"))
			require.Equal(t, c.want, now.Marked(c.text), "what the client sends is the text again")
			require.Equal(t, Current{}, Current{}.Like(c.before, c.after), "a missing file")
		})
	}
}
