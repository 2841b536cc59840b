package golang

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// vetGate runs the analyzers of go vet.
type vetGate struct {
	tools tools
	limit time.Duration
}

// Name gives the gate's name.
func (g *vetGate) Name() string { return nameVet }

const nameVet = "go vet"

// Preflight looks for the go command.
func (g *vetGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.tools.lacks(ctx, tree)
}

// OnlyReads is true: no code of the tree is run, and what is built stays outside of it.
func (*vetGate) OnlyReads() bool { return true }

// Run vets every package, its tests included.
func (g *vetGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// Concerned is about what the compiler reads.
func (*vetGate) Concerned(tree gate.Tree, changed []string) bool { return concerned(tree, changed) }

// RunIn does the same for what has changed. What imports it is compiled by others, and is not written otherwise.
func (g *vetGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: g.Name()}
	if scope.Reach == gate.ReachWide {
		scope.Reach = gate.ReachNear
	}
	s := g.tools.selected(ctx, tree, scope, wantTests)
	if s.none() {
		return gate.Unconcerned(g.Name())
	}
	argv := append([]string{"go", "vet", "-buildvcs=false", "-json"}, s.args...)
	result, done := g.tools.run(ctx, tree, &report, g.limit, argv...)
	if done {
		return report
	}
	r := placesIn(tree, s.packages)
	report.Executed = len(r.dirs)
	if len(r.dirs) == 0 && strings.Contains(string(result.Stderr), "matched no packages") {
		result.ExitCode = 0 // "no packages to vet" is code 1: nothing was executed, nothing broke
	}
	report.Findings = parseVet(string(result.Stdout)+"\n"+string(result.Stderr), r)
	report.Passed = r.sound(report.Findings)
	conclude(&report, result,
		fmt.Sprintf("%s in %d of %s", tool.Count(len(report.Findings), "finding"), report.Executed-report.Passed, tool.Count(report.Executed, "package")),
		tool.Count(report.Executed, "package")+" vetted"+s.told(), "no Go packages to vet")
	return report
}

// diagnostic is one finding of an analyzer, as go vet -json prints it.
type diagnostic struct {
	Position string `json:"posn"`
	Message  string `json:"message"`
}

// parseVet reads the output of go vet -json: one JSON object per package, and between them whatever the
// compiler says of a package that could not be loaded. A position that names no file of the tree leaves
// the finding without a place, never out.
func parseVet(output string, r places) []gate.Finding {
	var found []gate.Finding
	var rest strings.Builder
	for output != "" {
		line, after, _ := strings.Cut(output, "\n")
		if !strings.HasPrefix(line, "{") {
			rest.WriteString(line + "\n")
			output = after
			continue
		}
		decoder := json.NewDecoder(strings.NewReader(output))
		var tree map[string]map[string]json.RawMessage
		if err := decoder.Decode(&tree); err != nil {
			rest.WriteString(line + "\n")
			output = after
			continue
		}
		output = output[decoder.InputOffset():]
		found = append(found, vetFindings(tree, r)...)
	}
	return r.locate(distinct(append(found, parseCompiler(rest.String(), r)...)))
}

// vetFindings flattens package → analyzer → diagnostics, or → error.
func vetFindings(tree map[string]map[string]json.RawMessage, r places) []gate.Finding {
	var found []gate.Finding
	for _, pkg := range slices.Sorted(maps.Keys(tree)) {
		for _, analyzer := range slices.Sorted(maps.Keys(tree[pkg])) {
			raw, rule := tree[pkg][analyzer], "vet/"+analyzer
			var diagnostics []diagnostic
			if err := json.Unmarshal(raw, &diagnostics); err != nil {
				found = append(found, r.inPackage(pkg, unplaced(rule, fmt.Sprintf("%s: the analyzer failed: %s", pkg, raw), r)))
			}
			for _, d := range diagnostics {
				found = append(found, d.finding(rule, r))
			}
		}
	}
	return found
}

func (d diagnostic) finding(rule string, r places) gate.Finding {
	m := located.FindStringSubmatch(d.Position + ": " + tool.FirstLine(d.Message))
	if m == nil {
		return unplaced(rule, d.Position+": "+d.Message, r)
	}
	f := place(m, r)
	if f.Path != "" {
		f.Message = r.Inert(d.Message)
	}
	f.Rule = rule
	return f
}
