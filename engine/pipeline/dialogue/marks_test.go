package dialogue

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"
)

type oneFile struct{ path, text string }

func (f oneFile) ReadFile(path string) ([]byte, error) {
	if path != f.path {
		return nil, fs.ErrNotExist
	}
	return []byte(f.text), nil
}

// A model that copies what stands for a secret would destroy the secret.
func TestAnswer_MarkIsNeverWritten(t *testing.T) {
	t.Parallel()
	const mark = "[redacted: STRIPE_KEY]"
	file := oneFile{"a.go", "package a\n\nconst key = \"true one\"\n\nvar x = 1\n"}
	patchOf := func(lines string) answer {
		return answer{Patch: "*** Begin Patch\n*** Update File: a.go\n@@\n" + lines + "*** End Patch"}
	}
	for name, c := range map[string]struct {
		answer  answer
		refusal string // empty: none
	}{
		"a whole file":        {answer{Files: []fileEdit{{Path: "a.go", Action: "write", Content: "package a\n\nconst key = \"" + mark + "\"\n"}}}, "writes " + mark + " into a.go"},
		"a new file":          {answer{Files: []fileEdit{{Path: "b.go", Action: "create", Content: "// " + mark + "\n"}}}, "writes " + mark + " into b.go"},
		"a line of a patch":   {patchOf(" var x = 1\n+var y = \"" + mark + "\"\n"), "writes " + mark},
		"a place to be found": {patchOf(" const key = \"" + mark + "\"\n+var y = 2\n"), "so no line matches"},
		"beside it":           {patchOf(" var x = 1\n+var y = 2\n"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := c.answer.resolve(file)
			if c.refusal == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.refusal)
		})
	}
	own := oneFile{"a.go", "// Mark is like " + mark + "\nvar x = 1\n"}
	_, err := patchOf("-var x = 1\n+var x = 2\n").resolve(own)
	require.NoError(t, err, "a file may have had it before")
}
