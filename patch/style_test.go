package patch

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAdoptStyle(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, text, want string }{
		"plain":            {"a\n", "b\nc\n", "b\nc\n"},
		"CRLF":             {"a\r\nb\r\n", "x\ny\n", "x\r\ny\r\n"},
		"byte order mark":  {"\ufeffa\n", "b\n", "\ufeffb\n"},
		"no final newline": {"a\nb", "x\ny\n", "x\ny"},
		"final newline":    {"a\n", "x\ny", "x\ny\n"},
		"new file":         {"", "x\r\n", "x\r\n"},
		"emptied":          {"a\r\n", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, c.want, AdoptStyle(c.before, c.text))
		})
	}
}
