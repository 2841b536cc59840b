package memory

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"forge/internal/sqlite"
)

// Project is the memory of one project, and through Global that of all of them.
type Project struct {
	*Store
	Global *Global
	id     string
}

// Global is what holds for all projects: what was learned everywhere, and which projects there are.
type Global struct{ *Store }

// Open opens the memory of a project below Forge's state folder, and the global one with it. Either file is
// made if it is missing; a damaged one is set aside and rebuilt, which Notes reports.
func Open(ctx context.Context, stateDir, projectID string, o Options) (*Project, error) {
	if err := checkName("project", projectID); err != nil {
		return nil, fmt.Errorf("open memory: %w", err)
	}
	global, err := OpenGlobal(ctx, stateDir, o)
	if err != nil {
		return nil, err
	}
	store, err := openStore(ctx, filepath.Join(stateDir, "projects", projectID, "memory.db"), ScopeProject, o)
	if err != nil {
		return nil, errors.Join(err, global.Close())
	}
	return &Project{Store: store, Global: global, id: projectID}, nil
}

// OpenGlobal opens the memory of all projects.
func OpenGlobal(ctx context.Context, stateDir string, o Options) (*Global, error) {
	store, err := openStore(ctx, filepath.Join(stateDir, "global", "memory.db"), ScopeGlobal, o)
	if err != nil {
		return nil, err
	}
	return &Global{store}, nil
}

// ID is the id that the project was opened with.
func (p *Project) ID() string { return p.id }

// Close closes both files.
func (p *Project) Close() error { return errors.Join(p.Store.Close(), p.Global.Close()) }

// Known is a project that Forge has seen.
type Known struct {
	ID      string
	Name    string
	Path    string // the real path of its folder
	Created time.Time
	Updated time.Time // when it was seen last
}

func scanKnown(row sqlite.Row) (Known, error) {
	var k Known
	err := row.Scan(&k.ID, &k.Name, &k.Path, moment{&k.Created}, moment{&k.Updated})
	return k, err
}

// Register notes that a project was seen, under its name and at its path.
func (g *Global) Register(ctx context.Context, id, name, path string) error {
	if err := checkName("project", id); err != nil {
		return fmt.Errorf("register a project: %w", err)
	}
	return g.update(ctx, "register project "+name, func(tx *sql.Tx) error {
		now := stamp(g.now())
		_, err := tx.ExecContext(ctx, `INSERT INTO projects VALUES (?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET name = excluded.name, path = excluded.path, updated_at = excluded.updated_at`,
			id, name, path, now, now)
		return err
	})
}

// Projects returns the projects that were seen, the last seen first.
func (g *Global) Projects(ctx context.Context) ([]Known, error) {
	return list(ctx, g.Store, "list projects", scanKnown, `SELECT id, name, path, created_at, updated_at FROM projects ORDER BY updated_at DESC, id`)
}
