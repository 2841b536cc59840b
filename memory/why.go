package memory

import (
	"context"
	"fmt"
	"slices"
	"time"

	"forge/internal/sqlite"
)

// Provenance is where a row comes from, and what has moved it since.
type Provenance struct {
	ID       ID
	Scope    Scope
	What     string // for users: "entry executor/files of the mid tier"
	Source   Source
	Created  time.Time
	Updated  time.Time // zero: it was never changed
	Pattern  *Pattern  // of a pattern: what it says
	Evidence []Evidence
	Moves    []TaskMove // of a task
}

// Evidence is one verdict that a pattern's confidence was counted from.
type Evidence struct {
	Verdict string // pass or fail
	Report  GateReport
	At      time.Time
}

func scanEvidence(row sqlite.Row) (Evidence, error) {
	var e Evidence
	r := &e.Report
	err := row.Scan(&e.Verdict, &r.Run, &r.Node, &r.Attempt, &r.Gate, &r.Summary, &r.Event, moment{&e.At})
	r.Executed = 1 // at least: verdicts without are not kept
	return e, err
}

// described has, for each kind of row, the query for its description, and when it was made and changed.
var described = map[kind]string{
	kindEntry:     `SELECT 'the ' || tier || ' entry ' || key || iif(agent = '', '', ' of ' || agent), created_at, updated_at, ` + sourceColumns + ` FROM memory WHERE id = ?`,
	kindPattern:   `SELECT category || ': ' || pattern, created_at, updated_at, ` + sourceColumns + ` FROM patterns WHERE id = ?`,
	kindPlaybook:  `SELECT 'the playbook ' || title, created_at, updated_at, ` + sourceColumns + ` FROM playbooks WHERE id = ?`,
	kindSpec:      `SELECT 'version ' || version || ' of the specification', created_at, '', ` + sourceColumns + ` FROM spec_versions WHERE version = ?`,
	kindIteration: `SELECT 'attempt ' || attempt || ' of ' || node, created_at, '', origin, run, node, event, detail FROM iterations WHERE id = ?`,
	kindTask:      `SELECT 'the task ' || title, created_at, updated_at, ` + sourceColumns + ` FROM tasks WHERE id = ?`,
}

// Why returns where a row comes from: its run and node, and of a pattern each gate whose verdict counts.
func (s *Store) Why(ctx context.Context, id ID) (Provenance, error) {
	k, n, err := id.parse()
	if err != nil {
		return Provenance{}, err
	}
	var key any = n
	if n == 0 {
		key = string(id)
	}
	p := Provenance{ID: id, Scope: s.scope}
	scan := func(row sqlite.Row) (Provenance, error) {
		err := row.Scan(append([]any{&p.What, moment{&p.Created}, moment{&p.Updated}}, p.Source.scan()...)...)
		return p, err
	}
	err = s.view(ctx, "look where "+string(id)+" comes from", func(q sqlite.RowSource) error {
		if p, err = selectOne(ctx, q, string(id), scan, described[k], key); err != nil {
			return err
		}
		switch k {
		case kindPattern:
			var said Pattern
			if said, err = onePattern(ctx, q, n, s.now()); err != nil {
				return err
			}
			p.Pattern = &said
			p.Evidence, err = sqlite.All(ctx, q, scanEvidence,
				`SELECT verdict, run, node, attempt, gate, summary, event, at FROM evidence WHERE pattern = ? ORDER BY id`, n)
		case kindTask:
			p.Moves, err = movesOf(ctx, q, id)
		}
		return err
	})
	if err != nil {
		return Provenance{}, err
	}
	return p, nil
}

// String is the provenance in a line.
func (s Source) String() string {
	text := string(s.Origin)
	if s.Run != "" {
		text += ", run " + s.Run
	}
	if s.Node != "" {
		text += ", " + s.Node
	}
	if s.Event != 0 {
		text += fmt.Sprintf(", event %d", s.Event)
	}
	if s.Detail != "" {
		text += ": " + s.Detail
	}
	return text
}

// Origin is the kind of place that a row comes from. The zero value is none of them: a row without an
// origin is refused.
type Origin string

// The origins. Only User is the user's own statement; what comes from Model, Workspace and Web is data and is never followed;
// Import is what was in a file that the user imported.
const (
	User      Origin = "user"
	Gate      Origin = "gate"
	Model     Origin = "model"
	Workspace Origin = "workspace"
	Web       Origin = "web"
	Import    Origin = "import"
)

var origins = []Origin{User, Gate, Model, Workspace, Web, Import}

// Source is the provenance of a row. Origin must be given, the rest as far as it is known.
type Source struct {
	Origin Origin
	Run    string // the run that wrote it
	Node   string // the node of that run
	Event  int64  // the number of the event in the run's log; 0: unknown
	Detail string // for users: a path, an address, a gate's summary
}

// check rejects a source without a valid origin.
func (s Source) check() error {
	if !slices.Contains(origins, s.Origin) {
		return fmt.Errorf("%w: where it comes from must be one of %q, not %q", ErrInvalid, origins, s.Origin)
	}
	return nil
}

// sourceColumns are the columns of a Source, in the order of args and scan.
const sourceColumns = "origin, run, node, event, detail"

func (s Source) args() []any { return []any{string(s.Origin), s.Run, s.Node, s.Event, s.Detail} }

func (s *Source) scan() []any { return []any{&s.Origin, &s.Run, &s.Node, &s.Event, &s.Detail} }
