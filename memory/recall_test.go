package memory

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/memory/words"
)

func learn(t testing.TB, s *Store, c Category, text string, passes, fails int) {
	t.Helper()
	p, err := s.SavePattern(t.Context(), Pattern{Category: c, Text: text, Source: byModel})
	require.NoError(t, err)
	for i := range passes + fails {
		v, err := judged(i < passes, GateReport{Run: fmt.Sprint("run", i), Node: "n", Attempt: 1, Gate: "g", Executed: 1})
		require.NoError(t, err)
		_, err = s.Judge(t.Context(), p.ID, v)
		require.NoError(t, err)
	}
}

// texts are hits in their order.
func texts(hits []Hit) (all []string) {
	for _, h := range hits {
		if h.Pattern != nil {
			all = append(all, h.Pattern.Text)
		} else {
			all = append(all, h.Entry.Key)
		}
	}
	return all
}

func recalled(t testing.TB, p *Project, q Query) []Hit {
	t.Helper()
	hits, err := p.Recall(t.Context(), q)
	require.NoError(t, err)
	return hits
}

func TestRecall_Scores(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	learn(t, p.Store, Convention, "retry the request after a timeout", 3, 0) // both words: first in the project
	learn(t, p.Store, Convention, "a timeout of the linter", 0, 2)           // one word: second
	learn(t, p.Global.Store, Convention, "never retry a payment", 1, 0)      // first in the global memory
	hits := recalled(t, p, Query{Text: "retry timeout"})
	require.Equal(t, []string{"retry the request after a timeout", "never retry a payment", "a timeout of the linter"}, texts(hits))
	want := []float64{1 * (0.5 + 0.5*0.8), 0.8 * (0.5 + 0.5*2./3), (1 - 1./50) * (0.5 + 0.5*0.25)}
	for i, h := range hits {
		require.InDelta(t, want[i], h.Score, 1e-12)
	}
	require.Equal(t, []Scope{ScopeProject, ScopeGlobal, ScopeProject}, []Scope{hits[0].Scope, hits[1].Scope, hits[2].Scope})

	require.Equal(t, []string{"never retry a payment"}, texts(recalled(t, p, Query{Text: "retry", Scope: ScopeGlobal})))
	require.Len(t, recalled(t, p, Query{Text: "retry timeout", Scope: ScopeProject}), 2)
	require.Len(t, recalled(t, p, Query{Text: "retry timeout", MinConfidence: 0.5}), 2)
	require.Len(t, recalled(t, p, Query{Text: "retry timeout", Limit: 1}), 1)
	require.Empty(t, recalled(t, p, Query{Text: "retry", Categories: []Category{Dependency}}))
}

func TestRecall_WithoutAMatchReturnsTheMostTrusted(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	for i := range 9 {
		learn(t, p.Store, Convention, fmt.Sprint("convention ", i), i, 0)
	}
	write(t, p.Store, Entry{Tier: Long, Key: "an entry", Value: JSON("x"), Source: byUser})
	want := []string{"convention 8", "convention 7", "convention 6", "convention 5", "convention 4"}
	require.Equal(t, want, texts(recalled(t, p, Query{Text: "nothing of that kind"})))
	require.Equal(t, want, texts(recalled(t, p, Query{})))
	require.Empty(t, recalled(t, p, Query{Text: "nothing of that kind", Tiers: []Tier{Long}}), "entries are recalled for their words only")
}

func TestRecall_FindsPartsOfNames(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	write(t, p.Store, Entry{Tier: Long, Key: "mux", Value: JSON(`{"note": "HTTPServeMux and parse_row", "n": 42}`), Source: byUser})
	write(t, p.Store, Entry{Tier: Long, Key: "accents", Value: JSON("a résumé of Zürich"), Source: byUser})
	for _, q := range []string{"serve", "ServeMux", "httpservemux", "row", "parse_row", "note"} {
		require.Equal(t, []string{"mux"}, texts(recalled(t, p, Query{Text: q, Tiers: []Tier{Long}})), q)
	}
	require.Equal(t, []string{"accents"}, texts(recalled(t, p, Query{Text: "resume", Tiers: []Tier{Long}})))
	// The text of a query is words, never syntax of the index.
	for _, q := range []string{`"`, `serve" OR "x`, `NEAR(serve mux)`, `words:serve`, `serve*`, `-serve`, `'; DROP TABLE memory; --`, "\x00serve", "the and for"} {
		_, err := p.Recall(t.Context(), Query{Text: q})
		require.NoError(t, err, q)
	}
	rapid.Check(t, func(t *rapid.T) {
		_, err := p.Recall(t.Context(), Query{Text: rapid.String().Draw(t, "text"), Limit: 3})
		require.NoError(t, err)
	})
}

func TestRecall_KeepsToTheRun(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	for _, run := range []string{"r1", "r2"} {
		write(t, p.Store, Entry{Tier: Mid, Agent: run, Key: run, Value: JSON("workdir"), Source: Source{Origin: Model, Run: run}})
	}
	write(t, p.Store, Entry{Tier: Episodic, Key: "brief", Value: JSON("workdir"), Source: byModel, Expires: c.now().Add(day)})
	require.ElementsMatch(t, []string{"r1", "brief"}, texts(recalled(t, p, Query{Text: "workdir", Run: "r1"})))
	c.add(day)
	require.Equal(t, []string{"r2"}, texts(recalled(t, p, Query{Text: "workdir", Run: "r2"})))
	require.Empty(t, texts(recalled(t, p, Query{Text: "workdir"})))
}

