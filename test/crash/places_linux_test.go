package crash

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/batch"
	"forge/internal/testkit"
)

// long makes every test of this package as thorough as it is meant to be before a release: hours instead of minutes.
var long = flag.Bool("long", false, "kill at every passing, at 200 random times and at every system call")

// rounds is how often something is done that chance decides: few times with -short, all with -long.
func rounds(few, usual, all int) int {
	if *long {
		return all
	}
	return testkit.Cases(few, usual)
}

// Without a death the run goes through, and each call is made once: with Go's own tools, and with those that the other
// tests have instead.
func TestRun_UndisturbedMakesEachCallOnce(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*stage{"with Go": newStage(t, t.TempDir()), "quick": newStage(t, t.TempDir()).quick()} {
		t.Run(name, func(t *testing.T) {
			done := s.run(never)
			require.Zero(t, done.code, done.output)
			require.Len(t, s.model.asked(t), calls, done.output)
			s.requireBoughtOnce("undisturbed")
			require.Equal(t, standing, s.requireSettled(done.output, done))
		})
	}
}

// places are all that any package names.
func places() []string {
	return testkit.Failpoints("engine/execution", "engine/history", "engine/state", "engine/activity", "engine/spend", "engine/flow", "engine/workspace", "engine/shadow",
		"internal/sqlite", "engine/batch", "memory", "lsp/review")
}

// atATime is how many programs these tests have at a time: more only wait for each other.
var atATime = make(chan struct{}, 2)

func one() (release func()) {
	atATime <- struct{}{}
	return func() { <-atATime }
}

// The program is killed at every place that any package names. The next start finds everything in order, and what was
// begun is brought to an end.
func TestRun_SurvivesAKillAtEveryFailpoint(t *testing.T) {
	t.Parallel()
	all := places()
	for place := range elsewhere {
		require.Contains(t, all, place, "no package names it any more")
	}
	require.GreaterOrEqual(t, len(all)-len(elsewhere), 40)
	var mu sync.Mutex
	table := map[string]string{}
	t.Run("places", func(t *testing.T) {
		for _, place := range testkit.Sample(6, killedHere(all)) {
			for _, sc := range testkit.Sample(1, scenariosFor(place)) {
				t.Run(place+" of "+sc.name, func(t *testing.T) {
					t.Parallel()
					defer one()()
					became := everyPassing(t, sc, place)
					mu.Lock()
					defer mu.Unlock()
					table[place] += sc.name + " → " + became + "; "
				})
			}
		}
	})
	for _, place := range all {
		t.Logf("%-26s %s", place, strings.TrimSuffix(table[place], "; ")+elsewhere[place])
	}
}

// killedHere are the places that no other test kills a process at.
func killedHere(all []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(place string) bool { return elsewhere[place] != "" })
}

// everyPassing kills the program in a scenario at a place, the first time it is passed, or the first five.
func everyPassing(t *testing.T, sc scenario, place string) (became string) {
	t.Helper()
	for n := 1; n <= rounds(1, 1, 5); n++ {
		s := newStage(t, t.TempDir()).quick()
		armed := fmt.Sprintf("%s:%d", place, n)
		killed := sc.dies(s, at(armed))
		if !killed.killed {
			require.Greater(t, n, 1, "%s is never passed:\n%s", place, killed.output)
			return became
		}
		became = sc.goesOn(s, armed+" of "+sc.name, killed)
	}
	return became
}

// elsewhere are the places that another test kills a process at, and why this one does not.
var elsewhere = map[string]string{
	"recover.keep.before": "TestRecovery_KeepsUserEdits", "recover.keep.after": "TestRecovery_KeepsUserEdits",
	"recover.damaged.before": "TestRecovery_QuarantinesADamagedEntry", "recover.damaged.after": "TestRecovery_QuarantinesADamagedEntry",
	"apply.folder.after": "TestApply_KilledAtEveryFailpointIsAtomic",
	// Failpoints that no run reaches today: their own packages test them.
	"shadow.gc.refs": noAge, "shadow.gc.refs.dropped": noAge,
	batch.FailGather: noBatch, batch.FailGathered: noBatch, batch.FailLabel: noBatch, batch.FailLabelled: noBatch,
	batch.FailSubmitting: noBatch, batch.FailAccepted: noBatch, batch.FailAcceptedKept: noBatch, batch.FailLook: noBatch,
	batch.FailFound: noBatch, batch.FailResults: noBatch, batch.FailResultsKept: noBatch, batch.FailDeliver: noBatch,
	batch.FailDelivered: noBatch, batch.FailAbandon: noBatch, batch.FailAbandoned: noBatch, batch.FailCancelled: noBatch,
}

const (
	noAge   = "engine/shadow: a ref is dropped a day after its run at the earliest"
	noBatch = "engine/batch: TestCrash_KilledAtEveryPlace and TestCrash_KilledWhileAbandoning there; delivery by batch must be asked for"
)
