package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/engine/checks"
	"forge/engine/workspace"
)

// DoctorFolder reports which gates would check a folder, and which programs they lack.
func (e *Engine) DoctorFolder(ctx context.Context, root string) []checks.Check {
	const name = "gates"
	v, err := e.Detect(ctx, workspace.Snapshot{Root: root})
	switch {
	case errors.Is(err, ErrNotTrusted):
		return []checks.Check{{Name: name, State: checks.CheckWarning, Detail: "which gates would check " + root + " is not known before it is trusted: forge validate --trust"}}
	case err != nil:
		return []checks.Check{{Name: name, State: checks.CheckWarning, Detail: err.Error()}}
	case len(v.Gates) == 0 && len(v.Waived) == 0:
		return []checks.Check{{Name: name, State: checks.CheckWarning, Detail: fmt.Sprintf("none would check %s: it has no project of %s", root, strings.Join(v.Known, ", "))}}
	}
	found := []checks.Check{}
	known := e.checks.Of(ctx, root)
	for _, full := range v.Gates {
		found = append(found, checks.CheckGate(full, known.Gate(full), v.Missing))
	}
	for _, full := range v.Waived {
		found = append(found, checks.Check{Name: full, State: checks.CheckWarning, Detail: "waived in your settings"})
	}
	return found
}
