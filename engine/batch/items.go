package batch

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"forge/engine/llm"
	"forge/internal/failpoint"
	"forge/internal/sqlite"
)

// item is one stored request.
type item struct {
	key     string
	line    line
	run     string
	node    string
	request []byte
	job     string   // the label of its job; empty: it is gathered
	alone   bool     // it needs a job without other items
	outcome *outcome // nil: still awaited
}

// gather stores a request, unless it is known already. A temporary outcome that was delivered is requested again.
func (r *records) gather(ctx context.Context, i item) error {
	failpoint.Hit(FailGather)
	now := sqlite.Unix(r.options.Now())
	err := r.db.Write(ctx, func(tx *sql.Tx) error {
		var kept []byte
		var delivered int64
		err := tx.QueryRowContext(ctx, "SELECT outcome, delivered FROM items WHERE key = ?", i.key).Scan(&kept, &delivered)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			_, err := tx.ExecContext(ctx, `INSERT INTO items (key, provider, model, run, node, request, gathered)
				VALUES (?, ?, ?, ?, ?, ?, ?)`, i.key, i.line.provider, i.line.model, i.run, i.node, i.request, now)
			return err
		case err != nil:
			return err
		case kept == nil:
			return want(ctx, tx, i.key, now)
		}
		if o, err := unmarshalOutcome(kept); err == nil && (delivered == 0 || !o.isFleeting()) {
			return nil
		}
		_, err = tx.ExecContext(ctx, `UPDATE items SET request = ?, job = NULL, gathered = ?, outcome = NULL, answered = 0, delivered = 0,
			wanted = 1 WHERE key = ?`, i.request, now, i.key)
		return err
	})
	if err != nil {
		return unable(ctx, fmt.Errorf("store a batched request: %w", err))
	}
	failpoint.Hit(FailGathered)
	return nil
}

// want marks an unwanted item as wanted again, and withdraws the cancellation of its job if the provider has not received it.
func want(ctx context.Context, tx *sql.Tx, key string, now int64) error {
	_, err := tx.ExecContext(ctx, "UPDATE items SET wanted = 1, gathered = iif(job IS NULL, ?, gathered) WHERE key = ?", now, key)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE jobs SET cancelled = 0 WHERE cancelled = 1 AND label = (SELECT job FROM items WHERE key = ?)", key)
	return err
}

// standing returns the items of keys, by key.
func (r *records) standing(ctx context.Context, keys []string) (map[string]item, error) {
	wanted, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	items, err := r.items(ctx, "SELECT "+itemColumns+" FROM items WHERE key IN (SELECT value FROM json_each(?))", string(wanted))
	if err != nil {
		return nil, fmt.Errorf("read the batched requests: %w", err)
	}
	all := map[string]item{}
	for _, i := range items {
		all[i.key] = i
	}
	return all, nil
}

// itemColumns are the columns that items reads. The request itself is read only for sending.
const itemColumns = "key, provider, model, run, node, job, alone, outcome"

func (r *records) items(ctx context.Context, query string, args ...any) ([]item, error) {
	all, err := sqlite.All(ctx, r.db.Read(), scanItem, query, args...)
	return all, r.db.Explain(err)
}

func scanItem(row sqlite.Row) (i item, err error) {
	var job sql.NullString
	var kept []byte
	if err := row.Scan(&i.key, &i.line.provider, &i.line.model, &i.run, &i.node, &job, &i.alone, &kept); err != nil {
		return i, err
	}
	i.job = job.String
	if kept == nil {
		return i, nil
	}
	o, err := unmarshalOutcome(kept)
	if err != nil {
		return i, fmt.Errorf("read the outcome of a request: %w", err)
	}
	i.outcome = &o
	return i, nil
}

// requests returns the items of a job that have no outcome, in the form for providers.
func (r *records) requests(ctx context.Context, label string) ([]llm.BatchItem, error) {
	all, err := sqlite.All(ctx, r.db.Read(), func(row sqlite.Row) (i llm.BatchItem, err error) {
		var request []byte
		if err := row.Scan(&i.Key, &request); err != nil {
			return i, err
		}
		if err := json.Unmarshal(request, &i.Request); err != nil {
			return i, fmt.Errorf("read a stored request: %w", err)
		}
		return i, nil
	}, "SELECT key, request FROM items WHERE job = ? AND outcome IS NULL ORDER BY gathered, key", label)
	return all, r.db.Explain(err)
}

