package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"forge/internal/sqlite"
)

const patternColumns = "id, category, pattern, fix, context, tags, successes, failures, judged_at, created_at, " + sourceColumns

// scanPattern scans a pattern with its confidence at a time.
func scanPattern(now time.Time) func(row sqlite.Row) (Pattern, error) {
	return func(row sqlite.Row) (Pattern, error) {
		var p Pattern
		var id int64
		var tags string
		err := row.Scan(append([]any{&id, &p.Category, &p.Text, &p.Fix, &p.Context, &tags, &p.Successes, &p.Failures,
			moment{&p.Judged}, moment{&p.Created}}, p.Source.scan()...)...)
		if err == nil {
			err = json.Unmarshal([]byte(tags), &p.Tags)
		}
		p.ID, p.Confidence = kindPattern.numbered(id), p.confidenceAt(now)
		return p, err
	}
}

// SavePattern keeps a pattern that nothing has judged yet. Where it is known already its fix, context and
// tags are replaced as far as they are given; its counts and its provenance stay.
func (s *Store) SavePattern(ctx context.Context, p Pattern) (saved Pattern, err error) {
	err = s.update(ctx, "save a pattern", func(tx *sql.Tx) error {
		saved, err = putPattern(ctx, tx, p, s.now())
		return err
	})
	return saved, err
}

// Learn keeps a pattern together with what a gate said of it. The same gate of the same attempt counts once,
// however often it is reported.
func (s *Store) Learn(ctx context.Context, p Pattern, v Verdict) (learned Pattern, err error) {
	err = s.update(ctx, "learn a pattern", func(tx *sql.Tx) error {
		saved, err := putPattern(ctx, tx, p, s.now())
		if err == nil {
			learned, err = judge(ctx, tx, saved.ID, v, s.now())
		}
		return err
	})
	return learned, err
}

// Judge adds what a gate said of a pattern that is there.
func (s *Store) Judge(ctx context.Context, id ID, v Verdict) (judged Pattern, err error) {
	err = s.update(ctx, "judge "+string(id), func(tx *sql.Tx) error {
		judged, err = judge(ctx, tx, id, v, s.now())
		return err
	})
	return judged, err
}

func putPattern(ctx context.Context, tx *sql.Tx, p Pattern, now time.Time) (Pattern, error) {
	if err := p.check(); err != nil {
		return Pattern{}, err
	}
	tags, err := tagsText(p.Tags)
	if err != nil {
		return Pattern{}, err
	}
	saved, err := scanPattern(now)(tx.QueryRowContext(ctx, `INSERT INTO patterns (category, pattern, folded, fix, context, tags,
			created_at, updated_at, `+sourceColumns+`) VALUES (`+sqlite.Marks(13)+`)
		ON CONFLICT (category, folded) DO UPDATE SET updated_at = excluded.updated_at,
			fix = CASE excluded.fix WHEN '' THEN fix ELSE excluded.fix END,
			context = CASE excluded.context WHEN '' THEN context ELSE excluded.context END,
			tags = CASE excluded.tags WHEN '[]' THEN tags ELSE excluded.tags END
		RETURNING `+patternColumns,
		values(string(p.Category), strings.TrimSpace(p.Text), fold(p.Text), p.Fix, p.Context, tags, stamp(now), stamp(now), p.Source.args())...))
	if err != nil {
		return Pattern{}, err
	}
	return saved, indexPattern(ctx, tx, saved)
}

// judge adds a row of evidence; the counts follow by a trigger.
func judge(ctx context.Context, tx *sql.Tx, id ID, v Verdict, now time.Time) (Pattern, error) {
	n, err := id.numberOf(kindPattern)
	if err != nil {
		return Pattern{}, err
	}
	r := v.report
	if r.Executed < 1 {
		return Pattern{}, fmt.Errorf("%w: no gate has given this verdict", ErrInvalid)
	}
	if _, err := onePattern(ctx, tx, n, now); err != nil {
		return Pattern{}, err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO evidence (pattern, verdict, run, node, attempt, gate, summary, event, at)
		VALUES (`+sqlite.Marks(9)+`) ON CONFLICT DO NOTHING`, n, v.word(), r.Run, r.Node, r.Attempt, r.Gate, r.Summary, r.Event, stamp(now))
	if err != nil {
		return Pattern{}, err
	}
	return onePattern(ctx, tx, n, now)
}

func onePattern(ctx context.Context, q querier, n int64, now time.Time) (Pattern, error) {
	return selectOne(ctx, q, string(kindPattern.numbered(n)), scanPattern(now), `SELECT `+patternColumns+` FROM patterns WHERE id = ?`, n)
}

// FindPattern gives the pattern of a category with a text, however that is spelled in upper and lower case.
func (s *Store) FindPattern(ctx context.Context, c Category, text string) (p Pattern, err error) {
	err = s.view(ctx, "find a pattern", func(q querier) error {
		p, err = selectOne(ctx, q, fmt.Sprintf("the %s %q", c, text), scanPattern(s.now()),
			`SELECT `+patternColumns+` FROM patterns WHERE category = ? AND folded = ?`, string(c), fold(text))
		return err
	})
	return p, err
}

// Patterns gives the patterns of some categories, or of all where none is named, in the order of category and
// text. Those that are hidden are among them.
func (s *Store) Patterns(ctx context.Context, categories ...Category) (all []Pattern, err error) {
	var w sqlite.Where
	sqlite.In(&w, "category", categories)
	err = s.view(ctx, "list patterns", func(q querier) error {
		all, err = sqlite.All(ctx, q, scanPattern(s.now()), `SELECT `+patternColumns+` FROM patterns`+w.String()+
			` ORDER BY category, folded`, w.Args...)
		return err
	})
	return all, err
}

// tagsText is a set of tags as it stands in the database: a JSON list, sorted and folded.
func tagsText(tags []string) (string, error) {
	folded := []string{}
	for _, t := range tags {
		if t = fold(t); t != "" {
			folded = append(folded, t)
		}
	}
	text, err := json.Marshal(asSet(folded))
	return string(text), err
}

// epoch is a time for scanPattern if the confidence does not matter.
var epoch = time.Time{}