func TestRecall_ForgottenIsNotRecalled(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	e := write(t, p.Store, Entry{Tier: Long, Key: "k", Value: JSON("first secret"), Source: byUser})
	write(t, p.Store, Entry{Tier: Long, Key: "k", Value: JSON("second"), Source: byUser})
	require.Empty(t, recalled(t, p, Query{Text: "secret"}), "what was replaced")
	require.NoError(t, p.Forget(t.Context(), e.ID))
	require.Empty(t, recalled(t, p, Query{Text: "second"}))
	learn(t, p.Store, Convention, "lesson", 2, 0)
	require.Len(t, recalled(t, p, Query{Text: "lesson"}), 1)
	require.NoError(t, p.Forget(t.Context(), "pattern-1"))
	require.Empty(t, recalled(t, p, Query{Text: "lesson"}))
	learn(t, p.Store, Convention, "lesson", 0, 0)
	why, err := p.Why(t.Context(), "pattern-2")
	require.NoError(t, err, "an id is never given twice")
	require.Empty(t, why.Evidence)
}

func TestRecall_ViewKeepsItsQuotas(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	ctx := t.Context()
	for i := range 20 {
		for _, tier := range []Tier{Mid, Episodic, Long} {
			write(t, p.Store, Entry{Tier: tier, Key: fmt.Sprint(tier, i), Value: JSON("parser"), Source: byModel})
		}
		learn(t, p.Store, Convention, fmt.Sprint("parser ", i), i%3, 0) // 0.5, 0.67, 0.75
		_, err := p.SavePlaybook(ctx, Playbook{Title: fmt.Sprint("book ", i), Content: "c", Tags: []string{"go", fmt.Sprint("tag", i%4)}, Source: byUser})
		require.NoError(t, err)
	}
	_, err := p.Global.SavePlaybook(ctx, Playbook{Title: "everywhere", Content: "c", Tags: []string{"go", "tag1", "lint"}, Source: byUser})
	require.NoError(t, err)
	q := ViewQuery{Run: "r1", Text: "the parser", Tags: []string{"Go", "tag1", "lint"}}
	view, err := p.View(ctx, q)
	require.NoError(t, err)
	require.Len(t, view.Warm, 8)
	require.Len(t, view.Cold, 8)
	require.Len(t, view.Patterns, 5)
	for _, h := range view.Patterns {
		require.GreaterOrEqual(t, h.Pattern.Confidence, PromptConfidence)
	}
	require.Len(t, view.Playbooks, 5)
	require.Equal(t, "everywhere", view.Playbooks[0].Title, "it shares most tags")
	require.Equal(t, "book 1", view.Playbooks[1].Title)
	again, err := p.View(ctx, q)
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(view, again), "the same memory gives the same view")
}

// TestRecall_BoundedLookIsAFullLook: what is read of a large index is what a look at all rows would have ranked first, where
// the words say which rows are meant.
func TestRecall_BoundedLookIsAFullLook(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	fill(t, p.Store, 900)
	for i := range 5 { // three words that are in many rows, and in these together
		value := strings.Repeat("w3x w4x w5x ", 3) + fmt.Sprint("other", i)
		write(t, p.Store, Entry{Tier: Long, Key: fmt.Sprint("meant", i), Value: JSON(value), Source: byUser})
	}
	write(t, p.Store, Entry{Tier: Long, Key: "rare", Value: JSON("w0x w1x zebra w2x"), Source: byUser})
	fill(t, p.Global.Store, 1)
	got := texts(recalled(t, p, Query{Text: "w3x w4x w5x", Tiers: []Tier{Long}, Limit: 5, Scope: ScopeProject}))
	slices.Sort(got)
	require.Equal(t, []string{"meant0", "meant1", "meant2", "meant3", "meant4"}, got)
	require.Equal(t, "rare", texts(recalled(t, p, Query{Text: "w0x w1x w2x zebra", Tiers: []Tier{Long}, Scope: ScopeProject}))[0])
}

// TestRecall_IndexCanBeMadeAgain: a rebuilt index answers like the one that was updated with each write.
func TestRecall_IndexCanBeMadeAgain(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	fill(t, p.Store, 120)
	for i := range 30 {
		require.NoError(t, p.Forget(t.Context(), kindEntry.numbered(int64(3*i+1))))
	}
	v := newVocabulary(7)
	var questions []string
	for range 30 {
		questions = append(questions, v.text(4))
	}
	answers := func() (all [][]Hit) {
		for _, q := range questions {
			all = append(all, recalled(t, p, Query{Text: q}))
		}
		return all
	}
	before := answers()
	require.NotEmpty(t, before[0])
	require.NoError(t, p.update(t.Context(), "lose the index", func(tx *sql.Tx) error {
		_, err := emptyIndex(t.Context(), tx)
		return err
	}))
	require.NotEqual(t, before, answers(), "without an index there is another answer")
	require.NoError(t, p.ensureIndex(t.Context()))
	require.Empty(t, cmp.Diff(before, answers()))
}

func TestRecall_PlaceIsEvenlyFromOneDown(t *testing.T) {
	t.Parallel()
	require.InDelta(t, 1, place(0), 1e-12)
	require.InDelta(t, 0.02, place(words.Most-1), 1e-12)
}
