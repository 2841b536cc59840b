package general

import (
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// CommandSpec is a gate as the user specifies it.
type CommandSpec struct {
	Name    string        // its name in reports and waivers; unique among gates
	Argv    []string      // the program and its arguments
	Dir     string        // where it starts: a folder of the tree, slash-separated; empty is its root
	Timeout time.Duration // 0 is DefaultCommandTimeout
	Stage   string        // format, lint, build, test or audit; empty is lint
	// Findings describes how to read findings: a regular expression for each line, with the named groups path, line, col,
	// rule, message and severity (message is required), and optionally checks, the number of checks made; or "sarif". Empty
	// reads none.
	Findings string
	Checks   int // the number of checks for an exit code of 0, if the program does not report it
}

// DefaultCommandTimeout is the time limit of a command without its own.
const DefaultCommandTimeout = 5 * time.Minute

// SARIF is the value of CommandSpec.Findings for the SARIF format.
const SARIF = "sarif"

// stages by name.
var stages = map[string]gate.Stage{
	"": gate.StageLint, "format": gate.StageFormat, "lint": gate.StageLint, "build": gate.StageBuild, "test": gate.StageTest, "audit": gate.StageAudit,
}

// Check returns what is wrong with a specification, for its user; nil if it is valid.
func (s CommandSpec) Check() error {
	_, err := s.compile()
	return err
}

func (s CommandSpec) compile() (*regexp.Regexp, error) {
	if err := s.sound(); err != nil || s.Findings == "" || s.Findings == SARIF {
		return nil, err
	}
	pattern, err := regexp.Compile(s.Findings)
	if err != nil {
		return nil, fmt.Errorf("gate %s: findings is neither sarif nor a regular expression: %w", s.Name, err)
	}
	if pattern.SubexpIndex("message") < 0 && pattern.SubexpIndex("checks") < 0 {
		return nil, fmt.Errorf("gate %s: the expression in findings has no group (?P<message>…)", s.Name)
	}
	return pattern, nil
}

// sound checks everything but the expression.
func (s CommandSpec) sound() error {
	_, known := stages[s.Stage]
	switch {
	case strings.TrimSpace(s.Name) == "":
		return errors.New("a gate needs a name")
	case strings.ContainsAny(s.Name, "()\n"):
		return fmt.Errorf("gate %q: a name must be one line without parentheses", s.Name)
	case len(s.Argv) == 0 || s.Argv[0] == "":
		return fmt.Errorf("gate %s: argv has no program", s.Name)
	case strings.ContainsAny(s.Argv[0], `/\`) && !filepath.IsAbs(s.Argv[0]):
		return fmt.Errorf("gate %s: %s is in the folder that is checked; use a program on PATH, or an absolute path", s.Name, s.Argv[0])
	case s.Dir != "" && !filepath.IsLocal(filepath.FromSlash(s.Dir)):
		return fmt.Errorf("gate %s: dir %s is not inside of the folder", s.Name, s.Dir)
	case !known:
		return fmt.Errorf("gate %s: unknown stage %q; the stages are format, lint, build, test and audit", s.Name, s.Stage)
	case s.Checks < 0 || s.Timeout < 0:
		return fmt.Errorf("gate %s: checks and timeout must not be negative", s.Name)
	}
	return nil
}

// NewCommand creates a gate from a specification.
func NewCommand(runner sandbox.Runner, s CommandSpec, env ...string) (gate.Gate, error) {
	pattern, err := s.compile()
	if err != nil {
		return nil, err
	}
	if s.Timeout == 0 {
		s.Timeout = DefaultCommandTimeout
	}
	return &commandGate{spec: s, pattern: pattern, tools: tool.Tools{Runner: runner, Env: env}}, nil
}

type commandGate struct {
	spec    CommandSpec
	pattern *regexp.Regexp // nil if findings are SARIF, or not read
	tools   tool.Tools
}

// Name returns the gate's name.
func (g *commandGate) Name() string { return g.spec.Name }

// Stage returns the stage in the specification.
func (g *commandGate) Stage() gate.Stage { return stages[g.spec.Stage] }

// Weight returns Required: the user asked for the gate by name.
func (g *commandGate) Weight() gate.Weight { return gate.Required }

// Preflight searches for the program.
func (g *commandGate) Preflight(_ context.Context, t gate.Tree) gate.Missing {
	return g.tools.Finds(t, g.spec.Argv...)
}

// Run starts the command.
func (g *commandGate) Run(ctx context.Context, t gate.Tree) gate.Report {
	report := gate.Report{Gate: g.Name(), Tests: g.Stage() == gate.StageTest && g.pattern != nil && g.pattern.SubexpIndex("checks") >= 0}
	result, done := g.tools.Run(ctx, gate.InDir(t, g.spec.Dir), &report, g.spec.Timeout, g.spec.Argv...)
	if done {
		return report
	}
	r := tool.RootOf(t)
	found, checks, err := g.read(result, place{root: r, dir: g.spec.Dir})
	if err != nil {
		report.Verdict, report.Summary = gate.Error, tool.Summary("%s: %v", g.Name(), err)
		return report
	}
	report.Findings, report.Executed = found, max(checks, len(found))
	if checks == 0 && result.ExitCode == 0 && len(found) == 0 {
		report.Executed = g.spec.Checks
	}
	report.Passed = report.Executed - min(len(found), report.Executed)
	if len(found) == 0 && result.ExitCode > 0 && g.spec.Findings == "" {
		report.Findings = []gate.Finding{{Severity: gate.SeverityError, Rule: g.Name(), Message: fmt.Sprintf("ended with code %d and said: %s", result.ExitCode, tool.FirstLine(r.Bare(r.Inert(report.Output))))}}
		report.Executed = max(report.Executed, 1)
	}
	tool.Conclude(&report, result, tool.Words{
		Failed:  fmt.Sprintf("%s: %s", tool.Count(len(report.Findings), "finding"), firstOf(report.Findings)),
		Passed:  tool.Count(report.Executed, "check") + " passed",
		Nothing: fmt.Sprintf("%s ended with code 0 and did not report how many checks it made; declare checks: 1 if that is a pass", g.Name()),
	})
	report.Empty = report.Empty && g.pattern != nil // without an expression, no output is no proof of an empty task
	return report
}

// read parses the command's output.
func (g *commandGate) read(result sandbox.Result, p place) ([]gate.Finding, int, error) {
	switch {
	case g.pattern != nil:
		found, checks := parseLines(g.pattern, g.Name(), string(result.Stdout)+"\n"+string(result.Stderr), p)
		return found, checks, nil
	case g.spec.Findings == SARIF:
		return parseSARIF(result.Stdout, g.Name(), p)
	}
	return nil, 0, nil
}

// place converts the paths that a command prints to paths of the tree.
type place struct {
	root tool.Root
	dir  string // where the command started
}

func (p place) rel(name string) (string, bool) {
	if name == "" {
		return "", false
	}
	if !filepath.IsAbs(name) {
		name = path.Join(p.dir, filepath.ToSlash(name))
	}
	return p.root.Rel(name)
}

func firstOf(findings []gate.Finding) string {
	if len(findings) == 0 {
		return ""
	}
	return tool.FirstLine(findings[0].String())
}
