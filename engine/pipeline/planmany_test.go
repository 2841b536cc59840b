package pipeline

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/graph"
	"forge/engine/pipeline/work"
	"forge/internal/testkit"
)

// drawnTask is a plan of many parts: part i writes the file f<i>, and depends on up to two earlier ones.
type drawnTask struct {
	after  [][]int
	script strings.Builder // of the models, but for the planner
	parts  []string        // as drawnPlan has them
}

func drawTask(n int, seed uint64) *drawnTask {
	draw := rand.New(rand.NewPCG(seed, uint64(n)))
	d := &drawnTask{after: make([][]int, n)}
	for i := range n {
		var after []string
		for range min(i, draw.IntN(3)) {
			if b := max(0, i-1-draw.IntN(8)); !slices.Contains(d.after[i], b) {
				d.after[i], after = append(d.after[i], b), append(after, fmt.Sprint("p", b))
			}
		}
		d.parts = append(d.parts, fmt.Sprintf("p%d: f%d after %s", i, i, strings.Join(after, ", ")))
	}
	return d
}

// does adds what the models of part i say if it succeeds.
func (d *drawnTask) does(i int) { d.script.WriteString(doing(name(i), fmt.Sprint("f", i), text(i))) }

func name(i int) string { return fmt.Sprint("p", i) }
func text(i int) string { return fmt.Sprintf("text of %d.", i) }

// waits returns the parts that depend on one, directly or not, and itself.
func (d *drawnTask) waits(on int) (all []int) {
	all = []int{on}
	for i := on + 1; i < len(d.after); i++ {
		if slices.ContainsFunc(d.after[i], func(b int) bool { return slices.Contains(all, b) }) {
			all = append(all, i)
		}
	}
	return all
}

// begin is an episode with this plan.
func (d *drawnTask) begin(t *testing.T, planner string) *episode {
	t.Helper()
	e := planned(t, planner+d.script.String()).given(2)
	e.env.Tasks, e.env.Writers = 4, 4
	return e
}

// requireTree requires the result of all parts but some.
func (d *drawnTask) requireTree(t *testing.T, r Result, missing ...int) {
	t.Helper()
	want := map[string]string{}
	for i := range d.after {
		if !slices.Contains(missing, i) {
			want[fmt.Sprint("f", i)], want[fmt.Sprintf("f%d_test", i)] = text(i), text(i)
		}
	}
	got := texts(r)
	delete(got, "a")
	require.Equal(t, want, got)
}

// sizes are how many parts plans have.
func sizes() []int { return testkit.Sample(2, []int{2, 20, 7, 60}) }

// Whatever a planner does wrong, a plan of any size comes to the right tree; each answer of a model is asked for once, also if the run is
// cut off and played again in another order.
func TestPlanMany_RightTreeWhateverThePlannerDoes(t *testing.T) {
	t.Parallel()
	for _, n := range sizes() {
		for kind, planner := range map[string]func(d *drawnTask) string{
			"is right": func(d *drawnTask) string { return drawnPlan("planner", d.parts...) },
			"draws a circle first": func(d *drawnTask) string {
				circle := slices.Clone(d.parts)
				circle[0] = "p0: f0 after " + name(n-1)
				circle[n-1] += map[bool]string{true: "p0", false: ", p0"}[len(d.after[n-1]) == 0]
				return drawnPlan("planner", circle...) + drawnPlan("planner", d.parts...)
			},
			"gives a file to two parts": func(d *drawnTask) string {
				text := drawnPlan("planner", d.parts...)
				return strings.Replace(text, "files: [f0, f0_test]", "files: [f0, f0_test, f1]", 1)
			},
			"invents a part to wait for": func(d *drawnTask) string {
				return strings.Replace(drawnPlan("planner", d.parts...), "dependsOn: []", "dependsOn: [nobody]", 1)
			},
			"forgets a file": func(d *drawnTask) string {
				last := n - 1
				before := partWork(name(last), fmt.Sprint("f", last), text(last))
				forgetful := strings.Replace(before, "files: [", `files: [{path: a, action: write, content: "one and all"}, `, 1)
				was := d.script.String()
				d.script.Reset()
				d.script.WriteString(strings.Replace(was, before, forgetful, 1))
				return drawnPlan("planner", d.parts...)
			},
			"hides that a part needs a file of another": func(d *drawnTask) string {
				last := n - 1
				d.parts[last] = fmt.Sprintf("p%d: f%d", last, last)
				d.after[last] = nil
				before := partWork(name(last), fmt.Sprint("f", last), text(last))
				was := d.script.String()
				d.script.Reset()
				d.script.WriteString(strings.Replace(was, before, fmt.Sprintf(`
- {match: {node: p%d/executor, contains: [You implement]}, reply: {json: {explanation: i, files: [], patch: "", blocked: "f0 must be there first"}}}`, last)+before, 1))
				return drawnPlan("planner", d.parts...)
			},
		} {
			t.Run(fmt.Sprintf("%d parts, a planner that %s", n, kind), func(t *testing.T) {
				t.Parallel()
				p := playedWhole(t, func(t *testing.T) *episode {
					d := drawTask(n, 7)
					for i := range n {
						d.does(i)
					}
					d.script.WriteString(reviewPass)
					return d.begin(t, planner(d))
				})
				drawTask(n, 7).requireTree(t, p.want)
				draw := rand.New(rand.NewPCG(uint64(n), 3))
				for range testkit.Cases(1, 6) {
					p.cutAt(t, 1+draw.IntN(p.steps), draw.IntN(2) == 0, order(draw.IntN(1000)), order(draw.IntN(1000)))
				}
			})
		}
	}
}

