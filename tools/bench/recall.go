package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	kept "forge/memory"
)

// How much memory has, and how often it is asked.
const (
	recallRows    = 100_000
	recallQueries = 200
	recallAnchors = 20 // of those, how many are put to FTS5 alone
)

// recallWords is how many different words there are. The n-th is about 1/n as frequent as the first.
const recallWords = 30_000

// measureRecall measures how long memory takes for what it has to say of eight words, over 100,000 entries of
// forty words. Beside it, as gopls has no memory: the eight best rows that FTS5 alone finds in the same file.
func measureRecall(ctx context.Context, _ *bench) (_ []row, err error) {
	folder, err := os.MkdirTemp("", "forge-bench-recall-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	project, err := kept.Open(ctx, folder, "bench", kept.Options{Now: time.Now})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, project.Close()) }()
	if err := fillMemory(ctx, project); err != nil {
		return nil, err
	}
	plain, err := sql.Open("sqlite", "file:"+filepath.Join(folder, "projects", "bench", "memory.db")+"?mode=ro")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, plain.Close()) }()
	times, err := timeRecall(ctx, project, plain)
	at := func(percent float64, goals ...goal) row {
		return row{
			name: fmt.Sprintf("recall, 100,000 rows p%g; beside: FTS5", percent), unit: "ms", goals: goals,
			forge: number(times.forge.percentile(percent)), gopls: number(times.gopls.percentile(percent)),
		}
	}
	return []row{at(50, atMost(5)), at(95)}, err
}

// fillMemory imports the rows, as the user could.
func fillMemory(ctx context.Context, project *kept.Project) error {
	lines, in := io.Pipe()
	go func() {
		words := newWords(1)
		var err error
		for i := 0; i < recallRows && err == nil; i++ {
			_, err = fmt.Fprintf(in, `{"kind":"entry","tier":"long","key":"%d","value":"%s","source":{"origin":"user"}}`+"\n", i, words.text(40))
		}
		_ = in.CloseWithError(err) // it always returns nil
	}()
	imported, err := project.Import(ctx, lines, "bench")
	_ = lines.Close() // ends the writer, also when the import failed
	if err == nil && imported.Added != recallRows {
		err = fmt.Errorf("of %d rows, %d were kept", recallRows, imported.Added)
	}
	return err
}

// timeRecall puts the same questions to memory and, some of them, to FTS5 alone.
func timeRecall(ctx context.Context, project *kept.Project, plain *sql.DB) (times pair, err error) {
	words := newWords(2)
	for i := 0; i < recallQueries && err == nil; i++ {
		text := words.text(8)
		began := time.Now()
		hits, recallErr := project.Recall(ctx, kept.Query{Text: text, Limit: 8})
		times.forge.add(time.Since(began))
		if err = recallErr; err == nil && len(hits) == 0 {
			err = fmt.Errorf("nothing is recalled for %q: no answer is a quick one", text)
		}
		if i < recallAnchors && err == nil {
			began = time.Now()
			err = askPlain(ctx, plain, text)
			times.gopls.add(time.Since(began))
		}
	}
	return times, err
}

func askPlain(ctx context.Context, plain *sql.DB, text string) error {
	rows, err := plain.QueryContext(ctx, `SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY bm25(memory_words) LIMIT 8`,
		strings.Join(strings.Fields(text), " OR "))
	if err != nil {
		return fmt.Errorf("ask FTS5: %w", err)
	}
	defer func() { _ = rows.Close() }()
	n := 0
	for rows.Next() {
		n++
	}
	if n == 0 {
		return errors.Join(errors.New("FTS5 alone finds nothing: no answer is a quick one"), rows.Err())
	}
	return rows.Err()
}

// words draws words as often as texts have them.
type words struct{ zipf *rand.Zipf }

func newWords(seed uint64) words {
	return words{rand.NewZipf(rand.New(rand.NewPCG(seed, 1)), 1.1, 4, recallWords)}
}

func (w words) text(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "word%d ", w.zipf.Uint64())
	}
	return b.String()
}
