package javascript

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/jsonc"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// typesGate runs the TypeScript compiler with the project's tsconfig.json. It writes no output, except its build
// information for the next check, and the output that referenced projects read of each other.
type typesGate struct {
	tools tools
	limit time.Duration
	kept  string // a folder of Forge's own for tsc's build information
}

// Name returns the gate's name.
func (*typesGate) Name() string { return nameTypes }

// Stage returns the stage of compilers.
func (*typesGate) Stage() gate.Stage { return gate.StageBuild }

// Weight returns the weight of linters: the tests show whether code runs.
func (*typesGate) Weight() gate.Weight { return gate.WhenGreen }

func hasTypes(p *npm.Project) bool { return p.Has("tsconfig.json") }

// Run compiles the project.
func (g *typesGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: nameTypes}
	p, err := npm.Open(tree)
	if err != nil {
		return broken(report, err)
	}
	binary := p.Binary("tsc")
	if binary == "" {
		return missing(report, p, "tsc")
	}
	argv := []string{binary, "-p", "tsconfig.json", "--noEmit"}
	config := readTypes(p)
	built := config.isSolution()
	if built { // before 5.6, tsc refuses --noEmit with -b; since then it fails where a project refers to another one
		argv = []string{binary, "-b", "--force"}
	}
	run := g.compile
	if !built && config.mayRemember() && p.VersionOf("tsc", "typescript") >= 4 { // before, tsc refuses it with --noEmit
		run = g.remembering
	}
	result, done := run(ctx, tree, &report, argv)
	if done {
		return report
	}
	r := tool.RootOf(tree)
	compiled := parseTypes(string(result.Stdout)+"\n"+string(result.Stderr), r)
	report.Findings, report.Executed = compiled.findings, compiled.files
	if built {
		report.Executed -= compiled.declared // most of them were just written
	}
	testrun.InBytes(p.Sources, report.Findings)
	locate(p, report.Findings, "tsconfig.json")
	bad := min(files(report.Findings), report.Executed)
	report.Passed = report.Executed - bad
	if compiled.nothing {
		report.Findings, result.ExitCode = nil, 0
	}
	tool.Conclude(&report, result, tool.Words{
		Failed: fmt.Sprintf("%s in %d of %s", tool.Count(len(report.Findings), "error"), bad, tool.Count(report.Executed, "file")),
		Passed: tool.Count(report.Executed, "file") + " compiled", Nothing: "no files to compile",
	})
	return report
}

// compile starts tsc.
func (g *typesGate) compile(ctx context.Context, tree gate.Tree, report *gate.Report, argv []string) (result sandbox.Result, done bool) {
	return g.tools.Run(ctx, tree, report, g.limit, slices.Concat(argv, []string{"--pretty", "false", "--listFiles"})...)
}

// remembering starts tsc with the build information of the last check: it checks only changed files and their dependents, and
// repeats its earlier errors for the others. If the project's options conflict with that, it checks everything.
func (g *typesGate) remembering(ctx context.Context, tree gate.Tree, report *gate.Report, argv []string) (result sandbox.Result, done bool) {
	info, err := infoOf(g.kept, tree)
	if err != nil {
		return g.compile(ctx, tree, report, argv)
	}
	if err = info.lend(); err == nil {
		result, done = g.compile(ctx, tree, report, slices.Concat(argv, []string{"--incremental", "--tsBuildInfoFile", infoName}))
	}
	refused := err != nil || refusal.Match(result.Stdout)
	info.take(!done && !refused)
	if refused {
		return g.compile(ctx, tree, report, argv)
	}
	return result, done
}

// refusal matches tsc's errors about conflicting options.
var refusal = lazyregexp.New(`(?m)^(?:tsconfig\.json\(\d+,\d+\): )?error TS\d+: .*(?:tsBuildInfoFile|'incremental'|--incremental)`)

// typesConfig has the fields that are read of a tsconfig.json.
type typesConfig struct {
	Files      *[]string         `json:"files"`
	Include    []string          `json:"include"`
	References []json.RawMessage `json:"references"`
	Options    struct {
		Composite   bool  `json:"composite"`
		Incremental *bool `json:"incremental"`
	} `json:"compilerOptions"`
}

