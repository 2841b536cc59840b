package words

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"

	"forge/internal/sqlite"
)

// Index is a kind of rows with its index of words.
type Index[T any] struct {
	Table   string // the table of FTS5
	Rows    string // the table of the rows
	Columns string
	Scan    func(sqlite.Row) (T, error)
	Text    func(T) string // what is indexed of a row
}

// Most is how many rows Best returns at the most.
const Most = 50

// How much of an index a question looks at. A question costs a few milliseconds however many rows there are:
// FTS5 alone would read, and rank, each row that has any of the words.
const (
	countLimit = 400 // rows that are counted to know how frequent a word is
	rareLimit  = 500 // rows with rare words that are ranked
	recent     = 30  // rows with frequent words that are read, the newest
)

// frequency is a word of a question and about how many rows have it.
type frequency struct {
	word string
	rows float64
}

// Best returns the rows that have most to do with some words, by bm25 over all words, best first. Candidates are the
// rows with the rarest words, and for the words that too many rows have the newest rows that have all of the
// rarest three, two or one of them.
func (x Index[T]) Best(ctx context.Context, q sqlite.Source, words []string, filter sqlite.Where) ([]T, error) {
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
		if err := found.add(ctx, q, MatchAny(rare), filter, x.Table+".rank", Most); err != nil {
			return nil, err
		}
	}
	for n := min(3, len(frequent)); n > 0 && len(found.all) < Most; n-- {
		if err := found.add(ctx, q, matchAll(frequent[:n]), filter, x.Table+".rowid DESC", recent); err != nil {
			return nil, err
		}
	}
	return found.byScore(frequencies, total), nil
}

// total is about how many rows there are: the highest id.
func (x Index[T]) total(ctx context.Context, q sqlite.Source) (float64, error) {
	found, err := sqlite.All(ctx, q, sqlite.Value[float64], `SELECT ifnull(max(id), 0) FROM `+x.Rows)
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0], nil
}

// frequencies counts how many rows have each word, rarest first, and leaves out the words that none has. Beyond
// countLimit it is an estimate from how close together the newest rows with the word are.
func (x Index[T]) frequencies(ctx context.Context, q sqlite.Source, words []string, total float64) ([]frequency, error) {
	query := `SELECT count(*), ifnull(min(rowid), 0) FROM
		(SELECT rowid FROM ` + x.Table + ` WHERE ` + x.Table + ` MATCH ? ORDER BY rowid DESC` + bounded(countLimit) + `)`
	var all []frequency
	for _, word := range words {
		found, err := sqlite.All(ctx, q, func(row sqlite.Row) (frequency, error) {
			var rows, oldest float64
			err := row.Scan(&rows, &oldest)
			if rows >= countLimit {
				rows = max(rows, rows*total/(total-oldest+1))
			}
			return frequency{word, rows}, err
		}, query, MatchAny([]string{word}))
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

// splitRare parts the words, rarest first, at where too many rows would have to be most.
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
	Index[T]
	all  []candidate[T]
	seen map[int64]bool
}

type candidate[T any] struct {
	id    int64
	row   T
	score float64
}

func newFound[T any](x Index[T]) *found[T] {
	return &found[T]{Index: x, seen: map[int64]bool{}}
}

func (f *found[T]) add(ctx context.Context, q sqlite.Source, match string, filter sqlite.Where, order string, limit int) error {
	w := filter
	w.And(f.Table+" MATCH ?", match)
	more, err := sqlite.All(ctx, q, func(row sqlite.Row) (candidate[T], error) {
		var id int64
		one, err := f.Scan(prefixed{row, &id})
		return candidate[T]{id: id, row: one}, err
	}, `SELECT `+f.Rows+`.id, `+f.Columns+` FROM `+f.Table+` JOIN `+f.Rows+` ON `+f.Rows+`.id = `+f.Table+`.rowid`+w.String()+
		` ORDER BY `+order+bounded(limit), w.Args...)
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
	sqlite.Row
	first any
}

func (p prefixed) Scan(dest ...any) error { return p.Row.Scan(append([]any{p.first}, dest...)...) }

// The parameters of bm25, those of FTS5.
const (
	bm25K1 = 1.2
	bm25B  = 0.75
)

// byScore returns the best candidates by bm25 over all words of the question, the newest first where they are the
// same. The average length is that of the candidates.
func (f *found[T]) byScore(words []frequency, total float64) []T {
	counts := make([]map[string]int, len(f.all))
	lengths, average := make([]float64, len(f.all)), 0.0
	for i, c := range f.all {
		counts[i], lengths[i] = countWords(f.Text(c.row))
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
	for _, c := range f.all[:min(Most, len(f.all))] {
		best = append(best, c.row)
	}
	return best
}
