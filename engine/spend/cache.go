package spend

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"forge/engine/llm"
	"forge/internal/sqlite"
)

// defaultBytes is the default limit of all answers in the file together.
const defaultBytes = 64 << 20

// CacheOptions of OpenCache.
type CacheOptions struct {
	Bytes int64            // of the answers in the file; the oldest go first; 0 is 64 MiB
	Now   func() time.Time // nil is time.Now
	// Secret reports whether a text has a secret in it; nil is never.
	Secret func(text string) bool
	Note   func(text string) // receives, once, that the file cannot be used; may be nil
}

// Cache keeps answers of models, so that the same question at temperature 0 is billed once: in a file that all processes share.
//
// It caches only deterministic requests: none with a temperature, with thinking, or with a tool that must be called; and
// only complete answers: none that was refused, cut off or too long. It stores no answer with a secret in it, and only a
// hash of each request.
//
// It is safe for concurrent use, by any number of processes. A cache that fails is reported once: it
// costs money, but never a call.
type Cache struct {
	options CacheOptions
	db      *sqlite.DB
	failing sync.Once
}

// OpenCache opens a cache, whose file need not be there yet. Its errors are those of sqlite.Open.
func OpenCache(ctx context.Context, file string, o CacheOptions) (*Cache, error) {
	if o.Bytes <= 0 {
		o.Bytes = defaultBytes
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Secret == nil {
		o.Secret = func(string) bool { return false }
	}
	if o.Note == nil {
		o.Note = func(string) {}
	}
	db, err := sqlite.Open(ctx, file, sqlite.Options{Migrations: cacheMigrations, Now: o.Now, Note: o.Note})
	if err != nil {
		return nil, err
	}
	return &Cache{options: o, db: db}, nil
}

// Close closes the file.
func (c *Cache) Close() error { return c.db.Close() }

// Around wraps a model in the cache. A cached answer is marked (Response.Cached), is free and uses no tokens.
func (c *Cache) Around(candidate llm.Candidate, m llm.Model) llm.Model {
	return &cached{cache: c, model: m, provider: candidate.Provider, id: candidate.ID}
}

// Deterministic reports whether a model would answer a request the same again.
func Deterministic(q llm.Request) bool {
	return q.Temperature == 0 && !q.OwnTemperature && q.Thinking == 0 && q.UseTool == ""
}

type cached struct {
	cache        *Cache
	model        llm.Model
	provider, id string
}

// Name is the name of the model behind it.
func (m *cached) Name() string { return m.model.Name() }

// Complete returns the answer that was given before, or asks the model.
func (m *cached) Complete(ctx context.Context, q llm.Request, onDelta func(string)) (llm.Response, error) {
	if !Deterministic(q) {
		return m.model.Complete(ctx, q, onDelta)
	}
	key := keyOf(m.provider, m.id, q)
	if answer, found := m.cache.find(ctx, key); found {
		if onDelta != nil && answer.Text != "" && !q.Whole {
			onDelta(answer.Text)
		}
		return answer, nil
	}
	answer, err := m.model.Complete(ctx, q, onDelta)
	if err == nil && answer.Finish == llm.FinishStop && !m.cache.options.Secret(answer.Text) {
		m.cache.keep(ctx, key, answer)
	}
	return answer, err
}

// keyOf names a question to a model.
func keyOf(provider, id string, q llm.Request) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %d %s %s", len(provider), provider, len(id), id, q.Hash()))
	return hex.EncodeToString(sum[:])
}

// find is the answer to a question, if it is known.
func (c *Cache) find(ctx context.Context, key string) (llm.Response, bool) {
	began := time.Now()
	answer, found, err := c.load(ctx, key)
	if err != nil {
		c.complain(ctx, err)
		return answer, false
	}
	answer.Cached, answer.Latency, answer.Usage, answer.Cost = true, time.Since(began), llm.Usage{}, llm.Cost{}
	return answer, found
}

// keep keeps an answer also if its caller is gone meanwhile: it was billed.
func (c *Cache) keep(ctx context.Context, key string, answer llm.Response) {
	if err := c.store(context.WithoutCancel(ctx), key, answer); err != nil {
		c.complain(ctx, err)
	}
}

// complain reports once that the file cannot be used. That a caller is gone is no news.
func (c *Cache) complain(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	c.failing.Do(func() { c.options.Note(fmt.Sprintf("answers of models cannot be kept for now: %v", err)) })
}

// load is an answer of the file.
func (c *Cache) load(ctx context.Context, key string) (answer llm.Response, found bool, err error) {
	var kept []byte
	err = c.db.Read().QueryRowContext(ctx, "SELECT answer FROM answers WHERE key = ?", key).Scan(&kept)
	if errors.Is(err, sql.ErrNoRows) {
		return answer, false, nil
	}
	if err != nil {
		return answer, false, c.db.Explain(err)
	}
	if err := json.Unmarshal(kept, &answer); err != nil {
		return answer, false, nil //nolint:nilerr // another version of Forge kept it: it is as good as none
	}
	return answer, true, c.db.WriteRelaxed(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE answers SET used = ? WHERE key = ?", c.options.Now().UnixNano(), key)
		return err
	})
}

// store keeps an answer, and makes room for it.
func (c *Cache) store(ctx context.Context, key string, answer llm.Response) error {
	kept, err := json.Marshal(answer)
	if err != nil {
		return fmt.Errorf("keep an answer: %w", err)
	}
	if int64(len(kept)) > c.options.Bytes {
		return nil
	}
	return c.db.WriteRelaxed(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT OR REPLACE INTO answers (key, answer, size, used) VALUES (?, ?, ?, ?)",
			key, kept, len(kept), c.options.Now().UnixNano())
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM answers WHERE key IN (SELECT key FROM (
			SELECT key, sum(size) OVER (ORDER BY used DESC, key ROWS UNBOUNDED PRECEDING) AS together FROM answers
		) WHERE together > ?)`, c.options.Bytes)
		return err
	})
}

// Clear deletes all answers, and returns how many there were.
func (c *Cache) Clear(ctx context.Context) (answers int, err error) {
	err = c.db.Write(ctx, func(tx *sql.Tx) error {
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM answers").Scan(&answers); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "DELETE FROM answers")
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("clear the answers that are kept: %w", err)
	}
	return answers, nil
}
