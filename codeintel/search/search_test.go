package search

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
	"forge/codeintel/imports"
	"forge/codeintel/index"
	"forge/codeintel/treesitter"
)

// shopCommits are the past of the shop, newest first. "old/ledger.go" was moved to legacy.
func shopCommits() []codeintel.Commit {
	day := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	commit := func(age int, message string, paths ...string) codeintel.Commit {
		return codeintel.Commit{ID: fmt.Sprint(age), Time: day.AddDate(0, 0, -age), Message: message, Paths: paths}
	}
	sweep := []string{"util/long.go"}
	for i := range sweeping {
		sweep = append(sweep, fmt.Sprintf("gone/%d.go", i))
	}
	return []codeintel.Commit{
		commit(1, "feat(customs): declare parcels", "tax/zone.go"),
		commit(2, "Print totals", "billing/invoice.go", "legacy/archive.go"),
		commit(3, "Print taxes", "billing/invoice.go", "legacy/archive.go"),
		commit(4, "Reconcile the quarterly statements", "legacy/ledger.go"),
		commit(5, "Move it", "legacy/ledger.go", "old/ledger.go"),
		commit(6, "Embargo", "old/ledger.go"),
		commit(7, "Licence headers", sweep...),
		commit(3000, "Reconcile the routes", "api/router.go"),
	}
}

func shop(t *testing.T) *Searcher {
	t.Helper()
	archive, err := txtar.ParseFile("testdata/shop.txtar")
	require.NoError(t, err)
	var texts []text
	for _, f := range archive.Files {
		texts = append(texts, text{Path: f.Name, Content: string(f.Data)})
	}
	texts = append(texts, text{Path: "go.mod", Content: "module shop\n"})
	return searcherOf(t, texts, shopCommits())
}

// text is a file of a folder.
type text struct{ Path, Content string }

// folder lists the files of texts.
type folder []text

func (f folder) Files(context.Context) (paths []string, err error) {
	for _, text := range f {
		paths = append(paths, text.Path)
	}
	return paths, nil
}

// viewOf is the index of a folder with texts.
func viewOf(t *testing.T, texts []text) index.View {
	t.Helper()
	root := t.TempDir()
	for _, text := range texts {
		name := filepath.Join(root, text.Path)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o700))
		require.NoError(t, os.WriteFile(name, []byte(text.Content), 0o600))
	}
	x, err := index.Open(t.Context(), index.Options{Root: root, Source: folder(texts), Outliner: new(treesitter.Outliner)})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, x.Close()) })
	require.NoError(t, x.Wait(t.Context()))
	return x.View()
}

func searcherOf(t *testing.T, texts []text, commits []codeintel.Commit) *Searcher {
	t.Helper()
	view := viewOf(t, texts)
	var files []imports.File
	for _, d := range view.Documents() {
		files = append(files, imports.FileOf(d.Path, d.Language, d.Outline))
	}
	return New(view, commits, imports.Resolve(files, view.ReadFile))
}

func paths(hits []Hit) []string {
	all := []string{}
	for _, h := range hits {
		all = append(all, h.Path)
	}
	return all
}

// only switches all signals off but some.
func only(s *Searcher, names ...string) *Searcher {
	var off []string
	for name := range weightOf {
		if !slices.Contains(names, name) {
			off = append(off, name)
		}
	}
	return s.Without(off...)
}

