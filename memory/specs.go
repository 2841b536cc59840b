package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"forge/internal/sqlite"
)

// Spec is one version of the specification of a project. Versions are append-only: a number names one text
// for ever, no number is given twice, and nothing changes an existing version. gc removes whole versions, the oldest
// first, and never one of the last ten; they are then ErrCollected.
type Spec struct {
	ID        ID
	Version   int // from 1
	Prompt    string
	Text      string // Markdown
	Changelog string // one line: what this version changes
	Source    Source
	Created   time.Time
}

const specColumns = "version, prompt, spec_md, changelog, created_at, " + sourceColumns

func scanSpec(row sqlite.Row) (Spec, error) {
	var s Spec
	err := row.Scan(append([]any{&s.Version, &s.Prompt, &s.Text, &s.Changelog, moment{&s.Created}}, s.Source.scan()...)...)
	s.ID = kindSpec.numbered(int64(s.Version))
	return s, err
}

// SaveSpec appends a version, and returns it with its number. A nonzero Version is the number that it must get: the error matches ErrExists
// if that is not the next one, for example because another process has appended meanwhile.
func (p *Project) SaveSpec(ctx context.Context, spec Spec) (Spec, error) {
	var saved Spec
	err := p.update(ctx, "save the specification", func(tx *sql.Tx) error {
		if err := spec.Source.check(); err != nil {
			return err
		}
		latest, err := latestSpec(ctx, tx)
		if err != nil {
			return err
		}
		if spec.Version != 0 && spec.Version != latest+1 {
			return fmt.Errorf("%w: version %d cannot follow version %d; look at what has changed since", ErrExists, spec.Version, latest)
		}
		spec.Version = latest + 1
		saved, err = insertSpec(ctx, tx, spec, p.now())
		return err
	})
	return saved, err
}

func insertSpec(ctx context.Context, tx *sql.Tx, spec Spec, now time.Time) (Spec, error) {
	return scanSpec(tx.QueryRowContext(ctx, `INSERT INTO spec_versions (`+specColumns+`) VALUES (`+sqlite.Marks(10)+`) RETURNING `+specColumns,
		values(spec.Version, spec.Prompt, spec.Text, spec.Changelog, stamp(now), spec.Source.args())...))
}

// latestSpec is the highest number of a version, or 0.
func latestSpec(ctx context.Context, q sqlite.RowSource) (n int, err error) {
	err = q.QueryRowContext(ctx, `SELECT ifnull(max(version), 0) FROM spec_versions`).Scan(&n)
	return n, err
}

// Spec returns a version; 0 is the latest. It is ErrNotFound or, where gc has been, ErrCollected.
func (p *Project) Spec(ctx context.Context, version int) (spec Spec, err error) {
	err = p.view(ctx, "read the specification", func(q sqlite.RowSource) error {
		spec, err = oneSpec(ctx, q, version)
		return err
	})
	return spec, err
}

func oneSpec(ctx context.Context, q sqlite.RowSource, version int) (Spec, error) {
	if version == 0 {
		return selectOne(ctx, q, "a specification", scanSpec, `SELECT `+specColumns+` FROM spec_versions ORDER BY version DESC LIMIT 1`)
	}
	spec, err := selectOne(ctx, q, fmt.Sprintf("version %d", version), scanSpec,
		`SELECT `+specColumns+` FROM spec_versions WHERE version = ?`, version)
	if errors.Is(err, ErrNotFound) && version > 0 {
		latest, latestErr := latestSpec(ctx, q)
		if latestErr == nil && version < latest {
			return Spec{}, fmt.Errorf("version %d: %w: the last %d versions are", version, ErrCollected, specsKept)
		}
	}
	return spec, err
}

// Specs returns the versions that are kept, the latest first.
func (p *Project) Specs(ctx context.Context) ([]Spec, error) {
	return list(ctx, p.Store, "list the specifications", scanSpec, `SELECT `+specColumns+` FROM spec_versions ORDER BY version DESC`)
}

// SpecPair returns two versions as they were at one moment, to be compared; 0 is the latest.
func (p *Project) SpecPair(ctx context.Context, a, b int) (before, after Spec, err error) {
	err = p.view(ctx, "compare specifications", func(q sqlite.RowSource) error {
		if before, err = oneSpec(ctx, q, a); err == nil {
			after, err = oneSpec(ctx, q, b)
		}
		return err
	})
	return before, after, err
}

// RollbackSpec appends a new version with the text of an old one. Nothing is taken back.
func (p *Project) RollbackSpec(ctx context.Context, version int, source Source) (saved Spec, err error) {
	err = p.update(ctx, "roll the specification back", func(tx *sql.Tx) error {
		if err := source.check(); err != nil {
			return err
		}
		if version < 1 {
			return fmt.Errorf("%w: %d is no version", ErrInvalid, version)
		}
		old, err := oneSpec(ctx, tx, version)
		if err != nil {
			return err
		}
		latest, err := latestSpec(ctx, tx)
		if err != nil {
			return err
		}
		saved, err = insertSpec(ctx, tx, Spec{
			Version: latest + 1, Prompt: old.Prompt, Text: old.Text, Source: source,
			Changelog: fmt.Sprintf("Back to version %d.", version),
		}, p.now())
		return err
	})
	return saved, err
}
