package engine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"forge/engine/checks"
	"forge/engine/execution"
	"forge/engine/sandbox"
	"forge/engine/workspace"
)

// Doctor checks what runs need: git, the Go toolchain, a model, and a writable state folder.
func (e *Engine) Doctor(ctx context.Context) []checks.Check {
	d := doctor{e}
	return []checks.Check{
		d.tool(ctx, "git", "install git 2.39 or newer: snapshots and scratch trees are made with it", "git", "--version"),
		d.tool(ctx, "go", "install Go from go.dev: the gates compile and test projects in Go with it", "go", "version"),
		d.model(ctx),
		d.state(),
		e.checks.CheckSandbox(ctx),
		d.cutOff(ctx),
	}
}

// Model returns the name and place of the model that a run would use now, or "" without one. It may ask
// the servers of this machine.
func (e *Engine) Model(ctx context.Context) string {
	choice, err := e.host.Choose(ctx, e.options.Chooser, "")
	if err != nil {
		return ""
	}
	return choice.Primary.Model.Name()
}

// doctor checks an installation for Engine.Doctor.
type doctor struct{ engine *Engine }

// cutOff settles changes that killed processes left unfinished, in any folder.
func (d doctor) cutOff(ctx context.Context) checks.Check {
	const name = "changes"
	roots, damaged, err := workspace.Unsettled(ctx, d.engine.state.Dir())
	for _, root := range roots {
		err = errors.Join(err, d.engine.Recover(ctx, root))
	}
	switch {
	case err != nil:
		return checks.Check{Name: name, State: checks.CheckWarning, Detail: err.Error()}
	case len(damaged) > 0:
		return checks.Check{Name: name, State: checks.CheckWarning, Detail: "the journal of an interrupted change is damaged: check your files, then remove " + strings.Join(damaged, ", ")}
	case len(roots) > 0:
		return checks.Check{Name: name, State: checks.CheckOK, Detail: "settled interrupted changes in " + strings.Join(roots, ", ")}
	}
	return checks.Check{Name: name, State: checks.CheckOK, Detail: "none was interrupted"}
}

func (d doctor) tool(ctx context.Context, name, advice string, argv ...string) checks.Check {
	result, err := d.engine.runner.Run(ctx, sandbox.Command{Argv: argv, Dir: os.TempDir()})
	if err != nil || result.ExitCode != 0 {
		return checks.Check{Name: name, State: checks.CheckMissing, Detail: advice}
	}
	return checks.Check{Name: name, State: checks.CheckOK, Detail: strings.TrimSpace(string(result.Stdout))}
}

func (d doctor) model(ctx context.Context) checks.Check {
	choice, err := execution.Choose(ctx, d.engine.options.Chooser, "")
	if err != nil {
		return checks.Check{Name: "model", State: checks.CheckMissing, Detail: err.Error()}
	}
	check := checks.Check{Name: "model", State: checks.CheckOK, Detail: choice.Primary.Model.Name()}
	for _, s := range d.engine.Breakers() {
		if s.Open {
			check.State = checks.CheckWarning
			check.Detail += fmt.Sprintf("; %s of %s failed too often and is left alone for %s", s.Model, s.Provider, s.Left.Round(time.Second))
		}
	}
	return check
}

func (d doctor) state() checks.Check {
	check := checks.Check{Name: "state", State: checks.CheckOK, Detail: d.engine.state.Dir()}
	if err := os.MkdirAll(d.engine.state.Dir(), 0o700); err != nil {
		return checks.Check{Name: "state", State: checks.CheckMissing, Detail: fmt.Sprintf("%v: set FORGE_HOME to a folder that can be written", err)}
	}
	probe, err := os.CreateTemp(d.engine.state.Dir(), ".doctor-*")
	if err != nil {
		return checks.Check{Name: "state", State: checks.CheckMissing, Detail: fmt.Sprintf("%v: set FORGE_HOME to a folder that can be written", err)}
	}
	_ = probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		check.State, check.Detail = checks.CheckWarning, err.Error()
	}
	return check
}

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