// TestSignals_EachFindsItsOwn asks with one signal alone: it finds what it must, in this order, and nothing else.
func TestSignals_EachFindsItsOwn(t *testing.T) {
	t.Parallel()
	s := shop(t)
	tests := []struct {
		signal, text, open string
		want               string
	}{
		{signalContent, "bought", "", "billing/invoice.go"},
		{signalContent, "warehouses", "", "util/long.go util/spread.go"},
		{signalLines, "warehouse pallet", "", "util/long.go util/spread.go"},
		{signalLines, "no such words", "", ""},
		{signalSymbols, "dispatch", "", "api/router.go"},
		{signalSymbols, "bought", "", ""}, // stands in a comment only
		{signalPath, "legacy", "", "legacy/archive.go legacy/ledger.go"},
		{signalDefined, "what does `ZoneOfVATCountry` mean", "", "tax/zone.go"},
		{signalDefined, "zoneofvatcountry", "", ""}, // not as it is written
		{signalNamed, "see tax/rebate.go", "", "tax/rebate.go"},
		{signalNamed, "see rebate.go", "", "tax/rebate.go"},
		{signalNamed, "see bate.go", "", ""}, // only the end of a name
		{signalScope, "fix(router): panic", "", "api/router.go"},
		{signalScope, "tax: rounding", "", "tax/rebate.go tax/zone.go"},
		{signalScope, "rounding of the router", "", ""},
		{signalSimilar, "reconcile statements", "", "legacy/ledger.go api/router.go"},
		{signalSimilar, "licence headers", "", ""},      // of a commit that changed too much
		{signalSaid, "embargo", "", "legacy/ledger.go"}, // under its old name
		{signalSaid, "declare", "", "tax/zone.go"},
		{signalScoped, "fix(customs): rounding", "", "tax/zone.go"},
		{signalScoped, "customs rounding", "", ""},
		{signalTogether, "", "billing/invoice.go", "legacy/archive.go"},
		{signalTogether, "", "tax/rebate.go", ""},
		{signalImports, "", "billing/discount.go", "tax/rebate.go tax/zone.go"},
		{signalImports, "", "tax/rebate.go", "billing/discount.go"},
		{signalImports, "", "api/router.go", ""},
		{signalLinked, "", "tax/rebate.go", "billing/discount.go"}, // which uses what it defines
		{signalLinked, "", "billing/discount.go", "tax/rebate.go"}, // which defines what it uses
		{signalLinked, "", "tax/zone.go", ""},
		{signalRare, "", "util/spread.go", "util/long.go"},
		{signalRare, "", "tax/rebate.go", "billing/discount.go billing/invoice.go docs/discount.md"}, // "price"; one defines "Rebate"
		{signalRare, "", "tax/zone.go", ""},
		{signalTopic, "", "api/router.go", "legacy/ledger.go"},
	}
	for _, test := range tests {
		t.Run(test.signal+" "+test.text+test.open, func(t *testing.T) {
			t.Parallel()
			q := Query{Text: test.text}
			if test.open != "" {
				q.Open = []string{test.open}
			}
			require.Equal(t, test.want, strings.Join(paths(only(s, test.signal).Files(q)), " "))
			require.Empty(t, only(s).Files(q), "without any signal nothing is found")
			for _, hit := range s.Files(q) {
				for _, g := range hit.Signals {
					require.Positive(t, g.Value)
				}
			}
		})
	}
}

func TestFolder_OrdersByNearness(t *testing.T) {
	t.Parallel()
	hits := only(shop(t), signalFolder).Files(Query{Open: []string{"tax/rebate.go"}})
	require.Equal(t, "tax/zone.go", hits[0].Path)
	require.Greater(t, hits[0].Score, hits[1].Score)
}

// TestSearch_FrequentNamesHaveNoWeight gives a name to ever more files: it says ever less, and at last nothing.
func TestSearch_FrequentNamesHaveNoWeight(t *testing.T) {
	t.Parallel()
	for _, others := range []int{1, mostSharers, mostSharers + 1} {
		texts := []text{{Path: "open.go", Content: "package a\n\nfunc Harbour() {}\n\n// pilots\n"}}
		for i := range others {
			texts = append(texts, text{Path: fmt.Sprintf("other%02d.go", i), Content: "package a\n\nvar _ = Harbour // pilots\n"})
		}
		s := searcherOf(t, texts, nil)
		linked, rare := make(scores, len(texts)), make(scores, len(texts))
		s.addNames(linked, rare, 0, 1)
		want := math.Pow(float64(others), -rareness)
		if others > mostSharers {
			want = 0
		}
		require.InDelta(t, want, linked[1], 1e-9)
		require.InDelta(t, want, rare[1], 1e-9)
	}
}