// readTypes reads the project's own tsconfig.json; an unreadable one is empty.
func readTypes(p *npm.Project) (config typesConfig) {
	if text, err := p.Read("tsconfig.json", npm.MaxManifest); err != nil || json.Unmarshal(jsonc.ToJSON(bytes.TrimPrefix(text, []byte("\uFEFF"))), &config) != nil {
		return typesConfig{}
	}
	return config
}

// isSolution reports whether the project only references others.
func (c typesConfig) isSolution() bool {
	return c.Files != nil && len(*c.Files) == 0 && len(c.Include) == 0 && len(c.References) > 0
}

// mayRemember reports whether the project has no options for build information.
func (c typesConfig) mayRemember() bool {
	return !c.Options.Composite && (c.Options.Incremental == nil || *c.Options.Incremental)
}

var (
	// compilerLine matches an error of tsc with --pretty false and a place; the next one has no place.
	compilerLine   = lazyregexp.New(`^(\S.*?)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$`)
	compilerGlobal = lazyregexp.New(`^(error|warning) (TS\d+): (.*)$`)
	listedFile     = lazyregexp.New(`\.(?:[cm]?[jt]sx?|json)$`)
	declaration    = lazyregexp.New(`\.d\.[cm]?ts$`)
)

// noInputs is the code for a project without files. https://github.com/microsoft/TypeScript, diagnosticMessages.json
const noInputs = "TS18003"

// compiled is the result of tsc.
type compiled struct {
	findings []gate.Finding
	files    int  // files of the tree that it read
	declared int  // declarations among these
	nothing  bool // its only error is that it found no files
}

// parseTypes parses the errors and, because of --listFiles, the files. Indented lines belong to the error above.
func parseTypes(output string, r tool.Root) (c compiled) {
	seen := map[string]bool{}
	open := false
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		m, global := compilerLine.FindStringSubmatch(line), compilerGlobal.FindStringSubmatch(line)
		switch {
		case m != nil:
			c.findings, open = append(c.findings, typeError(m, r)), true
		case global != nil:
			f := testrun.Place{Path: configFile(global[3], r)}.Finding("tsc/"+global[2], r.Inert(global[3]))
			if f.Path != "" {
				f.Line = 1
			}
			c.findings, open = append(c.findings, f), true
		case open && strings.HasPrefix(line, "  "):
			if last := &c.findings[len(c.findings)-1]; len(last.Message) < tool.MaxMessage {
				last.Message += "\n" + r.Inert(strings.TrimSpace(line))
			}
		default:
			open = false
			if path, ok := testrun.Local(line, r); ok && filepath.IsAbs(line) && listedFile.MatchString(path) && !seen[path] {
				seen[path] = true
				c.files++
				if declaration.MatchString(path) {
					c.declared++
				}
			}
		}
	}
	c.nothing = len(c.findings) == 1 && c.findings[0].Rule == "tsc/"+noInputs
	return c
}

// gone matches messages about missing files.
var gone = lazyregexp.New(`^Cannot (?:read|find) |does not exist|not found`)

// configFile returns the existing file of the tree that an error without a place names.
func configFile(said string, r tool.Root) string {
	if gone.MatchString(said) {
		return ""
	}
	for _, m := range quoted.FindAllStringSubmatch(said, -1) {
		if path, ok := testrun.Local(m[1], r); ok && strings.HasSuffix(path, ".json") && filepath.IsAbs(m[1]) {
			return path
		}
	}
	return ""
}

var quoted = lazyregexp.New(`'([^'\n]+)'`)

func typeError(m []string, r tool.Root) gate.Finding {
	rule := "tsc/" + m[5]
	path, ok := testrun.Local(m[1], r)
	if !ok {
		return testrun.Place{}.Finding(rule, r.Inert(m[0]))
	}
	f := testrun.At(path, m[2], m[3]).Finding(rule, r.Inert(m[6]))
	if code, err := strconv.Atoi(strings.TrimPrefix(m[5], "TS")); err == nil && code < 2000 {
		f.Rule = testrun.RuleSyntax
	}
	if m[4] == "warning" {
		f.Severity = gate.SeverityWarning
	}
	return f
}
