package golang

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// lintGate runs a linter on packages, their tests included.
type lintGate struct {
	reader
	command func(tree gate.Tree) []string // without the packages
	parse   func(stdout, stderr string, r places) []gate.Finding
	verb    string // what it does with packages, and what is done with those without findings
	done    string
}

// Run checks every package.
func (g *lintGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	return g.RunIn(ctx, tree, gate.Scope{})
}

// RunIn checks what has changed. It leaves out what imports that: other gates compile it, and its text is the same.
func (g *lintGate) RunIn(ctx context.Context, tree gate.Tree, scope gate.Scope) gate.Report {
	report := gate.Report{Gate: g.name}
	if scope.Reach == gate.ReachWide {
		scope.Reach = gate.ReachNear
	}
	s := g.tools.selected(ctx, tree, scope, wantTexts)
	if s.none() {
		return gate.Unconcerned(g.name)
	}
	result, done := g.tools.run(ctx, tree, &report, g.limit, append(g.command(tree), s.args...)...)
	if done {
		return report
	}
	r := placesIn(tree, s.packages)
	if len(r.dirs) == 0 && strings.Contains(string(result.Stderr), "matched no packages") {
		result.ExitCode = 0 // go vet ends with code 1 although nothing was executed and nothing broke
	}
	report.Executed = len(r.dirs)
	report.Findings = g.parse(string(result.Stdout), string(result.Stderr), r)
	if result.ExitCode == 0 { // compilers only warn
		report.Findings = slices.DeleteFunc(report.Findings, func(f gate.Finding) bool { return f.Rule == ruleCompile || f.Rule == ruleModule })
	}
	concludePackages(&report, result, r, s, "finding", g.verb, g.done)
	return report
}

// concludePackages concludes the report of a gate on packages; its findings and the number of packages that it has looked at are filled in.
func concludePackages(report *gate.Report, result sandbox.Result, r places, s selection, noun, verb, done string) {
	report.Passed = r.sound(report.Findings)
	packages := tool.Count(report.Executed, "package")
	conclude(report, result, fmt.Sprintf("%s in %d of %s", tool.Count(len(report.Findings), noun), report.Executed-report.Passed, packages),
		packages+" "+done+s.describe(), "no Go packages to "+verb)
}

const nameVet = "go vet"

// newVet returns the gate that runs the analyzers of go vet. In their own packages and in those that these import they take a fifth less time if they
// collect garbage less often.
func newVet(t tools) *lintGate {
	t.Env = append(slices.Clip(t.Env), "GOGC=400")
	return &lintGate{
		reader:  reader{common{name: nameVet, stage: gate.StageLint, tools: t, limit: buildLimit}},
		command: func(gate.Tree) []string { return []string{"go", "vet", "-buildvcs=false", "-json"} },
		parse:   func(stdout, stderr string, r places) []gate.Finding { return parseVet(stdout+"\n"+stderr, r) },
		verb:    "vet", done: "vetted",
	}
}

// diagnostic is one finding of an analyzer, as go vet -json prints it.
type diagnostic struct {
	Position string `json:"posn"`
	Message  string `json:"message"`
}

// parseVet reads the output of go vet -json: one JSON object per package, and between them the compiler's messages
// about packages that could not be loaded. A position that names no file of the tree leaves the finding without a
// place, never out.
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
