package memory

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/internal/sqlite"
)

// Playbook is how something is done, for tasks that share its tags. Its title, however it is spelled in upper
// and lower case, is its identity.
type Playbook struct {
	ID      ID
	Title   string
	Content string // Markdown
	Tags    []string
	Source  Source

	Created, Updated time.Time
}

const playbookColumns = "id, title, content, tags, created_at, updated_at, " + sourceColumns

func scanPlaybook(row sqlite.Row) (Playbook, error) {
	var p Playbook
	var id int64
	var tags string
	err := row.Scan(append([]any{&id, &p.Title, &p.Content, &tags, moment{&p.Created}, moment{&p.Updated}}, p.Source.scan()...)...)
	if err == nil {
		err = json.Unmarshal([]byte(tags), &p.Tags)
	}
	p.ID = kindPlaybook.numbered(id)
	return p, err
}

// SavePlaybook keeps a playbook, and replaces the one of the same title.
func (s *Store) SavePlaybook(ctx context.Context, p Playbook) (saved Playbook, err error) {
	err = s.update(ctx, "save a playbook", func(tx *sql.Tx) error {
		saved, err = putPlaybook(ctx, tx, p, s.now())
		return err
	})
	return saved, err
}

func putPlaybook(ctx context.Context, tx *sql.Tx, p Playbook, now time.Time) (Playbook, error) {
	if err := p.check(); err != nil {
		return Playbook{}, err
	}
	tags, err := tagsText(p.Tags)
	if err != nil {
		return Playbook{}, err
	}
	return scanPlaybook(tx.QueryRowContext(ctx, `INSERT INTO playbooks (title, folded, content, tags, created_at, updated_at, `+
		sourceColumns+`) VALUES (`+sqlite.Marks(11)+`)
		ON CONFLICT (folded) DO UPDATE SET title = excluded.title, content = excluded.content, tags = excluded.tags,
			updated_at = excluded.updated_at, origin = excluded.origin, run = excluded.run, node = excluded.node,
			event = excluded.event, detail = excluded.detail
		RETURNING `+playbookColumns,
		values(strings.TrimSpace(p.Title), fold(p.Title), p.Content, tags, stamp(now), stamp(now), p.Source.args())...))
}

func (p Playbook) check() error {
	if fold(p.Title) == "" || strings.TrimSpace(p.Content) == "" {
		return fmt.Errorf("%w: a playbook needs a title and a content", ErrInvalid)
	}
	return p.Source.check()
}

// Playbooks returns all playbooks in the order of their titles.
func (s *Store) Playbooks(ctx context.Context) ([]Playbook, error) {
	return list(ctx, s, "list playbooks", scanPlaybook, `SELECT `+playbookColumns+` FROM playbooks ORDER BY folded`)
}

// PlaybooksFor returns at most five playbooks of the project and the global memory that share at least two tags, or all of theirs: those
// that share most first, the project's before the global ones. One tag of several, such as a language, is no likeness.
func (p *Project) PlaybooksFor(ctx context.Context, tags []string) ([]Playbook, error) {
	type ranked struct {
		Playbook
		shared int
	}
	var found []ranked
	for _, s := range []*Store{p.Store, p.Global.Store} {
		all, err := s.Playbooks(ctx)
		if err != nil {
			return nil, err
		}
		for _, playbook := range all {
			if n := sharedTags(playbook.Tags, tags); n > 0 && n >= min(2, len(playbook.Tags)) {
				found = append(found, ranked{playbook, n})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b ranked) int { return cmp.Compare(b.shared, a.shared) })
	var best []Playbook
	for _, r := range cutTo(playbookQuota, found) {
		best = append(best, r.Playbook)
	}
	return best, nil
}

// sharedTags counts the tags of a playbook that are asked for.
func sharedTags(has, asked []string) (n int) {
	for _, tag := range has {
		if slices.ContainsFunc(asked, func(a string) bool { return fold(a) == tag }) {
			n++
		}
	}
	return n
}
