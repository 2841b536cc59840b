package javascript

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/internal/lazyregexp"
)

// lintGate runs eslint if the project has a configuration for it: with the arguments of the script that starts it, otherwise on
// the whole folder. The configuration is a program of the tree.
type lintGate struct {
	tools tools
	limit time.Duration
}

// Name returns the gate's name.
func (*lintGate) Name() string { return nameLint }

// Stage returns the stage of linters.
func (*lintGate) Stage() gate.Stage { return gate.StageLint }

// eslintConfigs are the prefixes of eslint's configuration files.
var eslintConfigs = []string{"eslint.config.", ".eslintrc"}

// lints reports whether a project has a configuration for eslint.
func lints(p *npm.Project) bool {
	return p.HasAny(eslintConfigs...) || len(p.EslintConfig) > 0 || p.Uses("eslint")
}

// lintWithout are the options of a script that would change the project, or the output.
var lintWithout = []string{
	"--fix", "--fix-dry-run", "--fix-type=", "-f=", "--format=", "-o=", "--output-file=", "--cache", "--cache-file=", "--cache-location=",
	"--cache-strategy=", "--color", "--no-color", "--debug", "--init", "--stats",
}

// lintArguments returns those of the first script that starts eslint, preferably "lint", and its environment, such as
// ESLINT_USE_FLAT_CONFIG.
func lintArguments(p *npm.Project) (args, env []string) {
	for _, c := range append(p.Runs("lint", "eslint"), p.AnyRun("eslint")...) {
		args, env = npm.TextsOf(keep(c.Args, lintWithout)), c.Env
		break
	}
	for i := 0; i < len(args); i++ {
		if !strings.HasPrefix(args[i], "-") && (i == 0 || !takesValue(args[i-1])) {
			return args, env
		}
	}
	return append(args, "."), env
}

// takesValue reports whether an option of eslint has its value in the next word.
func takesValue(option string) bool {
	switch option {
	case "--ext", "-c", "--config", "--max-warnings", "--rule", "--plugin", "--parser", "--parser-options", "--env", "--global",
		"--ignore-path", "--ignore-pattern", "--rulesdir", "--resolve-plugins-relative-to", "--flag", "--concurrency",
		"--report-unused-disable-directives-severity":
		return true
	}
	return false
}

// Run lints the project.
func (g *lintGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	p, err := npm.Open(tree)
	if err != nil {
		return broken(gate.Report{Gate: nameLint}, err)
	}
	args, env := lintArguments(p)
	report, _ := g.lint(ctx, tree, p, args, env)
	return report
}

// lint starts eslint. ignored means that it was given a file that its configuration ignores.
func (g *lintGate) lint(ctx context.Context, tree gate.Tree, p *npm.Project, args, env []string) (report gate.Report, ignored bool) {
	report.Gate = nameLint
	binary := p.Binary("eslint")
	if binary == "" {
		return missing(report, p, "eslint"), false
	}
	argv := []string{binary, "--format", "json"}
	if major := p.Major("eslint"); major == 0 || major >= 7 { // older versions reject the option
		argv = append(argv, "--no-error-on-unmatched-pattern")
	}
	argv = append(argv, args...)
	t := g.tools
	t.Env = append(slices.Clip(t.Env), env...)
	result, done := t.Run(ctx, tree, &report, g.limit, argv...)
	if done {
		return report, false
	}
	r := tool.RootOf(tree)
	linted, ok := parseESLint(string(result.Stdout), r)
	if !ok {
		return unlinted(p, report, result.ExitCode, string(result.Stderr), r), false
	}
	report.Output = tool.Keep(string(result.Stderr))
	report.Findings, report.Executed = linted.findings, linted.files
	testrun.InBytes(p.Sources, report.Findings)
	locate(p, report.Findings, eslintConfigs...)
	if result.ExitCode == 1 && !failing(report.Findings) && strings.Contains(string(result.Stderr), "too many warnings") {
		for i := range report.Findings { // the project made them count
			report.Findings[i].Severity = gate.SeverityError
		}
	}
	bad := files(report.Findings)
	report.Passed = report.Executed - min(bad, report.Executed)
	conclude(&report, result, tool.Words{
		Failed: fmt.Sprintf("%s in %d of %s", tool.Count(len(report.Findings), "finding"), bad, tool.Count(report.Executed, "file")),
		Passed: tool.Count(report.Executed, "file") + " linted" + warned(report.Findings), Nothing: "no files to lint",
	})
	return report, slices.ContainsFunc(report.Findings, func(f gate.Finding) bool { return f.Rule == "eslint" && strings.HasPrefix(f.Message, "File ignored") })
}

func warned(findings []gate.Finding) string {
	if len(findings) == 0 {
		return ""
	}
	return ", " + tool.Count(len(findings), "warning")
}