// delivered records that a waiter received the outcome of an item.
func (r *records) delivered(ctx context.Context, key string) error {
	failpoint.Hit(FailDeliver)
	err := r.db.WriteRelaxed(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE items SET delivered = ? WHERE key = ?", sqlite.Unix(r.options.Now()), key)
		return err
	})
	if err != nil {
		return fmt.Errorf("record that an answer was delivered: %w", err)
	}
	failpoint.Hit(FailDelivered)
	return nil
}

// prune deletes items and jobs that ended long ago.
func (r *records) prune(ctx context.Context) error {
	before := sqlite.Unix(r.options.Now().Add(-r.options.Timing.Keep))
	err := r.db.WriteRelaxed(ctx, func(tx *sql.Tx) error {
		for _, statement := range []string{
			"DELETE FROM items WHERE answered <> 0 AND answered < ?1",
			"DELETE FROM items WHERE job IS NULL AND gathered < ?1",
			"DELETE FROM jobs WHERE created < ?1 AND NOT EXISTS (SELECT 1 FROM items WHERE job = label)",
		} {
			if _, err := tx.ExecContext(ctx, statement, before); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("delete old batches: %w", err)
	}
	return nil
}

// line identifies requests that can share a job: those for one model.
type line struct{ provider, model string }

func lineOf(c llm.Candidate) line { return line{c.Provider, c.ID} }

// keyOf returns the name of an item: the same for the same request with the same key, in any process. The request is part of it,
// because a retry may omit a feature that the provider rejects. Without a key each request is a new one.
func keyOf(l line, r llm.Request, request []byte) string {
	if r.Key == "" {
		return rand.Text()
	}
	sum := sha256.New()
	for _, part := range []string{l.provider, l.model, r.Key, string(request)} {
		fmt.Fprintf(sum, "%d\n%s\n", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)[:20])
}

// outcome is the stored result of an item.
type outcome struct {
	Response llm.Response
	Failure  *failure `json:",omitempty"`
}

// failure is a stored *llm.Error.
type failure struct {
	Kind       llm.Kind
	Status     int           `json:",omitempty"`
	RetryAfter time.Duration `json:",omitempty"`
	Feature    llm.Feature   `json:",omitempty"`
	Model      string
	Message    string
}

func outcomeOf(r llm.BatchResult, model string) outcome {
	o := outcome{Response: r.Response}
	if r.Err == nil {
		return o
	}
	o.Failure = &failure{Kind: llm.KindInvalid, Model: model, Message: r.Err.Error()}
	if e := (*llm.Error)(nil); errors.As(r.Err, &e) {
		*o.Failure = failure{e.Kind, e.Status, e.RetryAfter, e.Feature, e.Model, fmt.Sprint(e.Err)}
	}
	return o
}

// expired returns the outcome of an item that was never answered.
func expired(model string) outcome {
	return outcomeOf(llm.BatchResult{Err: &llm.Error{
		Kind: llm.KindMissing, Model: model, Err: errors.New("the batch ended before it was answered"),
	}}, model)
}

// isFleeting reports whether a repeated request may have another result.
func (o outcome) isFleeting() bool {
	fleeting := []llm.Kind{llm.KindTransient, llm.KindRateLimited, llm.KindTruncated, llm.KindMissing, llm.KindAuth, llm.KindUnavailable, llm.KindBudget}
	return o.Failure != nil && slices.Contains(fleeting, o.Failure.Kind)
}

// isMissing reports whether the provider let the item expire.
func (o outcome) isMissing() bool { return o.Failure != nil && o.Failure.Kind == llm.KindMissing }

// result converts the outcome to the result of Complete.
func (o outcome) result() (llm.Response, error) {
	if f := o.Failure; f != nil {
		return o.Response, &llm.Error{
			Kind: f.Kind, Status: f.Status, RetryAfter: f.RetryAfter, Feature: f.Feature, Model: f.Model, Err: errors.New(f.Message),
		}
	}
	return o.Response, nil
}

func unmarshalOutcome(data []byte) (o outcome, err error) {
	err = json.Unmarshal(data, &o)
	return o, err
}
