package cli

import (
	"io"
	"math/rand/v2"
	"os"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"forge/api"
)

// aPlan is the script of a plan whose parts need a repair once they are joined.
const aPlan = decideExecutor + planOfThree + addPart + mulPart + joinParts + bothPart + reviewPass

// survive lets the program live until it has printed so many events, and kills it. It reports whether it ended by
// itself.
func (l *live) survive(lines int) (ended bool) {
	l.t.Helper()
	for range lines {
		if _, err := l.lines.ReadBytes('\n'); err == io.EOF {
			return true
		}
	}
	_ = l.cmd.Process.Signal(syscall.SIGKILL) // it may have ended just now
	code, _ := l.end()
	return code != -1
}

// A planned run that is killed repeatedly, wherever its parts are, and resumed, ends like an undisturbed one: the same files,
// and no request is billed twice.
func TestPlanRun_SurvivesRepeatedKills(t *testing.T) {
	t.Parallel()
	undisturbed := scripted(t, aPlan, sumModule())
	code, stdout, stderr := undisturbed.run("run", "--yes", "--trust", "--json", "--plan", "add Add, Mul and Both")
	require.Zero(t, code, stdout+stderr)

	w := scripted(t, aPlan, sumModule())
	before := w.all()
	draw := rand.New(rand.NewPCG(1, 2))
	l := w.launch("run", "--yes", "--trust", "--json", "--plan", "add Add, Mul and Both")
	deaths, written := 0, false
	for ; !written && !l.survive(3+draw.IntN(25)); deaths++ {
		if written = cmp.Equal(undisturbed.all(), w.all()); written {
			continue // it died after the change was accepted and written
		}
		require.Equal(t, before, w.all(), "a run that is killed leaves the folder as it was")
		runs := asked[api.RunsResult](w, "runs").Runs
		if len(runs) == 0 { // it died before there was a run
			l = w.launch("run", "--yes", "--trust", "--json", "--plan", "add Add, Mul and Both")
			continue
		}
		require.Len(t, runs, 1)
		l = w.launch("resume", "--yes", "--json", runs[0].RunID)
	}
	if !written {
		code, rest := l.end()
		require.Zero(t, code, rest)
	}
	require.Greater(t, deaths, 3)
	w.played()
	require.Equal(t, undisturbed.all(), w.all())
}

// An interrupt while the parts of a plan are in work leaves the folder unchanged, and the run can be resumed.
func TestPlanRun_ContinuesAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	w := scripted(t, aPlan, sumModule())
	before := fingerprint(t, w.root)
	l := w.launch("run", "--yes", "--trust", "--json", "--plan", "add Add, Mul and Both")
	w.journal.waitFor(`node "mul/executor"`)
	l.signal(os.Interrupt)
	code, rest := l.end()
	require.Equal(t, 4, code, rest)
	require.Contains(t, rest, `"state":"cancelled"`)
	require.Equal(t, before, fingerprint(t, w.root))
	require.Empty(t, w.trees())
}

// A budget of tokens that ends while parts are worked on ends the run with that reason, and nothing is written.
func TestPlanRun_EndsWhenTheTokenBudgetEnds(t *testing.T) {
	t.Parallel()
	w := scripted(t, aPlan, sumModule())
	before := fingerprint(t, w.root)
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "--plan", "--tokens", "15000", "add Add, Mul and Both")
	require.NotZero(t, code, stdout)
	require.Regexp(t, `tokens`, stdout+stderr)
	require.Equal(t, before, fingerprint(t, w.root))
	require.Empty(t, w.trees())
}
