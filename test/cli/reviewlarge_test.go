package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A change that no prompt can hold is reviewed all the same, and what the reviewer did not see is named: to the reviewer, and to the user unless it
// is only text that goes.
func TestReview_TakesALargeDiff(t *testing.T) {
	t.Parallel()
	long := "package sum\n\n" + strings.Repeat("// 1, 2, 3, 4, 5, 6, 7 and 8\n", 3500)
	gone := sumModule()
	gone["old.go"] = long + strings.Repeat("// 9\n", 100_000)
	args, err := json.Marshal(map[string]string{"path": "new.go", "content": long})
	require.NoError(t, err)
	const sawPart = "saw only the beginning of new.go"
	for name, c := range map[string]struct {
		files        map[string]string
		args         []string
		asked        string
		most         int // of the request, in bytes
		says, spares []string
	}{
		"a large file is deleted": {
			gone, []string{"delete_file", "--args", `{"path": "old.go"}`}, "old.go: ", 10_000, []string{"applied old.go"}, []string{"saw only the beginning of", "tokens are allowed"},
		},
		"a large file is written": {
			sumModule(), []string{"write_file", "--args", string(args)}, "new.go: ", 125_000, []string{"applied new.go", sawPart}, []string{"tokens are allowed"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := strings.Replace(reviewPass, "{node: review}", `{node: review, contains: ["`+c.asked+`", "lines of the diff are shown"]}`, 1)
			w := scripted(t, asked, c.files)
			wire := w.tap()
			code, _, stderr := w.run(append([]string{"run", "--trust", "--yes", "--tool"}, c.args...)...)
			require.Zero(t, code, stderr)
			for _, said := range c.says {
				require.Contains(t, stderr, said)
			}
			for _, hidden := range c.spares {
				require.NotContains(t, stderr, hidden)
			}
			require.Len(t, wire.requests(), 1)
			require.Less(t, len(wire.requests()[0]), c.most)
			w.played()
		})
	}
}
