package general

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// perCall is the number of scripts for one shellcheck: it keeps all of them in memory.
const perCall = 200

// checkGate runs shellcheck, with the project's own .shellcheckrc.
type checkGate struct{ tools tool.Tools }

// Name returns the gate's name.
func (*checkGate) Name() string { return nameCheck }

// Preflight asks for the version of shellcheck.
func (g *checkGate) Preflight(ctx context.Context, t gate.Tree) gate.Missing {
	return g.tools.Lacks(ctx, t, nameCheck, "--version")
}

// Stage returns the stage of linters.
func (*checkGate) Stage() gate.Stage { return gate.StageLint }

// OnlyReads returns true: shellcheck executes nothing.
func (*checkGate) OnlyReads() bool { return true }

// there reports whether shellcheck is installed.
func (g *checkGate) there(ctx context.Context, t gate.Tree) bool {
	return !g.Preflight(ctx, t).Is()
}

// Run checks every script. A sourced file that was not followed (SC1091) is not a fault of the script.
func (g *checkGate) Run(ctx context.Context, t gate.Tree) gate.Report {
	report := gate.Report{Gate: nameCheck, Strict: true}
	all, done := list(t, &report)
	if done {
		return report
	}
	r, sources := tool.RootOf(t), tool.SourcesOf(t)
	var total sandbox.Result
	for rest := all; len(rest) > 0; {
		batch := rest[:min(len(rest), perCall)]
		rest = rest[len(batch):]
		argv := []string{"shellcheck", "-f", "json1", "-e", "SC1091"}
		for _, s := range batch {
			argv = append(argv, "./"+s.path)
		}
		result, done := g.tools.Run(ctx, t, &report, limit, argv...)
		if done {
			report.Executed, report.Findings = 0, nil
			return report
		}
		found, said := parseCheck(result.Stdout, r, sources.Read)
		if !said || result.ExitCode > 1 || result.ExitCode < 0 || result.ExitCode == 1 && len(found) == 0 {
			report.Findings, report.Verdict = nil, gate.Error
			report.Summary = tool.Summary("shellcheck ended with code %d and said: %s", result.ExitCode, tool.FirstLine(string(result.Stderr)+string(result.Stdout)))
			return report
		}
		report.Findings = append(report.Findings, found...)
		total.Truncated = total.Truncated || result.Truncated
		report.Executed += len(batch)
	}
	return concluded(report, total, all)
}

// comment is a finding of shellcheck's.
type comment struct {
	File    string
	Line    int
	Column  int // from 1, in characters
	Level   string
	Code    int
	Message string
}

var levels = map[string]gate.Severity{
	"error": gate.SeverityError, "warning": gate.SeverityWarning, "info": gate.SeverityInfo, "style": gate.SeverityInfo,
}

// parseCheck parses shellcheck -f json1. said is false for other output.
func parseCheck(stdout []byte, r tool.Root, read func(path string) []byte) (found []gate.Finding, said bool) {
	var output struct{ Comments *[]comment }
	if err := json.Unmarshal(bytes.TrimSpace(stdout), &output); err != nil || output.Comments == nil {
		return nil, false
	}
	for _, c := range *output.Comments {
		f := gate.Finding{Severity: levels[c.Level], Rule: fmt.Sprintf("SC%d", c.Code), Message: r.Inert(c.Message)}
		if f.Severity == 0 {
			f.Severity = gate.SeverityError
		}
		if f.Message == "" {
			f.Message = "no message"
		}
		if path, ok := r.Rel(c.File); ok {
			f.Path, f.Line = path, max(c.Line, 0)
			f.Column = bytesOf(read(path), f.Line, c.Column)
		}
		found = append(found, f)
	}
	return found, true
}

// bytesOf converts a column in characters to one in bytes.
func bytesOf(text []byte, line, column int) int {
	if column <= 0 || line <= 0 {
		return 0
	}
	lines := strings.SplitN(string(text), "\n", line+1)
	if len(lines) < line {
		return column
	}
	rest, at := lines[line-1], 0
	for range column - 1 {
		_, size := utf8.DecodeRuneInString(rest[at:])
		if size == 0 {
			break
		}
		at += size
	}
	return at + 1
}
