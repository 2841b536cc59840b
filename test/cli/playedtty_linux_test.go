package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// A session that was recorded at a terminal replays there.
func TestPlayed_AtATerminal(t *testing.T) {
	t.Parallel()
	found, err := filepath.Glob("testdata/played/*.txtar")
	require.NoError(t, err)
	fixtures := map[string]fixture{}
	for _, file := range found {
		if f := readFixture(t, file); len(f.typed) > 0 {
			fixtures[strings.TrimSuffix(filepath.Base(file), ".txtar")] = f
		}
	}
	require.NotEmpty(t, fixtures)
	for name, f := range testkit.SampleMap(0, fixtures, "python-plan-revised-by-the-user") {
		t.Run(name, func(t *testing.T) {
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
}
