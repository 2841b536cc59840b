package javascript

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// typesGate runs the TypeScript compiler on the project's tsconfig.json. What it would write is not written, but for what
// incremental builds remember, and for projects that are made of others: these read what is written of each other.
type typesGate struct {
	tools tools
	limit time.Duration
}

// Name gives the gate's name.
func (*typesGate) Name() string { return nameTypes }

// Stage is that of compilers.
func (*typesGate) Stage() gate.Stage { return gate.StageBuild }

// Weight is that of a linter: the tests say whether code runs.
func (*typesGate) Weight() gate.Weight { return gate.WhenGreen }

func (p *project) hasTypes() bool { return p.has("tsconfig.json") }

// Run compiles the project.
func (g *typesGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: nameTypes}
	p, err := open(tree)
	if err != nil {
		return broken(report, err)
	}
	binary := p.binary("tsc")
	if binary == "" {
		return missing(report, p, "tsc")
	}
	argv := []string{binary, "-p", "tsconfig.json", "--noEmit"}
	built := p.isSolution()
	if built { // before 5.6, tsc refuses --noEmit with -b; since then it fails where a project refers to another one
		argv = []string{binary, "-b", "--force"}
	}
	result, done := g.tools.Run(ctx, tree, &report, g.limit, append(argv, "--pretty", "false", "--listFiles")...)
	if done {
		return report
	}
	r := tool.RootOf(tree)
	compiled := parseTypes(string(result.Stdout)+"\n"+string(result.Stderr), r)
	report.Findings, report.Executed = compiled.findings, compiled.files
	if built {
		report.Executed -= compiled.declared // most of them were just made
	}
	p.inBytes(report.Findings)
	p.locate(report.Findings, "tsconfig.json")
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

// comments are those of a tsconfig.json, as far as they stand on lines of their own or behind a value.
var comments = lazyregexp.New(`(?m)^\s*//.*$|/\*[\s\S]*?\*/|,(\s*[}\]])|\s//[^"\n]*$`)

// isSolution reports whether the tsconfig.json compiles nothing itself and names projects that do.
func (p *project) isSolution() bool {
	text, err := p.read("tsconfig.json", maxManifest)
	if err != nil {
		return false
	}
	var config struct {
		Files      *[]string         `json:"files"`
		Include    []string          `json:"include"`
		References []json.RawMessage `json:"references"`
	}
	if json.Unmarshal(comments.ReplaceAll(text, []byte("$1")), &config) != nil {
		return false
	}
	return config.Files != nil && len(*config.Files) == 0 && len(config.Include) == 0 && len(config.References) > 0
}

var (
	// compilerLine is an error of tsc with --pretty false, at a place and without.
	compilerLine   = lazyregexp.New(`^(\S.*?)\((\d+),(\d+)\): (error|warning) (TS\d+): (.*)$`)
	compilerGlobal = lazyregexp.New(`^(error|warning) (TS\d+): (.*)$`)
	listedFile     = lazyregexp.New(`\.(?:[cm]?[jt]sx?|json)$`)
	declaration    = lazyregexp.New(`\.d\.[cm]?ts$`)
)

// noInputs is the code of a project that has no files yet. https://github.com/microsoft/TypeScript, diagnosticMessages.json
const noInputs = "TS18003"

// compiled is what tsc said.
type compiled struct {
	findings []gate.Finding
	files    int  // of the tree, which it has read
	declared int  // of these, declarations
	nothing  bool // it found no files to compile, and nothing else
}

// parseTypes reads the errors and, because of --listFiles, the files. Lines that are indented belong to the error above.
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
			f := place{path: configFile(global[3], r)}.finding("tsc/"+global[2], r.Inert(global[3]))
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
			if path, ok := local(line, r); ok && filepath.IsAbs(line) && listedFile.MatchString(path) && !seen[path] {
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

// gone is what is said of files that are asked for and are not there.
var gone = lazyregexp.New(`^Cannot (?:read|find) |does not exist|not found`)

// configFile is the file of the tree that an error without a place names, if it is there.
func configFile(said string, r tool.Root) string {
	if gone.MatchString(said) {
		return ""
	}
	for _, m := range quoted.FindAllStringSubmatch(said, -1) {
		if path, ok := local(m[1], r); ok && strings.HasSuffix(path, ".json") && filepath.IsAbs(m[1]) {
			return path
		}
	}
	return ""
}

var quoted = lazyregexp.New(`'([^'\n]+)'`)

func typeError(m []string, r tool.Root) gate.Finding {
	rule := "tsc/" + m[5]
	path, ok := local(m[1], r)
	if !ok {
		return place{}.finding(rule, r.Inert(m[0]))
	}
	f := at(path, m[2], m[3]).finding(rule, r.Inert(m[6]))
	if code, err := strconv.Atoi(strings.TrimPrefix(m[5], "TS")); err == nil && code < 2000 {
		f.Rule = ruleSyntax
	}
	if m[4] == "warning" {
		f.Severity = gate.SeverityWarning
	}
	return f
}
