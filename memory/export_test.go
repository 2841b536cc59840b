package memory

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func export(t testing.TB, s *Store, tiers ...Tier) string {
	t.Helper()
	var b strings.Builder
	n, err := s.Export(t.Context(), &b, tiers...)
	require.NoError(t, err)
	require.Equal(t, n, strings.Count(b.String(), "\n"))
	return b.String()
}

func TestExport_IsOneSortedLineForEachRow(t *testing.T) {
	t.Parallel()
	texts := []string{"zebra", "Apple", "mango\nwith lines", "<b> & \u2028"}
	var files []string
	for _, order := range [][]int{{0, 1, 2, 3}, {3, 2, 1, 0}} {
		p, c := open(t)
		for _, i := range order {
			c.add(time.Minute)
			write(t, p.Store, Entry{Tier: Long, Agent: "a", Key: texts[i], Value: JSON("{\"text\":\n \"" + "x" + "\"}"), Source: byUser})
			write(t, p.Store, Entry{Tier: Episodic, Key: texts[i], Value: JSON("x"), Source: byModel})
			learn(t, p.Store, Convention, texts[i], i, 0)
			_, err := p.SavePlaybook(t.Context(), Playbook{Title: texts[i], Content: "# How\n", Tags: []string{"b", "a"}, Source: byModel})
			require.NoError(t, err)
		}
		files = append(files, export(t, p.Store))
		require.Len(t, strings.SplitAfter(export(t, p.Store, Episodic, Long), "\n"), 17)
	}
	require.Empty(t, cmp.Diff(files[0], files[1]), "the order of writing, ids and times are not in it")
	require.Equal(t, 12, strings.Count(files[0], "\n"))
	require.Contains(t, files[0], `{"kind":"entry","tier":"long","agent":"a","key":"Apple","value":{"text":"x"},"tokens":4,"source":{"origin":"user","detail":"typed"}}`+"\n")
	require.Contains(t, files[0], "<b> &")
}

// unsourced is a file without where its rows come from, and without what was counted: what an import keeps.
func unsourced(t testing.TB, file string) (rows []line) {
	t.Helper()
	for l := range strings.Lines(file) {
		row, err := parseLine([]byte(l))
		require.NoError(t, err)
		row.Source, row.Successes, row.Failures = lineSource{}, 0, 0
		rows = append(rows, row)
	}
	return rows
}

func TestExport_ImportAddsMissingRowsWithTheirOrigin(t *testing.T) {
	t.Parallel()
	p, c := open(t)
	ctx := t.Context()
	write(t, p.Store, Entry{Tier: Long, Key: "k", Value: JSON("v"), Source: byUser, Expires: c.now().Add(time.Hour), Priority: 2})
	learn(t, p.Store, FailurePattern, "nil map", 2, 1)
	_, err := p.SavePlaybook(ctx, Playbook{Title: "t", Content: "c", Tags: []string{"go"}, Source: byModel})
	require.NoError(t, err)
	file := export(t, p.Store)

	got, err := p.Import(ctx, strings.NewReader(file), "memory.jsonl")
	require.NoError(t, err)
	require.Equal(t, Imported{Known: 3}, got)
	require.Equal(t, file, export(t, p.Store), "what is here stays, to the byte")

	other, _ := open(t)
	got, err = other.Import(ctx, strings.NewReader(file), "memory.jsonl")
	require.NoError(t, err)
	require.Equal(t, Imported{Added: 3}, got)
	first := export(t, other.Store)
	require.Empty(t, cmp.Diff(unsourced(t, file), unsourced(t, first)))
	got, err = other.Import(ctx, strings.NewReader(file), "memory.jsonl")
	require.NoError(t, err)
	require.Equal(t, Imported{Known: 3}, got, "twice is once")
	require.Equal(t, first, export(t, other.Store))

	pattern, err := other.FindPattern(ctx, FailurePattern, "nil map")
	require.NoError(t, err)
	require.Equal(t, [2]int{0, 0}, [2]int{pattern.Successes, pattern.Failures}, "a file is no gate")
	require.Equal(t, Source{Origin: Import, Detail: "line 2 of memory.jsonl; there: model, run r1, executor, event 7; judged there 2 times pass, 1 times fail"}, pattern.Source)
	view, err := other.View(ctx, ViewQuery{Text: "nil map"})
	require.NoError(t, err)
	require.Empty(t, view.Patterns, "no gate of this memory has judged it")
	_, err = other.Judge(ctx, pattern.ID, passed(t, "r9"))
	require.NoError(t, err)
	view, err = other.View(ctx, ViewQuery{Text: "nil map"})
	require.NoError(t, err)
	require.Len(t, view.Patterns, 1)
}

