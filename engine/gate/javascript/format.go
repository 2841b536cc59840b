package javascript

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// formatGate runs prettier if the project has a configuration for it, or depends on it.
type formatGate struct {
	tools tools
	limit time.Duration
}

// Name returns the gate's name.
func (*formatGate) Name() string { return nameFormat }

// Stage returns the stage of formatters.
func (*formatGate) Stage() gate.Stage { return gate.StageFormat }

// prettierConfigs are the prefixes of prettier's configuration files.
var prettierConfigs = []string{".prettierrc", "prettier.config."}

// formats reports whether a project uses prettier.
func formats(p *npm.Project) bool {
	return p.HasAny(prettierConfigs...) || len(p.Prettier) > 0 || p.DependsOn("prettier") || p.Uses("prettier")
}

// formatWithout are options of scripts that would write files, or change the output.
var formatWithout = []string{
	"--write", "-w", "--check", "-c", "--list-different", "-l", "--log-level=", "--loglevel=", "--cache", "--cache-location=", "--cache-strategy=",
	"--no-color", "--color", "--ignore-unknown", "-u",
}

// formatted returns the files that a script of the project checks with prettier: "." if none does.
func formatted(p *npm.Project) []string {
	for _, c := range p.AnyRun("prettier") {
		if slices.ContainsFunc(c.Args, func(w npm.Word) bool {
			return slices.Contains([]string{"--check", "-c", "--list-different", "-l"}, w.Text)
		}) {
			if args := npm.TextsOf(keep(c.Args, formatWithout)); slices.ContainsFunc(args, func(a string) bool { return !strings.HasPrefix(a, "-") }) {
				return args
			}
		}
	}
	return []string{"."}
}

// Run asks prettier which files it would write differently. It writes nothing.
func (g *formatGate) Run(ctx context.Context, tree gate.Tree) gate.Report {
	report := gate.Report{Gate: nameFormat}
	p, err := npm.Open(tree)
	if err != nil {
		return broken(report, err)
	}
	binary := p.Binary("prettier")
	if binary == "" {
		return missing(report, p, "prettier")
	}
	argv := append([]string{binary, "--check", "--ignore-unknown"}, formatted(p)...)
	result, done := g.tools.Run(ctx, tree, &report, g.limit, argv...)
	if done {
		return report
	}
	report.Findings = parsePrettier(string(result.Stderr), tool.RootOf(tree))
	g.locate(ctx, p, binary, report.Findings)
	testrun.InBytes(p.Sources, report.Findings)
	switch said := string(result.Stdout); {
	case len(report.Findings) > 0:
		report.Executed = max(1, files(report.Findings))
	case strings.Contains(said, "All matched files use Prettier code style"):
		report.Executed, report.Passed = 1, 1 // prettier does not report how many
	case result.ExitCode == 0 && strings.Contains(said, "Checking formatting"):
		report.Findings = []gate.Finding{testrun.Place{}.Finding(testrun.RuleConfig,
			"prettier ended with code 0 without output: something ends the process, such as process.exit in its configuration")}
	}
	failed := firstFormat(report.Findings)
	locate(p, report.Findings, prettierConfigs...)
	tool.Conclude(&report, result, tool.Words{
		Failed: failed, Passed: "formatted as prettier wants it", Nothing: "no files to format",
	})
	return report
}

func firstFormat(findings []gate.Finding) string {
	if len(findings) == 0 {
		return ""
	}
	return fmt.Sprintf("%s not as prettier wants it, the first: %s", tool.Count(max(1, files(findings)), "file"), tool.FirstLine(findings[0].String()))
}

var (
	prettierSyntax = lazyregexp.New(`^(.+?): (?:\w*Error: )?(.*) \((\d+):(\d+)\)$`)
	prettierFrame  = lazyregexp.New(`^(?:>? *\d* *\|)`)
	prettierFile   = lazyregexp.New(`"([^"\n]+)"`)
)

// unformatted is the message of a file that prettier would write differently.
const unformatted = "not as prettier formats it; run prettier --write on it"

// parsePrettier parses the output of prettier --check: "[warn]" names an unformatted file, "[error]" an unreadable one, or an error
// of the configuration.
func parsePrettier(stderr string, r tool.Root) (found []gate.Finding) {
	open := false // the last finding may have more lines
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\r\n")
		if warning, is := strings.CutPrefix(line, "[warn] "); is {
			open = false
			if path, ok := warnedFile(warning, r); ok {
				found = append(found, testrun.Place{Path: path, Line: 1}.Finding(nameFormat, unformatted))
			}
			continue
		}
		text, is := strings.CutPrefix(line, "[error]")
		if !is {
			continue
		}
		text = strings.TrimPrefix(text, " ")
		m := prettierSyntax.FindStringSubmatch(text)
		switch {
		case m != nil:
			found, open = append(found, prettierError(m, text, r)), false
		case strings.TrimSpace(text) == "" || prettierFrame.MatchString(text) || strings.Trim(text, " ^") == "":
		case open:
			if last := &found[len(found)-1]; len(last.Message) < tool.MaxMessage {
				last.Message += "\n" + r.Inert(text)
			}
		default:
			found, open = append(found, prettierConfig(text, r)), true
		}
	}
	return found
}

