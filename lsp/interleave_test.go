package lsp_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
	"forge/engine/execution"
	"forge/internal/testkit"
	"forge/patch"
)

// typist types unique texts, and records them: lines, and the beginnings of lines.
type typist struct {
	d     *harness
	mu    sync.Mutex // guards what follows; the editor may type while it applies, too
	rand  *rand.Rand
	typed []string
}

// line types a line at a random place of calc.go, or before the text of a line.
func (p *typist) line() {
	p.mu.Lock()
	defer p.mu.Unlock()
	u := p.d.uri("calc.go")
	lines := strings.Count(p.d.Text(u), "\n")
	text := fmt.Sprintf("// typed %d\n", len(p.typed))
	if p.rand.IntN(2) == 0 {
		text = fmt.Sprintf("/* typed %d */", len(p.typed))
	}
	p.d.Edit(u, insert(uint32(p.rand.IntN(lines+1)), text))
	p.typed = append(p.typed, text)
}

// maybe types none, one or two lines.
func (p *typist) maybe() {
	for range p.rand.IntN(3) {
		p.line()
	}
}

// Nothing that the user types is lost, at any time: before the plan, between the plan and the edit,
// between the edit and the answer, and after it.
func TestApply_NoTypedLineIsLost(t *testing.T) {
	interleavings := testkit.Cases(100, 1000)
	bubble(t, func(t *testing.T) {
		applied, conflicts := 0, 0
		var base string
		e := &fakeEngine{}
		d := start(t, map[string]string{"calc.go": calcGo}, e)
		d.Open(d.uri("calc.go"), "go", calcGo)
		own := d.applyEdit()
		for seed := range uint64(interleavings) {
			base = reset(d, calcGo)
			e.script = proposingOn(base)
			p := &typist{d: d, rand: rand.New(rand.NewPCG(seed, 1))}
			d.Handle(protocol.MethodWorkspaceApplyEdit, func(params []byte) (any, error) {
				p.maybe() // the edit is stale now, if anything was typed
				answer, err := own(params)
				p.maybe()
				return answer, err
			})
			d.proposal()
			p.maybe()
			result := d.apply(nil)
			p.maybe()
			text := d.Text(d.uri("calc.go"))
			checkNothingLost(t, seed, p.typed, base, text)
			require.NoError(t, d.execute(api.RejectProposal, nil, nil))
			applied += strings.Count(strings.Join(states(result), " "), "applied")
			if slices.Contains(states(result), "conflict") || slices.Contains(states(result), "partial") {
				conflicts++
			}
		}
		require.Greater(t, applied, interleavings/10, "the test must reach the merge")
		require.Greater(t, conflicts, interleavings/10, "and the conflict")
	})
}

// reset restores the text with one edit, as a user does who selects all and pastes.
func reset(d *harness, text string) string {
	end := protocol.Position{Line: 1 << 20}
	d.Edit(d.uri("calc.go"), protocol.TextEdit{Range: protocol.Range{End: end}, NewText: text})
	return text
}

func proposingOn(base string) func(context.Context, *scriptedRun) execution.Result {
	return proposing(patch.FileChange{Kind: patch.Update, Path: "calc.go", Before: base, After: bothCalc})
}

func checkNothingLost(t *testing.T, seed uint64, typed []string, base, text string) {
	t.Helper()
	require.Empty(t, whatIsWrong(typed, base, text), "interleaving %d:\n%s", seed, text)
}

// whatIsWrong checks that the text is the base, what was typed and the run's lines, each once: without
// what was typed, what is left is one of the four ways of taking two hunks. Empty is all right.
func whatIsWrong(typed []string, base, text string) string {
	rest := text
	for _, one := range typed {
		if n := strings.Count(rest, one); n != 1 {
			return fmt.Sprintf("%q is there %d times", one, n)
		}
		rest = strings.Replace(rest, one, "", 1)
	}
	ways := []string{base, fixedCalc, bothCalc, strings.Replace(bothCalc, "adds two numbers.", "adds.", 1)}
	if !slices.Contains(ways, rest) {
		return "other lines were changed"
	}
	return ""
}

// The twin: an edit that is made although it is stale loses what was typed, and the check sees it.
func TestApply_LostLineIsSeen(t *testing.T) {
	t.Parallel()
	typed := []string{"// typed 0\n"}
	require.Empty(t, whatIsWrong(typed, calcGo, "// typed 0\n"+calcGo))
	require.Contains(t, whatIsWrong(typed, calcGo, calcGo), "0 times")
	require.Contains(t, whatIsWrong(typed, calcGo, "// typed 0\n"+strings.Replace(calcGo, "Mul(", "", 1)), "other lines")
}
