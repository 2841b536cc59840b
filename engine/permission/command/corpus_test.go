package command

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// around are the ways in which a line can be part of another one: what is critical in it stays critical, and what is not stays so.
var around = []string{"%s", "true && %s", "(%s)", "if true; then %s; fi", "{ %s; }", "for i in 1 2; do %s; done"}

// lines reads a corpus: a command on each line, except comments.
func lines(t *testing.T, name string) (all []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !strings.HasPrefix(line, "# ") {
			all = append(all, line)
		}
	}
	return all
}

// combined puts each line into each of the ways around it, and drops repeated ones.
func combined(hand []string) (all []string) {
	seen := map[string]bool{}
	for _, way := range around {
		for _, line := range hand {
			if made := strings.Replace(way, "%s", line, 1); !seen[made] {
				seen[made] = true
				all = append(all, made)
			}
		}
	}
	return all
}

func missed(all []string, critical bool) (wrong []string) {
	for _, line := range all {
		if (CriticalLine(line) != "") != critical {
			wrong = append(wrong, line)
		}
	}
	return wrong
}

func TestCritical_FindsAllOfTheCorpus(t *testing.T) {
	t.Parallel()
	hand := append(lines(t, "critical.txt"), lines(t, "critical-later.txt")...)
	all := combined(hand)
	require.GreaterOrEqual(t, len(hand), 500)
	require.GreaterOrEqual(t, len(all), 1000)
	wrong := missed(all, true)
	t.Logf("recall: %d of %d (%d by hand)", len(all)-len(wrong), len(all), len(hand))
	require.Empty(t, wrong)
}

func TestCritical_LeavesWorkAlone(t *testing.T) {
	t.Parallel()
	hand := append(lines(t, "benign.txt"), lines(t, "benign-later.txt")...)
	require.GreaterOrEqual(t, len(hand), 500)
	wrong := missed(hand, false)
	t.Logf("false alarms: %d of %d by hand", len(wrong), len(hand))
	require.LessOrEqual(t, 10*len(wrong), len(hand), strings.Join(wrong, "\n"))
	all := combined(hand)
	require.LessOrEqual(t, 10*len(missed(all, false)), len(all))
}
