package permission

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sample is a line of a corpus with its class: the way of the attack, or where the work was found.
type sample struct{ class, line string }

// around are the ways in which a line can be part of another one: what is critical in it stays critical, and what is not stays so.
var around = []string{"%s", "true && %s", "(%s)", "if true; then %s; fi", "{ %s; }", "for i in 1 2; do %s; done"}

// samples reads a corpus: a class, a tab and a command on each line, except comments.
func samples(t *testing.T, name string) (all []sample) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	for line := range strings.Lines(string(data)) {
		if class, command, is := strings.Cut(strings.TrimSuffix(line, "\n"), "\t"); is && !strings.HasPrefix(line, "# ") {
			all = append(all, sample{class, command})
		}
	}
	return all
}

// combined puts each line into each of the ways around it, with -short into the first two, and drops repeated ones.
func combined(hand []sample) (all []sample) {
	seen, ways := map[string]bool{}, around
	if testing.Short() {
		ways = around[:2]
	}
	for _, way := range ways {
		for _, s := range hand {
			if made := strings.Replace(way, "%s", s.line, 1); !seen[made] {
				seen[made] = true
				all = append(all, sample{s.class, made})
			}
		}
	}
	return all
}

func TestJudge_FindsAllOfTheCorpus(t *testing.T) {
	t.Parallel()
	hand := samples(t, "critical.tsv")
	require.GreaterOrEqual(t, len(hand), 1000)
	all := combined(hand)
	var missed []string
	for _, s := range all {
		if judgeScript(s.line, 0).Class != Critical {
			missed = append(missed, s.class+"\t"+s.line)
		}
	}
	t.Logf("recall: %d of %d (%d by hand)", len(all)-len(missed), len(all), len(hand))
	require.Empty(t, missed)
}

// Of usual work, at most 2 % is critical, and the tables know the programs of nine lines of ten.
func TestJudge_LeavesWorkAlone(t *testing.T) {
	t.Parallel()
	hand := samples(t, "benign.tsv")
	require.GreaterOrEqual(t, len(hand), 1000)
	counted, alarms := map[DangerClass]int{}, []string{}
	for _, s := range hand {
		f := judgeScript(s.line, 0)
		if counted[f.Class]++; f.Class == Critical {
			alarms = append(alarms, f.Effect+"\t"+s.line)
		}
	}
	t.Logf("false alarms: %d of %d, unknown: %d", len(alarms), len(hand), counted[Unknown])
	require.LessOrEqual(t, 50*len(alarms), len(hand), strings.Join(alarms, "\n"))
	require.Less(t, 10*counted[Unknown], len(hand))
}
