package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRenamed_ReplacesWholePathsOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "",
		"/src":                     "/tree/work",
		"/src/a.go:3: x /src/b.go": "/tree/work/a.go:3: x /tree/work/b.go",
		"-o=/src/x":                "-o=/tree/work/x",
		`{"Dir":"/src","n":1}`:     `{"Dir":"/tree/work","n":1}`,
		"/srcs/a /src2 /src-x":     "/srcs/a /src2 /src-x",
		"/usr/src/a http://h/src":  "/usr/src/a http://h/src",
		"/src.":                    "/src.",
	} {
		require.Equal(t, want, string(renamed([]byte(text), "/src", "/tree/work")), text)
	}
	require.Equal(t, "a /src", string(renamed([]byte("a /src"), "", "/x")), "nothing is shown elsewhere")
}