func TestExport_BadLinesAreReportedByNumber(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	good := `{"kind":"playbook","title":"%s","content":"c","source":{"origin":"user"}}`
	lines := []string{
		fmt.Sprintf(good, "one"), // 1
		"",
		"<<<<<<< HEAD",
		`{"kind":"playbook","title":"cut`,
		`{"kind":"rumour","source":{"origin":"user"}}`,
		`{"kind":"entry","tier":"short","key":"k","value":1,"source":{"origin":"user"}}`,
		`{"kind":"entry","tier":"long","key":"k","value":1,"source":{}}`,
		`{"kind":"entry","tier":"long","key":"k","value":1,"source":{"origin":"user"},"later":true}`,
		`{"kind":"pattern","category":"opinion","pattern":"p","source":{"origin":"user"}}`,
		`{"kind":"pattern","category":"convention","pattern":"p","successes":-1,"source":{"origin":"user"}}`,
		`{"kind":"pattern","category":"convention","pattern":"p","successes":"many","source":{"origin":"user"}}`,
		fmt.Sprintf(good, "two") + fmt.Sprintf(good, "three"),
		`{"kind":"playbook","title":"` + strings.Repeat("x", maxLine) + `","content":"c","source":{"origin":"user"}}`,
		"\xff\xfe",
		fmt.Sprintf(good, "four"), // 15, without an end
	}
	got, err := p.Import(t.Context(), strings.NewReader(strings.Join(lines, "\n")), "f")
	require.NoError(t, err)
	require.Equal(t, 2, got.Added)
	var numbers []int
	for _, bad := range got.Bad {
		numbers = append(numbers, bad.Line)
		require.NotRegexp(t, `memory\.|line\.|struct|json:|Go `, bad.Reason, "no names of Go types")
	}
	require.Equal(t, []int{3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}, numbers)
	books, err := p.Playbooks(t.Context())
	require.NoError(t, err)
	require.Equal(t, "line 15 of f; there: user", books[0].Source.Detail)
}

// TestExport_ImportOfManyLines takes more than one transaction, and rows that are there twice.
func TestExport_ImportOfManyLines(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	var file strings.Builder
	for i := range 2*importBatch + 50 {
		fmt.Fprintf(&file, `{"kind":"entry","tier":"mid","key":"%d","value":%d,"source":{"origin":"web"}}`+"\n", i%(2*importBatch), i)
	}
	got, err := p.Import(t.Context(), strings.NewReader(file.String()), "f")
	require.NoError(t, err)
	require.Equal(t, Imported{Added: 2 * importBatch, Known: 50}, got)
	require.Equal(t, "7", read(t.Context(), p.Store, Mid, "", "7"), "the first one stays")
}

func TestExport_ReportsAFailingReader(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	_, err := p.Import(t.Context(), failingReader{}, "f")
	require.ErrorIs(t, err, errPipe)
	_, err = p.Export(t.Context(), failingReader{})
	require.NoError(t, err, "there is nothing to write")
	learn(t, p.Store, Convention, "x", 0, 0)
	_, err = p.Export(t.Context(), failingReader{})
	require.ErrorIs(t, err, errPipe)
}

