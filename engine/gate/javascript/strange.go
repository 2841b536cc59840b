package javascript

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// strange is a suite of a program that Forge cannot read: its exit code, and what Node.js says was executed, are all that is known.
func (p *project) strange(s step) suite {
	return suite{program: s.program, argv: s.argv, env: append(p.lifecycle(), s.call.env...), parse: silent, doubt: undoubted, witnessed: true}
}

// wholeProgram is what the suite of a whole script is called.
const wholeProgram = "npm test"

// wholeScript is a suite that npm runs as a whole: what it does cannot be told apart.
func (p *project) wholeScript() suite {
	return suite{program: wholeProgram, argv: []string{"npm", "run", "--silent", "test"}, parse: silent, doubt: undoubted, witnessed: true}
}

func silent(string, string, tool.Root) results { return results{} }

func undoubted(seal, *results, string, tool.Root) {}

// lifecycle is what npm tells the programs of a script of their package. https://docs.npmjs.com/cli/using-npm/scripts#environment
func (p *project) lifecycle() []string {
	return []string{
		"npm_lifecycle_event=test", "npm_command=test", "npm_package_name=" + p.Name,
		"npm_package_json=" + filepath.Join(p.dir, manifestName), "npm_config_user_agent=npm/10.9.0", "INIT_CWD=" + p.dir,
	}
}

// make starts what the script makes before it runs tests. What is wrong with that stands beside what the tests say.
func (g *testGate) make(ctx context.Context, tree gate.Tree, p *project, s suite, report *gate.Report) (beside []gate.Finding, done bool) {
	r := tool.RootOf(tree)
	for _, m := range s.made {
		t := g.tools
		t.Env = slices.Concat(t.Env, p.lifecycle(), m.call.env)
		result, done := t.Run(ctx, tree, report, g.limit, m.argv...)
		if done {
			return nil, true
		}
		if result.ExitCode != 0 {
			beside = append(beside, failedStep(m.program, ruleLoad, result, r)...)
		}
	}
	return beside, false
}

var shellNotFound = lazyregexp.New(`(?m)^(?:/bin/)?sh: (?:\d+: |line \d+: )?([\w@./-]+): (?:command )?not found$`)

// notFound is the report where the shell of npm does not find a program.
func notFound(result sandbox.Result, p *project, report *gate.Report) bool {
	m := shellNotFound.FindStringSubmatch(string(result.Stderr))
	if result.ExitCode != tool.NotFound || m == nil {
		return false
	}
	p.lacks(m[1]).NotRun(report)
	return true
}

// witnessed are the results of a suite of which only its end and what was executed is known: where it passes, each file of tests that was
// executed has passed; where it fails, those have failed that it names. Output of the Test Anything Protocol tells more.
func (p *project) witnessed(s suite, result sandbox.Result, w seen, r tool.Root) results {
	spoken, is := p.spoken(result)
	if is && w.ended.path == "" && result.ExitCode != 0 {
		return spoken
	}
	output := printed(result)
	said := results{ended: result.ExitCode >= 0 && !result.Truncated, files: len(w.tests)}
	if !said.ended {
		return said
	}
	if w.ended.path != "" {
		said.beside = append(said.beside, w.ended.finding(ruleTest, endedByCode))
	}
	if result.ExitCode == 0 {
		for _, file := range w.tests {
			said.tests = append(said.tests, wholeFile(file, passed, ""))
		}
		switch {
		case w.ended.path != "":
		case is:
			said.tests = append(said.tests, spoken.tests...)
		case len(w.tests) == 0:
			return p.mentioned(s, output)
		}
		return said
	}
	for _, file := range p.blamed(output, w, r) {
		said.tests = append(said.tests, wholeFile(file, failed, failureIn(output)))
	}
	if len(said.tests) == 0 {
		said.beside = append(said.beside, failedStep(s.program, ruleTest, result, r)...)
	}
	return said
}

// spoken are the results of a suite that speaks the Test Anything Protocol, and whose end agrees with what it says.
func (p *project) spoken(result sandbox.Result) (said results, is bool) {
	stdout := string(result.Stdout)
	if d := parseTAP(stdout); !d.spoken || !d.ended || len(d.results) == 0 || strings.Contains(stdout, "# Subtest: ") {
		return results{}, false
	}
	said = p.parseTape(stdout, "", tool.Root{})
	return said, result.ExitCode == 0 || result.ExitCode > 0 && said.count(failed) > 0
}

