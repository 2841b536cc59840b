package crash

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine"
	"forge/engine/flow"
	"forge/engine/shadow"
	"forge/engine/workspace"
	"forge/internal/sqlite"
	"forge/lsp"
	"forge/memory"
	"forge/memory/transcript"
)

// long makes every test of this package as thorough as it is meant to be before a release: hours instead of minutes.
var long = flag.Bool("long", false, "kill at every passing, at 200 random times and at every system call")

// rounds is how often something is done that chance decides.
func rounds(short, all int) int {
	if *long {
		return all
	}
	return short
}

// Without a death the run goes through, and each call is made once: with Go's own tools, and with those that the other
// tests have instead.
func TestRunUndisturbed(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]*stage{"with Go": newStage(t, t.TempDir()), "quick": newStage(t, t.TempDir()).quick()} {
		t.Run(name, func(t *testing.T) {
			done := s.run(nil, nil)
			require.Zero(t, done.code, done.output)
			require.Len(t, s.model.asked(t), calls, done.output)
			s.requireBoughtOnce("undisturbed", false)
			require.Equal(t, standing, s.requireSettled(done.output, done))
		})
	}
}

// places are all that any package names.
func places() []string {
	return slices.Concat(engine.Failpoints(), flow.Failpoints(), workspace.Failpoints(), shadow.Failpoints(),
		sqlite.Failpoints(), memory.Failpoints(), transcript.Failpoints(), lsp.Failpoints())
}

// scenario is something that people do, and how it goes on after a death in it.
type scenario struct {
	name string
	// dies does it with the program armed; the life that is returned must have been killed.
	dies func(s *stage, place string) life
	// goesOn is what the person does next, and requires what must be true then. It returns what became of it.
	goesOn func(s *stage, about string, killed life) string
}

// aRun is forge run with consent given beforehand. It passes a few places of the engine beside of which other
// things are under way; a call of the model that had not been journaled may be made again then, and no other.
var aRun = scenario{"a run", func(s *stage, place string) life { return s.run(at(place), nil) }, resumed}

// resumed takes the run up again, and demands that it ends as if nothing had happened.
func resumed(s *stage, about string, killed life) string {
	next := s.resume(nil, nil)
	about += "\n" + killed.output + "\n--- resumed:\n" + next.output
	s.requireBoughtOnce(about, true)
	became := s.requireSettled(about, killed, next)
	if became == absent {
		require.Empty(s.t, s.model.asked(s.t), about)
	} else {
		require.Zero(s.t, next.code, about)
	}
	return became
}

// cutOff is the recovery from an apply that was cut off in the middle.
var cutOff = scenario{"recovery", func(s *stage, place string) life {
	require.True(s.t, s.run(at("apply.rename.after:3"), nil).killed)
	return s.resume(at(place), nil)
}, resumed}

// recorded is the recovery from an apply that was cut off after its commit.
var recorded = scenario{"recovery of the ledger", func(s *stage, place string) life {
	require.True(s.t, s.run(at("apply.record.before"), nil).killed)
	return s.resume(at(place), nil)
}, resumed}

// scenarioOf says in which scenario a place is passed: that of the longest prefix.
var scenarioOf = map[string]scenario{
	"": aRun, "recover.back": cutOff, "recover.settle": recorded,
}

func scenarioFor(place string) scenario {
	prefix := ""
	for p := range scenarioOf {
		if strings.HasPrefix(place, p) && len(p) > len(prefix) {
			prefix = p
		}
	}
	return scenarioOf[prefix]
}

// atATime is how many programs these tests have at a time: more only wait for each other.
var atATime = make(chan struct{}, 2)

func one() (release func()) {
	atATime <- struct{}{}
	return func() { <-atATime }
}

// The program is killed at every place that any package names. The next start finds everything in order, and what was
// begun is brought to an end.
func TestKilledAtEveryPlace(t *testing.T) {
	t.Parallel()
	all := places()
	require.GreaterOrEqual(t, len(all), 40)
	var mu sync.Mutex
	table := map[string]string{}
	t.Run("places", func(t *testing.T) {
		for _, place := range all {
			if elsewhere[place] != "" {
				continue
			}
			t.Run(place, func(t *testing.T) {
				t.Parallel()
				defer one()()
				for n := 1; n <= rounds(1, 5); n++ {
					became, passed := diesAt(t, scenarioFor(place), fmt.Sprintf("%s:%d", place, n))
					if !passed {
						require.Greater(t, n, 1, "%s is never passed", place)
						return
					}
					mu.Lock()
					table[place] = scenarioFor(place).name + " → " + became
					mu.Unlock()
				}
			})
		}
	})
	for _, place := range all {
		t.Logf("%-26s %s", place, table[place]+elsewhere[place])
	}
}

func diesAt(t *testing.T, sc scenario, place string) (became string, passed bool) {
	t.Helper()
	s := newStage(t, t.TempDir()).quick()
	killed := sc.dies(s, place)
	if !killed.killed {
		return "", false
	}
	return sc.goesOn(s, place+" of "+sc.name, killed), true
}

// elsewhere are the places that another test kills the program at.
var elsewhere = map[string]string{
	"recover.keep.before": "TestRecoveryKeepsWhatAPersonChanged", "recover.keep.after": "TestRecoveryKeepsWhatAPersonChanged",
	"recover.damaged.before": "TestDamagedJournalIsPutAside", "recover.damaged.after": "TestDamagedJournalIsPutAside",
}
