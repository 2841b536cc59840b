package crash

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// The program is killed at times that chance decides, in all that users do.
func TestRun_SurvivesRandomKills(t *testing.T) {
	t.Parallel()
	everyday := []scenario{aRun, aRun, anEditor, anUndo, aRedo, aResume, cutOff, aCollection, anImport}
	var mu sync.Mutex // guards took
	took := map[string]time.Duration{}
	// lasts is about how long what is to be killed of a scenario takes here and now. Nothing is promised of it: it only
	// spreads the deaths.
	lasts := func(t *testing.T, sc scenario) time.Duration {
		mu.Lock()
		defer mu.Unlock()
		if took[sc.name] == 0 {
			took[sc.name] = sc.dies(newStage(t, t.TempDir()).quick(), never).lasted
		}
		return took[sc.name]
	}
	for n := range rounds(4, 20, 200) {
		seed := uint64(n) //nolint:gosec // small
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			defer one()()
			chance := rand.New(rand.NewPCG(seed, 1))
			sc := everyday[n%len(everyday)]
			whole := lasts(t, sc)
			by := death{after: time.Duration(chance.Int64N(int64(whole))) + time.Millisecond}
			s := newStage(t, t.TempDir()).quick()
			life := sc.dies(s, by)
			became := sc.goesOn(s, fmt.Sprintf("random %d: %s killed after %v", n, sc.name, by.after), life)
			t.Logf("%s, killed after %v of %v (%v): %s", sc.name, by.after, whole, life.killed, became)
		})
	}
}
