package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRenamed_ReplacesWholePathsOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                               "",
		"/folder":                        "/tree/work",
		"/folder/a.go:3: x /folder/b.go": "/tree/work/a.go:3: x /tree/work/b.go",
		"-o=/folder/x":                   "-o=/tree/work/x",
		`{"Dir":"/folder","n":1}`:        `{"Dir":"/tree/work","n":1}`,
		"/folders/a /folder2 /folder-x":  "/folders/a /folder2 /folder-x",
		"/my/folder/a http://h/folder":   "/my/folder/a http://h/folder",
		`{"Output":"\t/folder/a.go:1\n\u003c/folder"}`: `{"Output":"\t/tree/work/a.go:1\n\u003c/tree/work"}`,
		"/folder.": "/folder.",
	} {
		require.Equal(t, want, string(renamed([]byte(text), "/folder", "/tree/work")), text)
	}
	require.Equal(t, "a /folder", string(renamed([]byte("a /folder"), "", "/x")), "nothing is shown elsewhere")
}
