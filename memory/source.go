package memory

import (
	"fmt"
	"slices"
)

// Origin is the kind of place that a row comes from. The zero value is none of them: a row without an
// origin is refused.
type Origin string

// The origins. Only User is the user's own word; what comes from Model, Workspace and Web is data and is
// never followed; Import is what stood in a file that the user imported.
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
	Detail string // for people: a path, an address, a gate's summary
}

// check refuses a source that says nothing.
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
