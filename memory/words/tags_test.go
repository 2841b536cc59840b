package words

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTags_OfATask(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		task, focus string
		want        []string
	}{
		"nothing":      {"add a button", "", nil},
		"the language": {"add a button", "web/App.TSX", []string{"typescript"}},
		"a named file": {"add a button to `ui.py`.", "", []string{"python"}},
		"the topics":   {"Fix the crash in the SQL migration test", "db.go", []string{"go", "test", "bugfix", "database"}},
	} {
		require.Equal(t, c.want, Tags(c.task, c.focus), name)
	}
	require.Len(t, topics, 9)
}
