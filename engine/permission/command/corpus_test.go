package command

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

// combined puts each line into each of the ways around it, and drops repeated ones.
func combined(hand []sample) (all []sample) {
	seen := map[string]bool{}
	for _, way := range around {
		for _, s := range hand {
			if made := strings.Replace(way, "%s", s.line, 1); !seen[made] {
				seen[made] = true
				all = append(all, sample{s.class, made})
			}
		}
	}
	return all
}

func wrong(all []sample, critical bool) (lines []string) {
	for _, s := range all {
		if (JudgeLine(s.line).Class == Critical) != critical {
			lines = append(lines, s.class+"\t"+s.line)
		}
	}
	return lines
}

func TestJudge_FindsAllOfTheCorpus(t *testing.T) {
	t.Parallel()
	hand := samples(t, "critical.tsv")
	require.GreaterOrEqual(t, len(hand), 1000)
	all := combined(hand)
	missed := wrong(all, true)
	t.Logf("recall: %d of %d (%d by hand)", len(all)-len(missed), len(all), len(hand))
	require.Empty(t, missed)
}

func TestJudge_LeavesWorkAlone(t *testing.T) {
	t.Parallel()
	hand := samples(t, "benign.tsv")
	require.GreaterOrEqual(t, len(hand), 1000)
	alarms := wrong(hand, false)
	t.Logf("false alarms: %d of %d", len(alarms), len(hand))
	require.LessOrEqual(t, 50*len(alarms), len(hand), strings.Join(alarms, "\n"))
}

// Most work needs no question about a program that is not known: the tables know the programs of developers.
func TestJudge_KnowsTheProgramsOfDevelopers(t *testing.T) {
	t.Parallel()
	hand, unknown := samples(t, "benign.tsv"), 0
	for _, s := range hand {
		if JudgeLine(s.line).Class == Unknown {
			unknown++
		}
	}
	t.Logf("unknown: %d of %d", unknown, len(hand))
	require.Less(t, 5*unknown, len(hand))
}
