package memory

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"forge/internal/sqlite"

	"github.com/stretchr/testify/require"

	"forge/memory/words"
)

// vocabulary draws words as often as texts have them: the n-th word about 1/n times as often as the first.
type vocabulary struct {
	random *rand.Rand
	zipf   *rand.Zipf
}

func newVocabulary(seed uint64) *vocabulary {
	r := rand.New(rand.NewPCG(seed, 1))
	return &vocabulary{r, rand.NewZipf(r, 1.1, 4, 30_000)}
}

func (v *vocabulary) text(words int) string {
	var b strings.Builder
	for range words {
		fmt.Fprintf(&b, "w%dx ", v.zipf.Uint64())
	}
	return b.String()
}

// fill writes so many entries of forty words, and a tenth as many patterns, in few transactions.
func fill(t testing.TB, s *Store, rows int) {
	t.Helper()
	v := newVocabulary(1)
	ctx := context.Background()
	for done := 0; done < rows; done += indexBatch {
		require.NoError(t, s.update(ctx, "fill", func(tx *sql.Tx) error {
			for i := done; i < min(rows, done+indexBatch); i++ {
				tier := Long
				if i%2 == 0 {
					tier = Episodic
				}
				e := Entry{Tier: tier, Agent: "a", Key: fmt.Sprint(i), Value: JSON(v.text(40)), Source: byModel}
				if _, err := putEntry(ctx, tx, e, noon); err != nil {
					return err
				}
				if i%10 != 0 {
					continue
				}
				p := Pattern{Category: Categories[i/10%len(Categories)], Text: fmt.Sprint(i, v.text(12)), Fix: v.text(8), Source: byModel}
				if _, err := putPattern(ctx, tx, p, noon); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// BenchmarkCorpus_Recall asks for eight words as frequent as those of the rows.
func BenchmarkCorpus_Recall(b *testing.B) {
	p, _ := open(b)
	fill(b, p.Store, 100_000)
	v := newVocabulary(2)
	b.Run("recall", func(b *testing.B) {
		for b.Loop() {
			hits, err := p.Recall(b.Context(), Query{Text: v.text(8), Limit: 8})
			require.NoError(b, err)
			require.NotEmpty(b, hits)
		}
	})
	b.Run("plain FTS5", func(b *testing.B) {
		for b.Loop() {
			rows, err := sqlite.All(b.Context(), p.db.Read(), sqlite.Value[int64],
				`SELECT rowid FROM memory_words WHERE memory_words MATCH ? ORDER BY bm25(memory_words) LIMIT 8`, words.MatchAny(words.OfQuestion(v.text(8))))
			require.NoError(b, err)
			require.NotEmpty(b, rows)
		}
	})
}