func TestSearch_OpenTestIsNearItsSubject(t *testing.T) {
	t.Parallel()
	s := searcherOf(t, []text{
		{Path: "harbour.go", Content: "package a\n\nfunc Harbour() {}\n"}, {Path: "ship.go", Content: "package a\n\nfunc Ship() {}\n"},
		{Path: "x_test.go", Content: "package a\n\nfunc TestIt(t *testing.T) { Harbour() }\n"},
	}, nil)
	require.Equal(t, []string{"harbour.go"}, paths(only(s, signalLinked).Files(Query{Open: []string{"x_test.go"}})))
}

func TestSearch_FrequentSpeaksForNothingAlone(t *testing.T) {
	t.Parallel()
	s := shop(t)
	require.Empty(t, s.Files(Query{Text: "zzz"}))
	// With words it decides between equals: one of the two was changed of late.
	q := Query{Text: "legacy"}
	require.Equal(t, []string{"legacy/ledger.go", "legacy/archive.go"}, paths(only(s, signalPath, signalFrequent).Files(q))[:2])
	require.Equal(t, []string{"legacy/archive.go", "legacy/ledger.go"}, paths(only(s, signalPath).Files(q)))
	// Behind those that have the words, others fill an answer up, for who asks for it.
	require.Len(t, only(s, signalPath, signalFrequent).Files(q), 2)
	q.Fill = true
	require.Greater(t, len(only(s, signalPath, signalFrequent).Files(q)), 2)
	require.Empty(t, s.Files(Query{Text: "zzz", Fill: true}))
}

func TestSearch_RanksSourceBeforeTestsAndProse(t *testing.T) {
	t.Parallel()
	s := shop(t)
	plain := s.Files(Query{Text: "discount"})
	require.Equal(t, []string{"billing/discount.go", "api/handler_test.go", "docs/discount.md"}, paths(plain)[:3])
	asked := s.Files(Query{Text: "discount test"})
	require.Equal(t, "api/handler_test.go", asked[1].Path)
	require.Greater(t, asked[1].Score/asked[0].Score, plain[1].Score/plain[0].Score, "a request that speaks of tests sees them nearer")
}

func TestSearch_TestsDoNotCrowdSourceOut(t *testing.T) {
	t.Parallel()
	texts := []text{{Path: "ship.go", Content: "package a\n\n// about a harbour\n"}}
	for i := range 30 {
		texts = append(texts, text{Path: fmt.Sprintf("ship%02d_test.go", i), Content: "package a\n\n// tests of a ship in the harbour\n"})
	}
	s := searcherOf(t, texts, nil)
	found := paths(s.Files(Query{Text: "tests of a ship in the harbour", Limit: 10}))
	require.Len(t, found, 10)
	require.LessOrEqual(t, slices.Index(found, "ship.go"), 3)
	require.Equal(t, []uint32{1, 2, 0, 3, 4}, (&files{sources: []bool{true, false, false, false, false}}).uncrowded([]uint32{1, 2, 3, 0, 4}, 2))
}

func TestSearch_ProseIsFoundWhereThereIsNoSource(t *testing.T) {
	t.Parallel()
	s := searcherOf(t, []text{{Path: "a.md", Content: "# One\nabout ships\n"}, {Path: "b.md", Content: "# Two\nabout trains\n"}}, nil)
	require.Equal(t, []string{"b.md"}, paths(s.Files(Query{Text: "trains"})))
}

