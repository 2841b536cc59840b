package rust

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// formatGate compares the files with the output of rustfmt, with the project's rustfmt.toml.
//
// The program is cargo-fmt itself: an alias in a folder's .cargo/config.toml could replace "cargo fmt".
type formatGate struct {
	cargo
	limit time.Duration
}

// Name returns the gate's name.
func (g *formatGate) Name() string { return nameFormat }

// Preflight asks for the version.
func (g *formatGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	return g.lacks(ctx, tree, "cargo-fmt", "--version")
}

// Stage returns the stage of formatters.
func (*formatGate) Stage() gate.Stage { return gate.StageFormat }

// OnlyReads returns true: no code of the tree runs, and nothing is built.
func (*formatGate) OnlyReads() bool { return true }

// Run compares all files that belong to a target of the project.
func (g *formatGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: g.Name()}
	if foreignToolchain(tree) {
		report.Verdict, report.Summary = gate.Error, "rust-toolchain names a compiler by its path: a folder brings no compiler of its own"
		return report
	}
	result, done := g.tools.Run(ctx, tree, &report, g.limit, "cargo-fmt", "--all", "--check", "--", "--verbose", "--color", "never")
	if done || g.unable(&report, result) {
		return report
	}
	var files map[string]bool
	p := project{root: tool.RootOf(tree), sources: tool.SourcesOf(tree)}
	report.Findings, files = p.parseFormat(string(result.Stdout), string(result.Stderr))
	broken := map[string]bool{}
	for _, f := range report.Findings {
		broken[f.Path] = true
		files[f.Path] = true
	}
	delete(files, manifestName)
	report.Executed = len(files)
	report.Passed = max(0, len(files)-len(broken))
	tool.Conclude(&report, result, tool.Words{
		Failed:  fmt.Sprintf("%d of %s not formatted: %s", len(broken), tool.Count(report.Executed, "file"), firstOf(report.Findings)),
		Passed:  tool.Count(report.Executed, "file") + " formatted",
		Nothing: "no Rust files to format",
	})
	return report
}

var (
	formatting = lazyregexp.New(`^(?:Formatting|Using rustfmt config file .* for) (.+)$`)
	diffIn     = lazyregexp.New(`^Diff in (.+?)(?: at line |:)(\d+):?$`)
)

// parseFormat parses the output of cargo fmt --check: a finding at the first changed line of each hunk, and one for each
// error. files are the checked ones.
func (p project) parseFormat(stdout, stderr string) (found []gate.Finding, files map[string]bool) {
	files = map[string]bool{}
	file, line := "", 0 // line is 0 once a hunk has its place
	for text := range strings.Lines(stdout) {
		text = strings.TrimRight(text, "\r\n")
		switch {
		case formatting.MatchString(text):
			if rel, ok := p.root.Rel(formatting.FindStringSubmatch(text)[1]); ok {
				files[rel] = true
			}
		case diffIn.MatchString(text):
			m := diffIn.FindStringSubmatch(text)
			file, line = m[1], max(number(m[2]), 1)
		case line > 0 && (strings.HasPrefix(text, "-") || strings.HasPrefix(text, "+")):
			found = append(found, unformatted(file, line, p.root))
			line = 0
		case line > 0:
			line++
		}
	}
	return p.locate(append(found, parsePlain(stderr, p.root)...)), files
}

func unformatted(file string, line int, r tool.Root) gate.Finding {
	f := gate.Finding{Line: line, Severity: gate.SeverityError, Rule: ruleFormat}
	rel, ok := r.Rel(file)
	if !ok {
		f.Line, f.Message = 0, path.Base(file)+", line "+strconv.Itoa(line)+", which is not in the folder, is not as rustfmt formats it"
		return f
	}
	f.Path, f.Message = rel, "not as rustfmt formats it; run cargo fmt"
	return f
}
