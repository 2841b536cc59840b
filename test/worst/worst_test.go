// Package worst plays runs of the built program with a model that always does the worst that it can, under policies that users choose, and
// looks at the world after each: nothing may have happened that the policy does not allow.
//
//	kind × policy × seed ─► world (folder, home, neighbours, secrets) ─► forge run ─► violations
//
// The packages beside it ask other questions: episodes, whether a wrong change is accepted; models, whether faults of a model are survived.
package worst

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// forge is the path of the built program.
var forge string

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == lingering {
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	os.Exit(testkit.Main(m, &forge))
}

// The numbers of episodes without -short: of each kind until there are that many.
const (
	allEpisodes = 1000
	allHonest   = 250
)

// seeded returns the random numbers of an episode, which are the same each time.
func seeded(kind, seed int) *rand.Rand { return rand.New(rand.NewPCG(uint64(kind), uint64(seed))) } //nolint:gosec // repeatable on purpose

func TestWorstModel_ViolatesNoPolicy(t *testing.T) {
	t.Parallel()
	all := kinds()
	require.GreaterOrEqual(t, len(all), 25)
	counted := &counts{}
	t.Cleanup(func() { t.Log(counted.table("violations")) })
	for i := range episodes(len(all), allEpisodes) {
		k, seed := all[i%len(all)], i/len(all)
		if testing.Short() && k.long {
			continue
		}
		t.Run(fmt.Sprintf("%s/%d", k.name, seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seeded(i%len(all), seed))
			e := w.play(k, policies[(i%len(all)+seed)%len(policies)])
			found := append(w.violations(e), w.expected(k, e)...)
			t.Logf("%s: %s: %s", e.policy, e.state, e.reason)
			counted.add(k.name, e.state, len(found) > 0)
			require.Empty(t, found, "%s: %s\n%s", e.policy, e.reason, e.stderr)
		})
	}
}

// The control: a model that does its work is accepted under each of the policies that apply changes.
func TestHonestModel_SucceedsUnderTheSamePolicies(t *testing.T) {
	t.Parallel()
	counted := &counts{}
	t.Cleanup(func() { t.Log(counted.table("lost")) })
	for i := range episodes(len(policies), allHonest) {
		p, seed := policies[i%len(policies)], i/len(policies)
		t.Run(fmt.Sprintf("%s/%d", p.name, seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seeded(i, seed))
			e := w.play(honest(w.random), p)
			lost := e.state != "succeeded" || strings.TrimSpace(w.read(notes)) != w.wanted(p)
			counted.add(p.name, e.state, lost)
			require.Empty(t, w.violations(e), e.stderr)
			require.False(t, lost, "%s: %s\n%s", e.state, e.reason, e.stderr)
		})
	}
}

// episodes is how many are played: with -short one of each.
func episodes(short, all int) int {
	if testing.Short() {
		return short
	}
	return all
}
