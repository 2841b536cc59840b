// Package episodes plays runs with models that are as bad as models can be, through the built program, and looks whether any of
// them came out green that should not have.
package episodes

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
	"forge/internal/testkit"
)

// forge is the built program.
var forge string

func TestMain(m *testing.M) { os.Exit(testkit.Main(counted{m}, &forge)) }

// mostCalls is how often a model is asked at the most in one run of these.
const mostCalls = 40

// No model, however bad, has a change accepted that does not hold.
func TestFalseGreen_NoModelGetsAWrongChangeAccepted(t *testing.T) {
	t.Parallel()
	all := &counts{byName: map[string]map[string]int{}}
	t.Cleanup(func() { t.Log(all.table()) })
	for _, p := range projects() {
		for _, b := range testkit.Sample(p.few, behaviours()) {
			for _, recipe := range recipes(p, b) {
				t.Run(p.name+"/"+b.name+"/"+recipe, func(t *testing.T) {
					t.Parallel()
					e := play(t, p, b, recipe)
					all.add(b.name, e)
					require.Empty(t, e.falseGreen, e.reason)
					require.LessOrEqual(t, e.calls, mostCalls, "the run ends within its limits")
					require.Contains(t, []string{"blocked", "failed"}, e.state, e.reason)
					require.False(t, e.changed, "nothing is written")
					require.Regexp(t, b.says, e.reason)
					require.NotEmpty(t, e.reason)
					require.NotContains(t, e.reason, "the script does not expect", "each request is answered")
				})
			}
		}
	}
}

// recipes are those that a behaviour is played with: all of them in one language, one in the others, and garbage is of no language.
func recipes(p project, b behaviour) []string {
	switch {
	case p.name == "go" && !b.garbage:
		return testkit.Sample(1, []string{"implement", "fix", "tdd"})
	case p.name == "go":
		return []string{"implement"}
	case b.garbage:
		return nil
	}
	return []string{"fix"}
}

// The twin: a change of a model that does it right is accepted.
func TestFalseGreen_GoodModelIsAccepted(t *testing.T) {
	t.Parallel()
	for _, p := range projects() {
		for _, recipe := range testkit.Sample(1, []string{"implement", "fix", "tdd"}) {
			t.Run(p.name+"/"+recipe, func(t *testing.T) {
				t.Parallel()
				good := behaviour{entries: implemented(func(p project) llmtest.Reply { return write(file{p.source, "create", p.right}) })}
				e := play(t, p, good, recipe)
				require.Equal(t, "succeeded", e.state, e.reason)
				require.True(t, e.changed)
				require.Empty(t, e.falseGreen)
			})
		}
	}
}

// The other twin: what is looked for is found in results that are bad.
func TestFalseGreen_CheckDetectsOne(t *testing.T) {
	t.Parallel()
	for _, p := range projects() {
		for name, bad := range testkit.SampleMap(1, map[string]map[string]string{
			"wrong code":      {p.source: p.wrong, p.test: p.vacuous},
			"code that exits": {p.source: p.vanishing, p.test: p.rightTest},
			"code that lies":  {p.source: p.forging, p.test: p.rightTest},
			"nothing":         {},
		}) {
			t.Run(p.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				root := t.TempDir()
				put(t, root, p.files)
				put(t, root, bad)
				require.NotEmpty(t, p.judge(t, root, p.files))
			})
		}
	}
}
