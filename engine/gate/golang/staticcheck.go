package golang

import (
	"cmp"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"forge/engine/gate"
)

// staticcheckGate runs staticcheck: the version that the module names among its tools, or else the one on PATH.
type staticcheckGate struct{ lintGate }

const nameStaticcheck = "staticcheck"

func newStaticcheck(t tools) *staticcheckGate {
	t.Install = "go install honnef.co/go/tools/cmd/staticcheck@latest"
	return &staticcheckGate{lintGate{
		reader:  reader{common{name: nameStaticcheck, stage: gate.StageLint, tools: t, limit: buildLimit}},
		command: staticcheckCommand, parse: parseStaticcheck, verb: "check", done: "checked",
	}}
}

func staticcheckCommand(tree gate.Tree) []string {
	argv := []string{nameStaticcheck, "-f", "json"}
	if wantsStaticcheck(tree) {
		argv = append([]string{"go", "tool"}, argv...)
	}
	return argv
}

// Preflight asks for the version; the one that the module brings along is built when it is needed.
func (g *staticcheckGate) Preflight(ctx context.Context, tree gate.Tree) gate.Missing {
	if wantsStaticcheck(tree) {
		return g.tools.lacks(ctx, tree)
	}
	return g.tools.Lacks(ctx, tree, nameStaticcheck, "-version")
}

// wantsStaticcheck reports whether the module names staticcheck among its tools.
func wantsStaticcheck(tree gate.Tree) bool {
	text, err := os.ReadFile(filepath.Join(tree.Dir(), "go.mod"))
	return err == nil && strings.Contains(string(text), "honnef.co/go/tools/cmd/staticcheck")
}

// there reports whether staticcheck is on PATH.
func (g *staticcheckGate) there(ctx context.Context, tree gate.Tree) bool {
	return !g.tools.Lacks(ctx, tree, nameStaticcheck, "-version").Is()
}

// problem is a line of staticcheck -f json. https://staticcheck.dev/docs/running-staticcheck/cli/formatters/
type problem struct {
	Code     string
	Severity string
	Location struct {
		File         string
		Line, Column int
	}
	Message string
}

// parseStaticcheck reads one problem on each line of stdout, and the go command's messages on stderr about a module
// that it cannot load.
func parseStaticcheck(stdout, stderr string, r places) []gate.Finding {
	found := parseCompiler(stderr, r)
	for line := range strings.Lines(stdout) {
		var p problem
		if json.Unmarshal([]byte(line), &p) != nil || p.Code == "" || p.Severity == "ignored" {
			continue
		}
		if compiler := parseCompiler(p.Message, r); p.Code == "compile" && p.Location.File == "" && len(compiler) > 0 {
			found = append(found, compiler...)
			continue
		}
		f := gate.Finding{Severity: gate.SeverityError, Rule: nameStaticcheck + "/" + p.Code, Message: r.Inert(p.Message)}
		if p.Severity == "warning" {
			f.Severity = gate.SeverityWarning
		}
		if p.Code == "compile" {
			f.Rule = ruleCompile
		}
		f.Message = cmp.Or(f.Message, "staticcheck gave no message")
		if path, ok := r.Rel(p.Location.File); ok && p.Location.File != "" {
			f.Path, f.Line, f.Column = path, max(p.Location.Line, 0), max(p.Location.Column, 0)
		}
		found = append(found, f)
	}
	return r.locate(distinct(found))
}
