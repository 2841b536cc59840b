package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"forge/internal/sqlite"
)

const entryColumns = "id, tier, agent, key, value, tokens, priority, expires_at, synopsis, created_at, updated_at, " + sourceColumns

func scanEntry(row sqlite.Row) (Entry, error) {
	var e Entry
	var id int64
	var value string
	err := row.Scan(append([]any{&id, &e.Tier, &e.Agent, &e.Key, &value, &e.Tokens, &e.Priority, moment{&e.Expires}, &e.Synopsis,
		moment{&e.Created}, moment{&e.Updated}}, e.Source.scan()...)...)
	e.ID, e.Value = kindEntry.numbered(id), json.RawMessage(value)
	return e, err
}

// Write stores an entry, and replaces the one of the same tier, agent and key. It returns the entry as
// stored, with its id.
func (s *Store) Write(ctx context.Context, e Entry) (Entry, error) {
	if err := e.check(); err != nil {
		return Entry{}, fmt.Errorf("write to memory: %w", err)
	}
	var kept Entry
	err := s.update(ctx, "write to memory", func(tx *sql.Tx) (err error) {
		kept, err = putEntry(ctx, tx, e, s.now())
		return err
	})
	return kept, err
}

func putEntry(ctx context.Context, tx *sql.Tx, e Entry, now time.Time) (Entry, error) {
	kept, err := scanEntry(tx.QueryRowContext(ctx, `INSERT INTO memory (tier, agent, key, value, tokens, priority, expires_at,
			created_at, updated_at, `+sourceColumns+`) VALUES (`+sqlite.Marks(14)+`)
		ON CONFLICT (tier, agent, key) DO UPDATE SET value = excluded.value, tokens = excluded.tokens, priority = excluded.priority,
			expires_at = excluded.expires_at, synopsis = 0, updated_at = excluded.updated_at,
			created_at = CASE tier WHEN 'episodic' THEN excluded.created_at ELSE created_at END,
			origin = excluded.origin, run = excluded.run, node = excluded.node, event = excluded.event, detail = excluded.detail
		RETURNING `+entryColumns,
		values(string(e.Tier), e.Agent, e.Key, string(e.Value), e.tokens(), e.Priority, stamp(e.Expires),
			stamp(now), stamp(now), e.Source.args())...))
	if err != nil {
		return Entry{}, err
	}
	return kept, indexEntry(ctx, tx, kept)
}

// Read returns the entry under a key. The error matches ErrNotFound if there is none, or if it has expired.
func (s *Store) Read(ctx context.Context, tier Tier, agent, key string) (Entry, error) {
	what := fmt.Sprintf("the %s entry %q of %q", tier, key, agent)
	var e Entry
	err := s.view(ctx, "read", func(q sqlite.RowSource) (err error) {
		e, err = selectOne(ctx, q, what, scanEntry, `SELECT `+entryColumns+` FROM memory WHERE tier = ? AND agent = ? AND key = ?
			AND (expires_at = '' OR expires_at > ?)`, string(tier), agent, key, stamp(s.now()))
		return err
	})
	return e, err
}

// EntryFilter chooses entries. Its zero value chooses all.
type EntryFilter struct {
	Tier   Tier     // empty: all
	Agents []string // empty: all
	Prefix string   // of the key
}

// List returns entries in the order of tier, agent and key.
func (s *Store) List(ctx context.Context, f EntryFilter) ([]Entry, error) {
	var w sqlite.Where
	w.And("(expires_at = '' OR expires_at > ?)", stamp(s.now()))
	if f.Tier != "" {
		w.And("tier = ?", string(f.Tier))
	}
	sqlite.In(&w, "agent", f.Agents)
	if f.Prefix != "" {
		w.And("substr(key, 1, length(?)) = ?", f.Prefix, f.Prefix)
	}
	return list(ctx, s, "list memory", scanEntry, `SELECT `+entryColumns+` FROM memory`+w.String()+` ORDER BY tier, agent, key`, w.Args...)
}

// cutTo is the first n of a list; zero and less are all.
func cutTo[T any](n int, list []T) []T {
	if n <= 0 || n >= len(list) {
		return list
	}
	return list[:n]
}

func deleteEntry(ctx context.Context, tx *sql.Tx, id int64) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM memory_words WHERE rowid = ?`, id); err != nil {
		return err
	}
	return deleteRow(ctx, tx, `DELETE FROM memory WHERE id = ?`, id)
}

// deleteRow deletes one row, which must be there.
func deleteRow(ctx context.Context, tx *sql.Tx, statement string, id any) error {
	result, err := tx.ExecContext(ctx, statement, id)
	if err != nil {
		return err
	}
	n, err := result.RowsAffected()
	if err == nil && n == 0 {
		err = ErrNotFound
	}
	return err
}

// Tier is how long an entry is kept.
type Tier string

// The tiers.
const (
	Mid      Tier = "mid"      // until a day after its run has ended
	Episodic Tier = "episodic" // thirty days, and as a synopsis ninety
	Long     Tier = "long"     // for good
)

// Tiers are all of them, from the shortest to the longest.
var Tiers = []Tier{Mid, Episodic, Long}

// Entry is one value under a key. Tier, Agent and Key are its identity: to write it again replaces it.
type Entry struct {
	ID       ID // given by Write
	Tier     Tier
	Agent    string // that keeps it; may be empty
	Key      string
	Value    json.RawMessage // see JSON
	Source   Source
	Tokens   int       // what it costs in a prompt; 0: a quarter of its bytes
	Priority int       // of the user's entries in prompts: the highest first; 0 is usual
	Expires  time.Time // zero: as its tier has it
	Synopsis bool      // the value has been reduced by gc

	Created, Updated time.Time // given by Write
}

// JSON is a text as a value: unchanged if it is JSON already, else as a JSON string.
func JSON(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		return json.RawMessage(`""`) // not reached: every string can be marshalled
	}
	return quoted
}

// check refuses what could not be read again.
func (e Entry) check() error {
	switch {
	case !slices.Contains(Tiers, e.Tier):
		return fmt.Errorf("%w: the tier must be one of %q, not %q", ErrInvalid, Tiers, e.Tier)
	case e.Key == "":
		return fmt.Errorf("%w: an entry needs a key", ErrInvalid)
	case !e.Expires.IsZero() && (e.Expires.UTC().Year() < 0 || e.Expires.UTC().Year() > 9999):
		return fmt.Errorf("%w: the year in which %q expires has more than four digits", ErrInvalid, e.Key)
	case !json.Valid(e.Value):
		return fmt.Errorf("%w: the value of %q is not JSON", ErrInvalid, e.Key)
	}
	return e.Source.check()
}

// tokens is what the entry costs in a prompt, about.
func (e Entry) tokens() int {
	if e.Tokens > 0 {
		return e.Tokens
	}
	return (len(e.Value) + 3) / 4
}