var errPipe = errors.New("broken pipe")

type failingReader struct{}

func (failingReader) Read([]byte) (int, error)  { return 0, errPipe }
func (failingReader) Write([]byte) (int, error) { return 0, errPipe }

// TestExport_ImportIsARoundTrip over any rows.
func TestExport_ImportIsARoundTrip(t *testing.T) {
	t.Parallel()
	p, _ := open(t)
	rapid.Check(t, func(rt *rapid.T) {
		var rows []line
		for range rapid.IntRange(0, 12).Draw(rt, "rows") {
			source := lineSource{Origin: rapid.SampledFrom(origins).Draw(rt, "origin"), Run: rapid.String().Draw(rt, "run")}
			switch text := rapid.String().Draw(rt, "text"); rapid.IntRange(0, 2).Draw(rt, "kind") {
			case 0:
				tier := rapid.SampledFrom(Tiers).Draw(rt, "tier")
				rows = append(rows, line{Kind: "entry", Tier: tier, Key: "k" + text, Value: compact(JSON(rapid.String().Draw(rt, "value"))), Tokens: 3, Source: source})
			case 1:
				rows = append(rows, line{Kind: "pattern", Category: rapid.SampledFrom(Categories).Draw(rt, "category"), Pattern: "k" + strings.TrimSpace(text), Fix: text, Source: source})
			default:
				rows = append(rows, line{Kind: "playbook", Title: "k" + strings.TrimSpace(text), Content: "c", Tags: []string{"a", "b"}, Source: source})
			}
		}
		slices.SortStableFunc(rows, func(a, b line) int { return strings.Compare(a.identity(), b.identity()) })
		rows = slices.CompactFunc(rows, func(a, b line) bool { return a.identity() == b.identity() })
		var file bytes.Buffer
		for _, row := range rows {
			text, err := row.encode()
			require.NoError(rt, err)
			file.Write(text)
		}
		got, err := p.Import(t.Context(), bytes.NewReader(file.Bytes()), "f")
		require.NoError(rt, err)
		require.Empty(rt, got.Bad)
		require.Equal(rt, len(rows), got.Added)
		require.Empty(rt, cmp.Diff(unsourced(t, file.String()), unsourced(t, export(t, p.Store, Tiers...))))
		wipe(t, p.Store)
	})
}

func FuzzExport_ParseLine(f *testing.F) {
	for _, text := range []string{
		``, `{}`, `{"kind":"entry","tier":"long","key":"k","value":{"a":[1,2]},"expires":"2026-11-21T12:00:00Z","source":{"origin":"user"}}`,
		`{"kind":"pattern","category":"convention","pattern":"p","tags":["x"],"successes":3,"source":{"origin":"gate","event":7}}`,
		`{"kind":"playbook","title":"t","content":"c","source":{"origin":"import"}}`, `{"kind":"entry","value":null}`, `[]`, "\xff",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		l, err := parseLine(text)
		if err != nil {
			require.ErrorIs(t, err, ErrInvalid)
			return
		}
		encoded, err := l.encode()
		require.NoError(t, err)
		require.Equal(t, 1, bytes.Count(encoded, []byte("\n")))
		again, err := parseLine(encoded)
		require.NoError(t, err)
		twice, err := again.encode()
		require.NoError(t, err)
		require.Equal(t, string(encoded), string(twice))
	})
}

// wipe forgets everything that can be exported: the next check begins with nothing.
func wipe(t *testing.T, s *Store) {
	t.Helper()
	require.NoError(t, s.update(t.Context(), "wipe", func(tx *sql.Tx) error {
		_, err := tx.Exec(`DELETE FROM memory; DELETE FROM memory_words; DELETE FROM patterns; DELETE FROM pattern_words; DELETE FROM playbooks`)
		return err
	}))
}
