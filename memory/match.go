package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
)

// searchable is a kind of rows with its index of words.
type searchable[T any] struct {
	words   string // the table of FTS5
	rows    string // the table of the rows
	columns string
	scan    func(scanner) (T, error)
	text    func(T) string // what is indexed of a row
}

// How much of an index a question looks at. A question costs a few milliseconds however many rows there are:
// FTS5 alone would read, and rank, each row that has any of the words.
const (
	countLimit = 400 // rows that are counted to know how frequent a word is
	rareLimit  = 500 // rows with rare words that are ranked
	ranked     = 50  // of those, the ones that are read
	recent     = 30  // rows with frequent words that are read, the newest
)

// frequency is a word of a question and about how many rows have it.
type frequency struct {
	word string
	rows float64
}

// best gives the rows that have most to do with some words, by bm25 over all words, best first. Candidates are the
// rows with the rarest words, and for the words that too many rows have the newest rows that have all of the
// rarest three, two or one of them.
func (x searchable[T]) best(ctx context.Context, q rowsQuerier, words []string, filter where) ([]T, error) {
	total, err := x.total(ctx, q)
	if err != nil || total == 0 {
		return nil, err
	}
	frequencies, err := x.frequencies(ctx, q, words, total)
	if err != nil {
		return nil, err
	}
	rare, frequent := splitRare(frequencies)
	found := newFound(x)
	if len(rare) > 0 {
		if err := found.add(ctx, q, matchAny(rare), filter, x.words+".rank", ranked); err != nil {
			return nil, err
		}
	}
	for n := min(3, len(frequent)); n > 0 && len(found.all) < ranked; n-- {
		if err := found.add(ctx, q, matchAll(frequent[:n]), filter, x.words+".rowid DESC", recent); err != nil {
			return nil, err
		}
	}
	return found.byScore(frequencies, total), nil
}

// total is about how many rows there are: the highest id.
func (x searchable[T]) total(ctx context.Context, q rowsQuerier) (float64, error) {
	found, err := selectAll(ctx, q, func(row scanner) (n float64, err error) { return n, row.Scan(&n) }, `SELECT ifnull(max(id), 0) FROM `+x.rows)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], nil
}

// frequencies counts how many rows have each word, rarest first, and leaves out the words that none has. Beyond
// countLimit it is an estimate from how close together the newest rows with the word are.
func (x searchable[T]) frequencies(ctx context.Context, q rowsQuerier, words []string, total float64) ([]frequency, error) {
	query := `SELECT count(*), ifnull(min(rowid), 0) FROM
		(SELECT rowid FROM ` + x.words + ` WHERE ` + x.words + ` MATCH ? ORDER BY rowid DESC` + bounded(countLimit) + `)`
	var all []frequency
	for _, word := range words {
		found, err := selectAll(ctx, q, func(row scanner) (frequency, error) {
			var rows, oldest float64
			err := row.Scan(&rows, &oldest)
			if rows >= countLimit {
				rows = max(rows, rows*total/(total-oldest+1))
			}
			return frequency{word, rows}, err
		}, query, matchAny([]string{word}))
		if err != nil {
			return nil, err
		}
		if found[0].rows > 0 {
			all = append(all, found[0])
		}
	}
	slices.SortStableFunc(all, func(a, b frequency) int { return cmp.Compare(a.rows, b.rows) })
	return all, nil
}

// splitRare parts the words, rarest first, at where too many rows would have to be ranked.
func splitRare(all []frequency) (rare, frequent []string) {
	sum := 0.0
	for _, f := range all {
		if sum += f.rows; sum <= rareLimit {
			rare = append(rare, f.word)
		} else {
			frequent = append(frequent, f.word)
		}
	}
	return rare, frequent
}

// found collects candidates, each once.
type found[T any] struct {
	searchable[T]
	all  []candidate[T]
	seen map[int64]bool
}

type candidate[T any] struct {
	id    int64
	row   T
	score float64
}

func newFound[T any](x searchable[T]) *found[T] {
	return &found[T]{searchable: x, seen: map[int64]bool{}}
}

func (f *found[T]) add(ctx context.Context, q rowsQuerier, match string, filter where, order string, limit int) error {
	w := where{[]string{f.words + " MATCH ?"}, []any{match}}
	w.conditions, w.args = append(w.conditions, filter.conditions...), append(w.args, filter.args...)
	more, err := selectAll(ctx, q, func(row scanner) (candidate[T], error) {
		var id int64
		one, err := f.scan(prefixed{row, &id})
		return candidate[T]{id: id, row: one}, err
	}, `SELECT `+f.rows+`.id, `+f.columns+` FROM `+f.words+` JOIN `+f.rows+` ON `+f.rows+`.id = `+f.words+`.rowid`+w.String()+
		` ORDER BY `+order+bounded(limit), w.args...)
	for _, c := range more {
		if !f.seen[c.id] {
			f.seen[c.id] = true
			f.all = append(f.all, c)
		}
	}
	return err
}

// bounded bounds a query of words. The bound is not a parameter: SQLite prepares a statement again for a bound that virtual tables
// receive, whenever it is bound.
func bounded(rows int) string { return " LIMIT " + strconv.Itoa(rows) }

// prefixed is a row that has one column more, before those that are asked for.
type prefixed struct {
	scanner
	first any
}

func (p prefixed) Scan(dest ...any) error { return p.scanner.Scan(append([]any{p.first}, dest...)...) }

// The parameters of bm25, those of FTS5.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// byScore gives the best candidates by bm25 over all words of the question, the newest first where they are the
// same. The average length is that of the candidates.
func (f *found[T]) byScore(words []frequency, total float64) []T {
	counts := make([]map[string]int, len(f.all))
	lengths, average := make([]float64, len(f.all)), 0.0
	for i, c := range f.all {
		counts[i], lengths[i] = countWords(f.text(c.row))
		average += lengths[i] / float64(len(f.all))
	}
	for i := range f.all {
		for _, w := range words {
			n := float64(counts[i][w.word])
			idf := math.Log(1 + (total-w.rows+0.5)/(w.rows+0.5))
			f.all[i].score += idf * n * (bm25K1 + 1) / (n + bm25K1*(1-bm25B+bm25B*lengths[i]/max(1, average)))
		}
	}
	slices.SortFunc(f.all, func(a, b candidate[T]) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id)) })
	var best []T
	for _, c := range cutTo(candidates, f.all) {
		best = append(best, c.row)
	}
	return best
}