// wholeFile is what became of a file as a whole.
func wholeFile(file string, s state, said string) outcome {
	return outcome{file: file, titles: []string{path.Base(file)}, place: place{path: file, line: 1}, state: s, said: said}
}

// blamed are the files of tests that an output names: in a stack trace, or else by their paths.
func (p *project) blamed(output string, w seen, r tool.Root) (files []string) {
	for _, m := range frame.FindAllStringSubmatch(output, -1) {
		if file, ok := local(m[1]+m[2], r); ok && holdsTests(p.sources, file) && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	if len(files) > 0 {
		return files
	}
	for _, file := range p.sources.Below(".", func(file string) bool { return holdsTests(p.sources, file) }) {
		if names(output, file) {
			files = append(files, file)
		}
	}
	if len(files) == 0 && len(w.tests) == 1 {
		return w.tests
	}
	return files
}

// names reports whether a text has a path in it, and not one that only ends or begins so.
func names(text, file string) bool {
	return regexp.MustCompile(`(?m)(?:^|[^\w./-]|\./|/)` + regexp.QuoteMeta(file) + `(?:[^\w.-]|\.?$)`).MatchString(text)
}

// mentioned are the results of a suite that passes and in which no Node.js has executed a test, as of Bun: the files that it names.
func (p *project) mentioned(s suite, output string) results {
	said := results{ended: true}
	if s.program != "bun" && s.program != "deno" && s.program != wholeProgram {
		return said
	}
	for _, file := range p.sources.Below(".", func(file string) bool { return holdsTests(p.sources, file) }) {
		if regexp.MustCompile(`(?m)^(?:running \d+ tests? from )?(?:\./)?` + regexp.QuoteMeta(file) + `:?\r?$`).MatchString(output) {
			said.tests = append(said.tests, wholeFile(file, passed, ""))
			said.files++
		}
	}
	return said
}

// colours are what programs print although nobody wants it, as for terminals. https://en.wikipedia.org/wiki/ANSI_escape_code#CSI
var colours = lazyregexp.New("\x1b\\[[0-9;?]*[A-Za-z]")

// printed is what a program said, without colours.
func printed(result sandbox.Result) string {
	return colours.ReplaceAllString(string(result.Stdout)+"\n"+string(result.Stderr), "")
}

// maxSaid is how much of an output is told where nobody can read it, in bytes.
const maxSaid = 3000

// lastOf is the end of an output.
func lastOf(output string) string {
	output = strings.TrimSpace(output)
	return strings.ToValidUTF8(output[max(0, len(output)-maxSaid):], "")
}

// failureIn is an output from where an error begins to say what it is.
func failureIn(output string) string {
	if at := thrown.FindStringIndex(output); at != nil {
		output = output[at[0]:]
		return strings.ToValidUTF8(output[:min(len(output), maxSaid)], "")
	}
	return lastOf(output)
}

// spot is a place at the beginning of a line: "a.ts:1:2: what", "a.ts(1,2): what".
var spot = lazyregexp.New(`(?m)^\s*((?:[A-Za-z]:)?[^\s:()]+\.\w+)(?::(\d+)(?::(\d+))?|\((\d+),(\d+)\))[:\s-]+(\S.*)$`)

// failedStep is what is wrong where a step of a script fails: at each place that it names, or else as a whole.
func failedStep(program, rule string, result sandbox.Result, r tool.Root) (found []gate.Finding) {
	output := printed(result)
	for _, m := range spot.FindAllStringSubmatch(output, -1) {
		if file, ok := local(m[1], r); ok && len(found) < maxFailed {
			found = append(found, at(file, m[2]+m[4], m[3]+m[5]).finding(rule, program+": "+message(m[6], r)))
		}
	}
	if len(found) > 0 {
		return found
	}
	said := message(lastOf(output), r)
	if said == "" {
		said = fmt.Sprintf("it ended with code %d and said nothing", result.ExitCode)
	}
	where, _ := frameOf(output, r)
	return []gate.Finding{where.finding(rule, program+": "+said)}
}

// maxFailed is how many findings are read of one step.
const maxFailed = 200
