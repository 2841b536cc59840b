package memory

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"slices"
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

// SavePattern stores a pattern without a verdict. If it exists already, it replaces those of its fix, context and tags that are
// given, and keeps its counts and its provenance.
func (s *Store) SavePattern(ctx context.Context, p Pattern) (saved Pattern, err error) {
	err = s.update(ctx, "save a pattern", func(tx *sql.Tx) error {
		saved, err = putPattern(ctx, tx, p, s.now())
		return err
	})
	return saved, err
}

// Learn stores a pattern as SavePattern does, and adds the verdict of a gate. A gate counts once for each attempt, however often it is
// reported.
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

// Judge adds the verdict of a gate to an existing pattern.
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

func onePattern(ctx context.Context, q sqlite.RowSource, n int64, now time.Time) (Pattern, error) {
	return selectOne(ctx, q, string(kindPattern.numbered(n)), scanPattern(now), `SELECT `+patternColumns+` FROM patterns WHERE id = ?`, n)
}

// FindPattern returns the pattern of a category with a text, however that is spelled in upper and lower case.
func (s *Store) FindPattern(ctx context.Context, c Category, text string) (p Pattern, err error) {
	err = s.view(ctx, "find a pattern", func(q sqlite.RowSource) error {
		p, err = selectOne(ctx, q, fmt.Sprintf("the %s %q", c, text), scanPattern(s.now()),
			`SELECT `+patternColumns+` FROM patterns WHERE category = ? AND folded = ?`, string(c), fold(text))
		return err
	})
	return p, err
}

// Patterns returns the patterns of some categories, or of all where none is named, in the order of category and
// text. Those that are hidden are among them.
func (s *Store) Patterns(ctx context.Context, categories ...Category) ([]Pattern, error) {
	var w sqlite.Where
	sqlite.In(&w, "category", categories)
	return list(ctx, s, "list patterns", scanPattern(s.now()), `SELECT `+patternColumns+` FROM patterns`+w.String()+` ORDER BY category, folded`, w.Args...)
}

// tagsText is a set of tags as it is in the database: a JSON list, sorted and folded.
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

// Category is the kind of a pattern.
type Category string

// The five categories (ADR 153).
const (
	Convention     Category = "convention"      // a rule of a linter or formatter that was broken, and the fix
	Dependency     Category = "dependency"      // a missing module or package, and the fix
	FailurePattern Category = "failure_pattern" // what a compiler or a test rejected, and the fix
	SuccessPattern Category = "success_pattern" // a kind of work in a folder that gates and the review accepted
	TestCommand    Category = "test_command"    // a command that runs the tests of the folder
)

// Categories are all of them, in the order they are shown.
var Categories = []Category{Convention, Dependency, FailurePattern, SuccessPattern, TestCommand}

// Pattern is something learned: what was seen, and what to do about it. Category and Text, however it is
// spelled in upper and lower case, are its identity.
type Pattern struct {
	ID       ID
	Category Category
	Text     string // a sentence, or a key like "bugfix:engine/step" that Key makes
	Fix      string
	Context  string // where it was seen, for users and for recall
	Tags     []string
	Source   Source // who named it first

	// The fields below are read, and never written: they are counted from verdicts of gates.
	Successes, Failures int
	Confidence          float64 // with what has faded; see Confidence and Decay
	Created, Judged     time.Time
}

// Key is the text of a pattern about an intent in a scope ("bugfix", "engine/step"): one spelling, made in
// one place, so that what is recorded under it is found under it.
func Key(intent, scope string) string { return fold(intent) + ":" + fold(scope) }

// WorkOf describes the work that a Key names: "bugfix work in engine/step".
func WorkOf(key string) string {
	intent, scope, is := strings.Cut(key, ":")
	switch {
	case !is:
		return key
	case scope == ".":
		scope = "the whole folder"
	}
	return intent + " work in " + scope
}

// fold makes two spellings of a text the same: case and runs of white space do not count.
func fold(text string) string { return strings.ToLower(strings.Join(strings.Fields(text), " ")) }

// check refuses a pattern that could not be found again.
func (p Pattern) check() error {
	if !slices.Contains(Categories, p.Category) {
		return fmt.Errorf("%w: the category must be one of %q, not %q", ErrInvalid, Categories, p.Category)
	}
	if fold(p.Text) == "" {
		return fmt.Errorf("%w: a pattern needs a text", ErrInvalid)
	}
	return p.Source.check()
}

// Confidence is Laplace's rule of succession over verdicts of gates: (s+1)/(s+f+2). It is 0.5 where
// nothing has been judged.
func Confidence(successes, failures int) float64 {
	return float64(successes+1) / float64(successes+failures+2)
}

// How a confidence fades.
const (
	fadeFactor = 0.95
	fadePeriod = 30 * day
	// HiddenBelow is the confidence under which a pattern is not recalled. It is not deleted: a verdict
	// brings it back.
	HiddenBelow = 0.05
)

// Decay is what is left of a confidence after a time without a verdict: ×0.95 for each thirty days that are
// over. It is a function of time, not of how often it is computed.
func Decay(confidence float64, idle time.Duration) float64 {
	if idle < fadePeriod {
		return confidence
	}
	return confidence * math.Pow(fadeFactor, float64(idle/fadePeriod))
}

// statedConfidence is what the user's own word counts for until a gate has contradicted it.
const statedConfidence = 0.7

// confidenceAt is the confidence of a pattern at a time. A pattern of the user begins at 0.7, which passing verdicts
// only raise; after the first failing one the common rule applies.
func (p Pattern) confidenceAt(now time.Time) float64 {
	return Decay(p.Counted(), now.Sub(p.Since()))
}

// Since is when the confidence began to fade: at the last verdict, or else when the pattern was made.
func (p Pattern) Since() time.Time {
	if p.Judged.IsZero() {
		return p.Created
	}
	return p.Judged
}

// Verdict is the verdict of a gate: only it moves the confidence of a pattern, by one count.
// It is made by Passed and Failed from the report of a gate that was executed. There is no way to make one
// from a number, so that no model's opinion of itself can ever count. The zero value counts nothing and is
// refused.
type Verdict struct {
	passed bool
	report GateReport
}

// GateReport identifies the check, so that the count can be traced back to it, and is counted once however often a
// resumed run reports it.
type GateReport struct {
	Run      string
	Node     string
	Attempt  int    // of the node, from 1
	Gate     string // "go test"
	Executed int    // checks that were executed: at least one
	Summary  string // what the gate said, for users
	Event    int64  // the number of its event in the run's log; 0: unknown
}

// Passed is the verdict of a gate that let a change through.
func Passed(r GateReport) (Verdict, error) { return judged(true, r) }

// Failed is the verdict of a gate that refused a change.
func Failed(r GateReport) (Verdict, error) { return judged(false, r) }

func judged(passed bool, r GateReport) (Verdict, error) {
	switch {
	case r.Run == "" || r.Node == "" || r.Gate == "" || r.Attempt < 1:
		return Verdict{}, fmt.Errorf("%w: a verdict names its run, node, attempt and gate", ErrInvalid)
	case r.Executed < 1:
		return Verdict{}, fmt.Errorf("%w: %s executed nothing: that is no verdict", ErrInvalid, r.Gate)
	}
	return Verdict{passed: passed, report: r}, nil
}

// word is the verdict as it is in the database.
func (v Verdict) word() string {
	if v.passed {
		return "pass"
	}
	return "fail"
}