// eslintFile is an element of the output of eslint --format json. https://eslint.org/docs/latest/use/formatters/#json
type eslintFile struct {
	FilePath string `json:"filePath"`
	Messages []struct {
		RuleID   *string `json:"ruleId"`
		Severity int     `json:"severity"`
		Fatal    bool    `json:"fatal"`
		Message  string  `json:"message"`
		Line     int     `json:"line"`
		Column   int     `json:"column"`
	} `json:"messages"`
}

// linted is the result of eslint.
type linted struct {
	findings []gate.Finding
	files    int
}

// parseESLint parses the report; not ok means that there is none. Configurations may print before it.
func parseESLint(stdout string, r tool.Root) (l linted, ok bool) {
	at := strings.LastIndex(stdout, `[{"filePath"`)
	if at < 0 {
		if at = strings.LastIndex(stdout, "[]"); at < 0 {
			return linted{}, false
		}
	}
	var report []eslintFile
	if json.NewDecoder(strings.NewReader(stdout[at:])).Decode(&report) != nil {
		return linted{}, false
	}
	l.files = len(report)
	for _, file := range report {
		path, inTree := testrun.Local(file.FilePath, r)
		for _, m := range file.Messages {
			f := gate.Finding{
				Path: path, Line: max(0, m.Line), Column: max(0, m.Column), Severity: gate.SeverityError, Message: r.Inert(m.Message),
			}
			if !inTree {
				f.Line, f.Column, f.Message = 0, 0, cmp.Or(file.FilePath, "?")+": "+f.Message
			}
			switch {
			case m.RuleID != nil && *m.RuleID != "":
				f.Rule = "eslint/" + *m.RuleID
			case m.Fatal:
				f.Rule = testrun.RuleSyntax
			default:
				f.Rule = "eslint"
			}
			if m.Severity == 1 && !m.Fatal {
				f.Severity = gate.SeverityWarning
			}
			l.findings = append(l.findings, f)
		}
	}
	return l, true
}

var importedFrom = lazyregexp.New(`imported from (?:file://)?(/[^\n]+)`)

// unlinted is the report of an eslint without output: its configuration, which is a program of the tree, ended it, or cannot be
// loaded. It is the tree's fault only if the place of the fault is known.
func unlinted(p *npm.Project, report gate.Report, exit int, stderr string, r tool.Root) gate.Report {
	said := eslintSaid(stderr)
	if exit == 0 {
		report.Findings = []gate.Finding{testrun.Place{}.Finding(testrun.RuleConfig,
			"eslint ended with code 0 and printed nothing: something ends the process, such as process.exit in its configuration")}
	} else if where, ok := configOf(p, said, r); ok {
		report.Findings = []gate.Finding{where.Finding(testrun.RuleConfig, testrun.Message(said, r))}
	}
	locate(p, report.Findings, eslintConfigs...)
	if len(report.Findings) > 0 {
		report.Verdict, report.Summary = gate.Fail, tool.Summary("%s", tool.FirstLine(report.Findings[0].String()))
		return report
	}
	report.Verdict = gate.Error
	report.Summary = tool.Summary("eslint ended with code %d and said: %s", exit, tool.FirstLine(r.Inert(eslintReason(said))))
	return report
}

// configOf returns the place in the tree that prevents eslint from starting. For a configuration that is not JavaScript, Node.js
// reports no place.
func configOf(p *npm.Project, said string, r tool.Root) (testrun.Place, bool) {
	if where, ok := testrun.FrameOf(said, r); ok {
		return where, true
	}
	if m := importedFrom.FindStringSubmatch(said); m != nil {
		if path, ok := testrun.Local(strings.TrimSpace(m[1]), r); ok {
			return testrun.Place{Path: path, Line: 1}, true
		}
	}
	if where, ok := testrun.SyntaxOf(said, r); ok {
		return where, true
	}
	for _, name := range p.Files {
		if strings.HasPrefix(name, "eslint.config.") && strings.HasPrefix(said, "SyntaxError") {
			return testrun.Place{Path: name, Line: 1}, true
		}
	}
	return testrun.Place{}, false
}

var eslintHeading = lazyregexp.New(`(?s)^\s*Oops! Something went wrong! :\(\s*ESLint: [^\n]*\n\s*`)

// eslintReason returns the text after the place of a parse error in a file outside of the tree; otherwise the whole text.
func eslintReason(said string) string {
	if at := testrun.Thrown.FindStringIndex(said); at != nil && testrun.Heading.MatchString(tool.FirstLine(said)) {
		return said[at[0]:]
	}
	return said
}

// eslintSaid returns the output of eslint without the heading of failures.
func eslintSaid(stderr string) string { return eslintHeading.ReplaceAllString(stderr, "") }
