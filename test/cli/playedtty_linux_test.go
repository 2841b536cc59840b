package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A session that was recorded at a terminal replays there.
func TestPlayed_AtATerminal(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("testdata/played/*.txtar")
	require.NoError(t, err)
	typed := 0
	for _, file := range found {
		f := readFixture(t, file)
		if len(f.typed) == 0 {
			continue
		}
		typed++
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			p := f.play(t)
			require.Len(t, f.commands, 1)
			user := p.sit(named(f.commands[0], "")...)
			for _, line := range f.typed {
				user.sees(line[0])
				user.sees("> ")
				user.types(line[1])
			}
			code, screen := user.leaves()
			p.codes, p.said = []int{code}, screen
			f.judge(t, p)
		})
	}
	require.Positive(t, typed)
}
