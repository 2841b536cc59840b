package javascript

import (
	"context"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// testGate runs the tests of a project: by each runner that its script "test" starts, with the script's arguments; where the script
// starts none that is known, by the one that the project depends on; else by node --test, which every Node.js has.
type testGate struct {
	tools tools
	limit time.Duration
}

// Name gives the gate's name.
func (*testGate) Name() string { return nameTest }

// Stage is that of tests.
func (*testGate) Stage() gate.Stage { return gate.StageTest }

// suite is one start of one runner.
type suite struct {
	program     string // "vitest"
	argv        []string
	env         []string
	parse       func(stdout, stderr string, r tool.Root) results
	unexplained bool
	missing     bool
}

// tests reports whether the gate is of use. A folder of packages that has no tests itself leaves them to its packages, and a project
// below another one that neither has a script for tests nor asks for what runs them has none.
func (p *project) tests() bool {
	starts := len(p.calls("test", known(), maxDepth)) > 0
	switch {
	case starts:
		return true
	case p.isWorkspace():
		return false
	case p.dir == p.top:
		return true
	}
	return hasTestScript(p.manifest) || slices.ContainsFunc(runners, func(r runner) bool { return p.dependsOn(r.program) })
}

func known() (names []string) {
	for _, r := range runners {
		names = append(names, r.program)
	}
	return append(names, "node", "tsx")
}

// suites are the starts that make up the tests of a project.
func (p *project) suites() (all []suite) {
	for _, c := range p.calls("test", known(), maxDepth) {
		if s, ok := p.suite(c); ok {
			all = append(all, s)
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, r := range runners {
		if p.dependsOn(r.program) {
			s, _ := p.suite(call{program: r.program})
			return []suite{s}
		}
	}
	if p.other() != "" {
		return nil
	}
	s, _ := p.suite(call{program: "node", args: []word{{text: "--test"}}})
	return []suite{s}
}

// other is the script of a project that is tested by something Forge does not know.
func (p *project) other() string {
	if !hasTestScript(p.manifest) {
		return ""
	}
	return p.Scripts["test"]
}

// suite makes one of a call; not ok is a call of node that runs no tests.
func (p *project) suite(c call) (suite, bool) {
	if c.program == "node" || c.program == "tsx" {
		if c = p.throughNode(c); c.program == "node" || c.program == "tsx" {
			return p.nodeSuite(c)
		}
	}
	for _, r := range runners {
		if r.program == c.program {
			binary := p.binary(r.program)
			return suite{
				program: r.program, argv: append([]string{binary}, r.arguments(c)...), env: c.env, parse: r.parse,
				unexplained: r.unexplained, missing: binary == "",
			}, true
		}
	}
	return suite{}, false
}

// throughNode recognises a runner that is started as a program of node, as for --experimental-vm-modules.
func (p *project) throughNode(c call) call {
	for i, w := range c.args {
		program := programOf(w.text)
		if strings.HasPrefix(w.text, "-") || !slices.ContainsFunc(runners, func(r runner) bool { return r.program == program }) {
			continue
		}
		options := strings.Join(texted(c.args[:i]), " ")
		if options != "" {
			c.env = append(slices.Clip(c.env), "NODE_OPTIONS="+options)
		}
		return call{program: program, args: c.args[i+1:], env: c.env}
	}
	return c
}

func (p *project) nodeSuite(c call) (suite, bool) {
	if !slices.ContainsFunc(c.args, func(w word) bool { return w.text == "--test" }) {
		return suite{}, false
	}
	s := suite{program: "node --test", env: c.env, parse: func(stdout, _ string, r tool.Root) results {
		return parseNode(stdout, r, p.speaksNodeTest)
	}}
	program := c.program
	if program == "tsx" {
		s.program, program = "tsx", p.binary("tsx")
		s.missing = program == ""
	}
	s.argv = append([]string{program}, nodeArguments(c, p.dir)...)
	return s, true
}

var nodeTest = regexp.MustCompile(`['"]node:test['"]`)

// maxSource is how much of a file is looked at to see what it imports, in bytes.
const maxSource = 1 << 20

// speaksNodeTest reports whether a file uses the runner of Node.js; one that cannot be read might.
func (p *project) speaksNodeTest(name string) bool {
	text, err := p.read(name, maxSource)
	return err != nil || nodeTest.Match(text)
}

// locate finds where tests are written, by their titles, for runners that do not tell: a title that stands once in its file is
// found, another one is not.
func (p *project) locate(findings []gate.Finding) {
	for i, f := range findings {
		if f.Test == "" || f.Line > 0 || f.Path == "" {
			continue
		}
		title := f.Test[strings.LastIndex(f.Test, " > ")+1:]
		if text, err := p.read(f.Path, maxSource); err == nil {
			findings[i].Line = lineOf(string(text), strings.TrimPrefix(title, "> "))
		}
	}
}

// lineOf is the line, from 1, on which a text in quotes stands; 0 where there is none, or more than one.
func lineOf(text, title string) (line int) {
	for _, quote := range []string{"\"", "'", "`"} {
		before, after, is := strings.Cut(text, quote+title+quote)
		if is && line == 0 && !strings.Contains(after, quote+title+quote) {
			line = strings.Count(before, "\n") + 1
		} else if is {
			return 0
		}
	}
	return line
}

// Run runs the tests.
func (g *testGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: nameTest, Tests: true}
	p, err := open(tree)
	if err != nil {
		return broken(report, err)
	}
	suites := p.suites()
	if len(suites) == 0 {
		report.Verdict = gate.NotRun
		report.Summary = tool.Summary("the tests are run by a program that Forge does not know: %q; it knows vitest, jest, mocha and node --test", p.other())
		return report
	}
	r := tool.RootOf(tree)
	all := results{ended: true}
	var last sandbox.Result
	var output strings.Builder
	for _, s := range suites {
		if s.missing {
			return missing(report, p, s.program)
		}
		one := gate.Report{Gate: nameTest}
		t := g.tools
		t.Env = append(slices.Clip(t.Env), s.env...)
		result, done := t.start(ctx, tree, &one, g.limit, s.argv)
		report.Command, report.Elapsed = one.Command, report.Elapsed+one.Elapsed
		output.WriteString(r.Inert(one.Output))
		report.Output = tool.Keep(output.String())
		said := s.parse(string(result.Stdout)+p.reportFile(string(result.Stdout)), string(result.Stderr), r)
		if done {
			all.add(said)
			return stopped(report, one, all, r)
		}
		said.judge(s, result, r)
		all.add(said)
		if result.ExitCode != 0 {
			last.ExitCode = result.ExitCode
		}
		last.Truncated = last.Truncated || result.Truncated
	}
	all.settle()
	all.fill(&report, r)
	p.locate(report.Findings)
	if all.ended && len(all.tests) == all.count(skipped) && len(report.Findings) == 0 && !last.Truncated {
		last.ExitCode = 0 // without tests, some runners fail and some do not
	}
	tool.Conclude(&report, last, all.words(report))
	return report
}

var writtenReport = regexp.MustCompile(`(?m)^JSON report written to ([^\n]+)$`)

// reportFile is the report that Vitest writes into a file since version 5, if it says that it has.
func (p *project) reportFile(stdout string) string {
	m := writtenReport.FindStringSubmatch(stdout)
	if m == nil {
		return ""
	}
	name := strings.TrimSpace(m[1])
	if rel, err := filepath.Rel(p.dir, name); err == nil && filepath.IsAbs(name) {
		name = rel
	}
	text, err := p.read(filepath.ToSlash(name), tool.MaxOutput)
	if err != nil {
		return ""
	}
	return "\n" + string(text)
}

// stopped is the report of tests that could not be started, or did not end in time: those that were running are named.
func stopped(report, one gate.Report, all results, r tool.Root) gate.Report {
	report.Verdict, report.Summary = one.Verdict, one.Summary
	if one.Verdict != gate.Error {
		return report
	}
	all.beside = nil
	all.fill(&report, r)
	running := all.count(unfinished)
	for _, t := range all.tests {
		if t.state == unfinished {
			report.Summary = tool.Summary("%s; %s did not end, the first: %s", report.Summary, tool.Count(running, "test"), t.name())
			break
		}
	}
	return report
}

var (
	noTests = regexp.MustCompile(`(?m)^(No tests? files? found|No tests found, exiting|Error: No test files found)`)
	// configured is what runners say when it is the project's settings that they cannot read.
	configured = regexp.MustCompile(`(?i)failed to load config|Startup Error|Validation Error|error reading.*config|config file`)
)

// judge decides what it means that a runner ended as it did.
func (s *results) judge(of suite, result sandbox.Result, r tool.Root) {
	stderr := string(result.Stderr)
	switch {
	case s.ended && result.ExitCode != 0 && of.unexplained && len(s.beside) == 0 && s.count(failed, unfinished) == 0 && s.count(passed) > 0:
		s.beside = append(s.beside, place{}.finding(ruleTest, of.program+
			" failed although no test did: something went wrong outside of tests, such as a promise that was rejected while nobody waited for it"))
	case s.ended || len(s.beside) > 0:
	case result.ExitCode == 0 && !result.Truncated:
		s.beside = append(s.beside, place{}.finding(ruleTest,
			fmt.Sprintf("%s ended with code 0 before it had said what became of the tests: something ends the process, such as process.exit", of.program)))
	case noTests.MatchString(stderr):
		s.ended = true
	default:
		s.crashed(stderr, r)
	}
}

// crashed reads why a runner could not even begin, if that is a place in the tree; else the gate is an Error.
func (s *results) crashed(stderr string, r tool.Root) {
	if where, ok := syntaxOf(stderr, r); ok {
		s.beside = append(s.beside, where.finding(ruleSyntax, message(stderr, r)))
	} else if where, ok := frameOf(stderr, r); ok {
		rule := ruleLoad
		if configured.MatchString(stderr) {
			rule = ruleConfig
		}
		s.beside = append(s.beside, where.finding(rule, message(stderr, r)))
	}
}