func TestSearch_HitsHaveLinesAndReasons(t *testing.T) {
	t.Parallel()
	hit := shop(t).Files(Query{Text: "warehouse", Limit: 1})[0]
	require.Equal(t, "util/long.go", hit.Path)
	require.Equal(t, 1, hit.FirstLine)
	require.Equal(t, 2*index.ChunkLines, hit.LastLine)
	sum := 0.0
	for i, g := range hit.Signals {
		sum += g.Value
		require.True(t, i == 0 || g.Value <= hit.Signals[i-1].Value, "the strongest first")
	}
	require.InDelta(t, hit.Score, sum, 1e-9)
	require.Equal(t, 0, shop(t).Files(Query{Text: "customs"})[0].FirstLine, "no line has the word")
}

func TestSearch_QueriesAboutNothing(t *testing.T) {
	t.Parallel()
	require.Empty(t, shop(t).Files(Query{}))
	require.Empty(t, shop(t).Files(Query{Text: " \n the of "}))
	require.Empty(t, shop(t).Files(Query{Open: []string{"nowhere/to/be/found.go"}, Text: "zzz"})[:0])
	require.Empty(t, searcherOf(t, nil, shopCommits()).Files(Query{Text: "discount", Open: []string{"a.go"}}))
	require.NotContains(t, paths(shop(t).Files(Query{Text: "discount", Open: []string{"billing/discount.go"}})), "billing/discount.go")
	require.Len(t, shop(t).Files(Query{Text: "legacy tax", Limit: 3}), 3)
}

func TestSymbols_OfAFolder(t *testing.T) {
	t.Parallel()
	s := shop(t)
	tests := []struct{ text, want string }{
		{"why does `ZoneOfVATCountry` give 0", "tax/zone.go ZoneOfVATCountry"},
		{"dispatch requests", "api/router.go Dispatch"},
		{"the price of a rebate", "tax/rebate.go Rebate"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			q := Query{Text: test.text}
			found := s.Symbols(q, s.Files(q))
			require.NotEmpty(t, found)
			require.Equal(t, test.want, found[0].Path+" "+found[0].Symbol.Name)
		})
	}
	require.Len(t, s.Symbols(Query{Text: "`ZoneOfVATCountry`"}, nil), 1, "a name is found without a file that was")
	require.Empty(t, s.Symbols(Query{Text: "zzz"}, nil))
}

// TestSearch_AnswersAreTheSameEveryTime runs over maps in another order each time.
func TestSearch_AnswersAreTheSameEveryTime(t *testing.T) {
	t.Parallel()
	queries := []Query{
		{Text: "fix(tax): discount of the Rebate in docs/discount.md, `decodeBody`"}, {Open: []string{"billing/discount.go", "api/router.go"}},
		{Text: "warehouse pallet legacy", Open: []string{"util/spread.go"}},
	}
	first := shop(t)
	for range 100 {
		again := first.With(first.view, first.graph)
		for _, q := range queries {
			hits := again.Files(q)
			require.Equal(t, first.Files(q), hits)
			require.Equal(t, first.Symbols(q, hits), again.Symbols(q, hits))
		}
	}
}

// TestWith_EqualsANewSearcher changes files and compares with a new searcher.
func TestWith_EqualsANewSearcher(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	s := shop(t)
	for round := range 20 {
		var texts []text
		for _, d := range s.documents {
			content, err := s.view.ReadFile(d.Path)
			require.NoError(t, err)
			if random.IntN(8) > 0 {
				texts = append(texts, text{Path: d.Path, Content: string(content) + fmt.Sprintf("// pallet %d\n", round)})
			}
		}
		texts = append(texts, text{Path: fmt.Sprintf("util/new%d.go", round), Content: "package util\n\nfunc Rebate() {}\n"})
		made := searcherOf(t, texts, shopCommits())
		s = s.With(made.view, made.graph)
		for _, q := range []Query{{Text: "reconcile Rebate pallet"}, {Open: []string{"util/long.go"}}} {
			require.Equal(t, made.Files(q), s.Files(q))
		}
	}
}
