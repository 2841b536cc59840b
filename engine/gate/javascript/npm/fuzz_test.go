package npm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Whatever a call and settings say, a narrowed call names the file that it is narrowed to, and reads like one that executes it.
func FuzzSelect(f *testing.F) {
	f.Add("--require ./a --spec test/*.js --exit", `{"spec": ["test"], "timeout": 9}`)
	f.Add("test/", "recursive: true\nextension: [js]\n")
	f.Add("-r esm test -- a", `{"": 1, "extends": "x"}`)
	f.Add("run test/**/*.{js,ts} --test=1", "")
	f.Fuzz(func(t *testing.T, call, settings string) {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "test"), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "test", "a.test.js"), nil, 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, ".mocharc.yml"), []byte(settings), 0o600))
		p, err := Open(tree(dir))
		require.NoError(t, err)
		var words []Word
		for text := range strings.FieldsSeq(call) {
			words = append(words, Word{Text: text})
		}
		for program := range selectors {
			s, ok := Select(p, Call{Program: program, Args: words})
			if !ok || !s.Takes("test/a.test.js") {
				continue
			}
			narrow := s.To(Call{Program: program}, []string{"test/a.test.js"})
			require.NotEmpty(t, narrow.Args)
			if program != "uvu" {
				require.Equal(t, "./test/a.test.js", filepath.ToSlash(narrow.Args[len(narrow.Args)-1].Text))
			}
		}
	})
}
