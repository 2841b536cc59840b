package spend

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"

	"forge/engine/llm"
)

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
	c.mu.Lock()
	c.recent = newRecent(inMemory)
	c.mu.Unlock()
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