// A part in the middle that gives up leaves out what waits for it and nothing else; resumed, the run asks only for that.
func TestPlanMany_PartInTheMiddleGivesUp(t *testing.T) {
	t.Parallel()
	for _, n := range sizes() {
		t.Run(fmt.Sprint(n, " parts"), func(t *testing.T) {
			t.Parallel()
			d := drawTask(n, 7)
			bad := n / 3
			gone := d.waits(bad)
			for i := range n {
				switch {
				case i == bad:
					d.script.WriteString(givingUp(name(i), fmt.Sprint("f", i), text(i)))
				case !slices.Contains(gone, i):
					d.does(i)
				}
			}
			rest := `
- {match: {node: debugger}, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: begin with an empty file}}}` +
				partWork(name(bad), fmt.Sprint("f", bad), text(bad)) + partReview(name(bad))
			for _, i := range gone[1:] {
				rest += doing(name(i), fmt.Sprint("f", i), text(i))
			}
			d.script.WriteString(rest + reviewPass)
			e := d.begin(t, drawnPlan("planner", d.parts...))
			first := e.run(t)
			if len(gone) == n { // nothing holds
				require.Equal(t, event.Failed, first.State, first.Reason)
			} else {
				require.Equal(t, event.Blocked, first.State, first.Reason)
				require.Len(t, first.Missing, len(gone))
				d.requireTree(t, first, gone...)
			}
			e.env.Retries = []work.Retry{first.Retry}
			again := e.again(t)
			require.Equal(t, event.Succeeded, again.State, again.Reason)
			require.NoError(t, e.script.Verify())
			d.requireTree(t, again)
		})
	}
}

// simulated works on nodes in simulated time: a node takes as long as it asks models.
type simulated struct {
	asked   func() int
	now     int
	running []finishing
}

type finishing struct {
	at   int
	what graph.Finished
}

func (s *simulated) Start(work func() graph.Finished) {
	before := s.asked()
	done := work()
	s.running = append(s.running, finishing{s.now + s.asked() - before, done})
}

func (s *simulated) Next() graph.Finished {
	first := 0
	for i, r := range s.running {
		if r.at < s.running[first].at {
			first = i
		}
	}
	done := s.running[first]
	s.running, s.now = slices.Delete(s.running, first, first+1), done.at
	return done.what
}

// On four permits a plan takes no longer than 1.2 times what it must: its longest chain of parts, or a quarter of all work.
func TestPlanMany_TakesLittleLongerThanItMust(t *testing.T) {
	t.Parallel()
	for _, n := range sizes() {
		for seed := range uint64(testkit.Cases(1, 5)) {
			t.Run(fmt.Sprint(n, " parts, ", seed), func(t *testing.T) {
				t.Parallel()
				d := drawTask(n, seed)
				for i := range n {
					d.does(i)
				}
				d.script.WriteString(reviewPass)
				e := d.begin(t, drawnPlan("planner", d.parts...))
				workers := &simulated{asked: func() int { return len(e.script.Requests()) }}
				e.env.Pool = func() graph.Pool { return workers }
				result := e.run(t)
				require.Equal(t, event.Succeeded, result.State, result.Reason)
				const ofAPart, besides = 3, 3 // tests, implementation and review; orchestrator, planner and the last review
				longest, chain := 0, make([]int, n)
				for i, after := range d.after {
					chain[i] = ofAPart
					for _, b := range after {
						chain[i] = max(chain[i], chain[b]+ofAPart)
					}
					longest = max(longest, chain[i])
				}
				must := max(longest, (n*ofAPart+3)/4) + besides
				require.LessOrEqual(t, float64(workers.now), 1.2*float64(must), "it must take %d", must)
				require.GreaterOrEqual(t, workers.now, must)
			})
		}
	}
}
