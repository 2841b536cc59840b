package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/engine/workspace"
)

// DoctorFolder tells which gates would check a folder, and what they miss. A gate whose program is missing ends every run in
// the folder before it costs anything.
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
	known := e.checking(ctx, root)
	for _, full := range v.Gates {
		_, short := gate.SplitName(full)
		checks = append(checks, e.checkGate(ctx, full, known.unplaced(short)))
	}
	for _, full := range v.Waived {
		checks = append(checks, Check{Name: full, State: CheckWarning, Detail: "waived in your settings"})
	}
	return checks
}

// unplaced finds a gate by its name alone.
func (c checking) unplaced(name string) gate.Gate {
	for _, l := range c.languages {
		for _, g := range l.Gates {
			if g.Name() == name {
				return g
			}
		}
	}
	return nil
}

// checkGate asks the program of a gate for its version, where the gate knows how.
func (e *Engine) checkGate(ctx context.Context, full string, g gate.Gate) Check {
	if broken, is := g.(brokenGate); is {
		return Check{Name: full, State: CheckMissing, Detail: "mend it in your settings: " + broken.why}
	}
	p, is := g.(gate.Programmed)
	if !is { // it takes what the folder brings along
		return Check{Name: full, State: CheckOK, Detail: "would check this folder; whether it has what it needs is said by forge validate"}
	}
	argv := p.Program()
	result, err := e.runner.Run(ctx, sandbox.Command{Argv: argv, Dir: os.TempDir(), Env: []string{"GOTOOLCHAIN=local", "RUSTUP_AUTO_INSTALL=0"}})
	if err != nil || result.TimedOut || result.ExitCode != 0 {
		why := tool.FirstLine(string(result.Stderr))
		if err != nil {
			why = err.Error()
		}
		return Check{Name: full, State: CheckMissing, Detail: why}
	}
	return Check{Name: full, State: CheckOK, Detail: cmp.Or(tool.FirstLine(string(result.Stdout)), "would check this folder")}
}