func warnedFile(warning string, r tool.Root) (string, bool) {
	for _, other := range []string{"Code style issues", "Ignored unknown option", "Ignored", "Forgot to run", "All matched files", "Ignoring"} {
		if strings.HasPrefix(warning, other) {
			return "", false
		}
	}
	return testrun.Local(warning, r)
}

func prettierError(m []string, text string, r tool.Root) gate.Finding {
	path, ok := testrun.Local(m[1], r)
	if !ok {
		return testrun.Place{}.Finding(testrun.RuleSyntax, r.Inert(text))
	}
	return testrun.At(path, m[3], m[4]).Finding(testrun.RuleSyntax, r.Inert(m[2]))
}

// prettierConfig returns the finding for an error of the configuration, not of a file.
func prettierConfig(text string, r tool.Root) gate.Finding {
	f := testrun.Place{}.Finding(testrun.RuleConfig, r.Inert(text))
	if m := prettierFile.FindStringSubmatch(text); m != nil && strings.HasPrefix(text, "Invalid configuration") {
		if path, ok := testrun.Local(m[1], r); ok && strings.Contains(path, "prettier") { // otherwise it names the file to format
			f.Path, f.Line = path, 1
		}
	}
	return f
}

// maxLocated limits the files whose first unformatted line is determined.
const maxLocated = 10

// locate fills in the first line that prettier would change.
func (g *formatGate) locate(ctx context.Context, p *npm.Project, binary string, findings []gate.Finding) {
	root, err := os.OpenRoot(p.Dir)
	if err != nil {
		return
	}
	defer root.Close() //nolint:errcheck // only read
	looked := 0
	for i, f := range findings {
		if f.Rule != nameFormat || looked == maxLocated || ctx.Err() != nil {
			continue
		}
		looked++
		text, err := root.ReadFile(filepath.FromSlash(f.Path))
		if err != nil {
			continue
		}
		result, err := g.tools.Runner.Run(ctx, sandbox.Command{
			Argv: []string{binary, "--", "./" + f.Path}, Dir: p.Dir, Env: g.tools.Env, Timeout: g.limit, MaxOutput: tool.MaxOutput,
		})
		if err == nil && result.ExitCode == 0 && !result.TimedOut && !result.Truncated {
			findings[i].Line = firstDifference(text, result.Stdout)
		}
	}
}

// firstDifference returns the number of the first line in which two texts differ, within the first one.
func firstDifference(a, b []byte) int {
	line := 1
	for len(a) > 0 && len(b) > 0 {
		x, restA, _ := bytes.Cut(a, []byte("\n"))
		y, restB, _ := bytes.Cut(b, []byte("\n"))
		if !bytes.Equal(x, y) || len(restA) == 0 && len(restB) == 0 {
			break
		}
		a, b, line = restA, restB, line+1
	}
	return line
}

// format formats files of a project with prettier and its settings, if the project uses it and it is installed. Unknown and
// ignored files stay as they are; so do files that cannot be parsed, which other gates report.
func (t tools) format(ctx context.Context, tree gate.Tree, paths []string) error {
	p, err := npm.Open(tree)
	if err != nil || !formats(p) || len(paths) == 0 {
		return nil //nolint:nilerr // a package.json that cannot be read names no formatter
	}
	binary := p.Binary("prettier")
	if binary == "" {
		return nil
	}
	argv := []string{binary, "--write", "--ignore-unknown", "--log-level=silent", "--"}
	known := len(argv)
	for _, path := range paths {
		if isFormatted(p, path) {
			argv = append(argv, "./"+path)
		}
	}
	if len(argv) == known {
		return nil
	}
	result, err := t.Runner.Run(ctx, sandbox.Command{Argv: argv, Dir: tree.Dir(), Env: t.Env, Timeout: formatLimit, MaxOutput: tool.MaxOutput})
	var missing *sandbox.NotStartedError
	switch {
	case errors.As(err, &missing):
		return nil
	case err != nil:
		return fmt.Errorf("format with prettier: %w", err)
	case result.TimedOut:
		return fmt.Errorf("format with prettier: it did not end within %v", formatLimit)
	}
	return nil
}

// isFormatted reports whether the project's own command formats a file: a script that runs prettier on it. Without such a command,
// any file is formatted.
func isFormatted(p *npm.Project, file string) bool {
	patterns := formattedPaths(p)
	in, named := false, false
	for _, pattern := range patterns {
		rest, out := strings.CutPrefix(pattern, "!")
		if !out {
			named = true
		}
		if npm.Matches(rest, file) {
			in = !out
		}
	}
	return in || !named
}

// formattedPaths returns the files, folders and patterns that scripts pass to prettier; none means all.
func formattedPaths(p *npm.Project) (paths []string) {
	for _, c := range p.AnyRun("prettier") {
		args := npm.TextsOf(keep(c.Args, formatWithout))
		for i, arg := range args {
			if arg != "--" && !strings.HasPrefix(arg, "-") && (i == 0 || !valued(args[i-1])) {
				paths = append(paths, arg)
			}
		}
	}
	return paths
}

// valued reports whether an option of prettier has its value in the next word.
func valued(option string) bool {
	return slices.Contains([]string{"--config", "--ignore-path", "--plugin", "--parser", "--config-precedence", "--with-node-modules", "--stdin-filepath"}, option)
}
