package sandbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRenamed_ReplacesWholePathsOnly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "",
		"/project":                         "/scratch",
		"/project/a.go:3: x /project/b.go": "/scratch/a.go:3: x /scratch/b.go",
		"-o=/project/x":                    "-o=/scratch/x",
		`{"Dir":"/project","n":1}`:         `{"Dir":"/scratch","n":1}`,
		"/projects/a /project2 /project-x": "/projects/a /project2 /project-x",
		"/my/project/a http://h/project":   "/my/project/a http://h/project",
		`{"Output":"\t/project/a.go:1\n\u003c/project"}`: `{"Output":"\t/scratch/a.go:1\n\u003c/scratch"}`,
		"/project.": "/project.",
	} {
		require.Equal(t, want, string(renamed([]byte(text), "/project", "/scratch")), text)
	}
	require.Equal(t, "a /project", string(renamed([]byte("a /project"), "", "/x")), "nothing is shown elsewhere")
}
