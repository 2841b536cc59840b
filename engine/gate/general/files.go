package general

import (
	"context"
	"errors"
	"fmt"
	"time"

	"forge/codeintel"
	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// FileLimit is the time limit of each of these gates, unless the user sets one.
const FileLimit = time.Minute

// Folder is a tree with a known list of files. These gates check no other tree.
type Folder interface {
	gate.Tree
	// List returns the paths of its files, sorted, without files left by tools.
	List(ctx context.Context) ([]string, error)
	// ReadFile returns the content of a file.
	ReadFile(path string) ([]byte, error)
}

// Reader reads the files of all languages.
type Reader interface {
	codeintel.Judge
	codeintel.Binder
}

// FileGates returns the gates that read files, cheapest first.
func FileGates(r Reader) []gate.Gate {
	return []gate.Gate{reading{SyntaxName, r, syntax}, reading{ContractName, r, contracts}}
}

// reading is a gate that reads files. check fills the report in; its error is that of ctx, or of the tree.
type reading struct {
	name   string
	reader Reader
	check  func(ctx context.Context, r Reader, f Folder, paths []string, report *gate.Report) error
}

func (g reading) Name() string      { return g.name }
func (g reading) Stage() gate.Stage { return gate.StageLint }
func (g reading) OnlyReads() bool   { return true }

// Weight depends on the gate: no compiler supports the contract gate.
func (g reading) Weight() gate.Weight {
	if g.name == SyntaxName {
		return gate.Required
	}
	return gate.WhenGreen
}

// Run reads the files. Findings before the time limit are reported, without a verdict on the rest.
func (g reading) Run(ctx context.Context, t gate.Tree) gate.Report {
	start, report := time.Now(), gate.Report{Gate: g.name}
	limit := tool.LimitOf(ctx, FileLimit)
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := g.run(limited, t, &report)
	report.Elapsed = time.Since(start)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && len(report.Findings) == 0:
		report.Verdict, report.Summary = gate.Error, tool.Summary("the files could not be read within %v: give %s more time in your settings (timeouts)", limit, g.name)
	case err != nil && len(report.Findings) == 0:
		report.Verdict, report.Summary = gate.Error, tool.Summary("%v", err)
	case len(report.Findings) > 0:
		report.Verdict = gate.Fail
		report.Summary = tool.Summary("%s: %s", tool.Count(len(report.Findings), "finding"), report.Findings[0])
	case report.Executed == 0:
		report.Empty, report.Summary = true, "there is nothing to check"
	default:
		report.Verdict = gate.Pass
	}
	return report
}

func (g reading) run(ctx context.Context, t gate.Tree, report *gate.Report) error {
	folder, known := t.(Folder)
	if !known {
		return errors.New("the files of this tree are not known")
	}
	paths, err := folder.List(ctx)
	if err != nil {
		return fmt.Errorf("list the files: %w", err)
	}
	return g.check(ctx, g.reader, folder, paths, report)
}
