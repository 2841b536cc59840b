package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"forge/engine/workspace"
)

// DoctorFolder tells which gates would check a folder, and which programs they miss.
func (e *Engine) DoctorFolder(ctx context.Context, root string) []Check {
	const name = "gates"
	v, err := e.Detect(ctx, workspace.Snapshot{Root: root})
	switch {
	case errors.Is(err, ErrNotTrusted):
		return []Check{{Name: name, State: CheckWarning, Detail: "which gates would check " + root + " is not known before it is trusted: forge validate --trust"}}
	case err != nil:
		return []Check{{Name: name, State: CheckWarning, Detail: err.Error()}}
	case len(v.Gates) == 0 && len(v.Waived) == 0:
		return []Check{{Name: name, State: CheckWarning, Detail: fmt.Sprintf("none would check %s: Forge finds projects of %s, and there is none", root, strings.Join(v.Known, ", "))}}
	}
	checks := []Check{}
	known := e.checks.of(ctx, root)
	for _, full := range v.Gates {
		checks = append(checks, checkGate(full, known.gate(full), v.Missing))
	}
	for _, full := range v.Waived {
		checks = append(checks, Check{Name: full, State: CheckWarning, Detail: "waived in your settings"})
	}
	return checks
}
