package golang

import (
	"path"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// faults returns the findings of a run and, before them, those of compilers and linkers: in a whole run that passes these only warn.
func (s *suite) faults(result sandbox.Result, whole bool, r places) []gate.Finding {
	found := s.findings(r)
	if result.ExitCode != 0 || result.TimedOut || !whole {
		found = append(parseCompiler(s.build+s.noise+string(result.Stderr), r), found...)
	}
	return r.locate(found)
}

// findings returns one finding per failed test, and one for an error outside tests: a test binary
// that failed without a failed test, or passed without having run one.
func (s *suite) findings(r places) []gate.Finding {
	var found []gate.Finding
	for _, p := range s.packages {
		found = append(found, p.findings(r)...)
	}
	return found
}

func (p *packageRun) findings(r places) []gate.Finding {
	var found []gate.Finding
	for _, test := range p.tests {
		if test.state != "fail" {
			continue
		}
		message := failureText(test.output.String())
		if message == "" && p.hasChild(test, "fail") {
			continue // it failed because a subtest did
		}
		found = append(found, r.finding(p.path, test.name, message))
	}
	if len(found) > 0 {
		return found // tests that did not end because another one panicked are not blamed
	}
	for _, test := range p.unfinished() {
		message := "the test was started and did not end: the process exited\n" + failureText(test.output.String())
		found = append(found, r.finding(p.path, test.name, strings.TrimSpace(message)))
	}
	if len(found) > 0 || p.failedBuild {
		return found
	}
	for _, test := range p.left {
		found = append(found, r.finding(p.path, test, "the test exists and was not run: something prevents it, such as code that sets flags of package testing"))
	}
	if len(found) > 0 {
		return found
	}
	return p.withoutTest(r)
}

// withoutTest is for a package none of whose tests failed or hung.
func (p *packageRun) withoutTest(r places) []gate.Finding {
	output := p.output.String()
	var message, identity string
	switch {
	case p.state == "fail":
		identity = p.path + ": failed outside a test"
		message = "the package failed outside a test: " + failureText(output)
	case p.state == "pass" && len(p.tests) == 0 && p.witnessed != witnessRan && !strings.Contains(output, "[no test"):
		message = "the package passed without having run a test: something ends the process before, such as os.Exit in TestMain"
	case len(p.tests) > 0 && !p.passed:
		message = "the package passed before all of its tests had run: something ends the process, such as os.Exit"
	case len(p.tests) > 0 && p.witnessed == witnessMissing && !strings.Contains(output, "[no test"):
		message = "the package reports that its tests passed, but they did not run: a test that Forge added after them did not run. " +
			"Something imitates the output of tests and ends the process"
	default:
		return nil
	}
	f := r.finding(p.path, "", message)
	f.Identity = identity
	return []gate.Finding{f}
}

// finding locates a failure: the first place in the tree that a test named, else the innermost frame of a stack trace that is in
// the tree, for a test rather one in a test file, else where the test is written.
func (r places) finding(pkg, test, message string) gate.Finding {
	f := gate.Finding{Severity: gate.SeverityError, Rule: ruleTest}
	anywhere := func(string) bool { return true }
	at, found := r.first(said, pkg, message, anywhere)
	if !found && test != "" {
		at, found = r.first(frame, pkg, message, isTestFile)
	}
	if !found {
		at, found = r.first(frame, pkg, message, anywhere)
	}
	if !found {
		at = r.test(pkg, test)
		f.Inferred = at.Path != ""
	}
	f.Path, f.Line = at.Path, at.Line
	message = r.Inert(r.withoutPlace(pkg, message, f))
	switch {
	case test == "":
		message = pkg + ": " + message
	case message == "":
		message = "the test failed without a message"
	}
	if test != "" {
		f.Test = pkg + "." + test
	}
	f.Message = tool.Trim(message)
	return f
}

// withoutPlace removes the finding's own place from the beginning of its message: views show the place separately.
func (r places) withoutPlace(pkg, message string, f gate.Finding) string {
	at := said.FindStringSubmatchIndex(message)
	if at == nil || at[0] > 0 {
		return message
	}
	if file, ok := r.file(pkg, message[at[2]:at[3]]); !ok || file != f.Path || message[at[4]:at[5]] != strconv.Itoa(f.Line) {
		return message
	}
	return strings.TrimSpace(message[at[1]:])
}

var (
	said  = lazyregexp.New(`(?m)^\s*(\S.*?\.go):(\d+):( |$)`)
	frame = lazyregexp.New(`(?m)^\t(\S.*?\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)
)

// first is the first match of a pattern that is in a file of the tree, one that is wanted.
func (r places) first(pattern *lazyregexp.Regexp, pkg, output string, want func(file string) bool) (tool.Place, bool) {
	for _, m := range pattern.FindAllStringSubmatch(output, -1) {
		line, err := strconv.Atoi(m[2])
		if file, ok := r.file(pkg, m[1]); ok && err == nil && want(file) {
			return tool.Place{Path: file, Line: line}, true
		}
	}
	return tool.Place{}, false
}

// file resolves a file a test named: absolute, or in the package's own folder. The main function of tests, which the go command
// writes, is in none.
func (r places) file(pkg, name string) (string, bool) {
	if path.Base(name) == "_testmain.go" {
		return "", false
	}
	if strings.ContainsAny(name, `/\`) {
		return r.Rel(name)
	}
	dir, ok := r.dir(pkg)
	return path.Join(dir, name), ok
}

// framing matches the lines that go test prints around the output of a test.
var framing = lazyregexp.New(`^\s*(=== (RUN|PAUSE|CONT|NAME)|--- (FAIL|PASS|SKIP):|FAIL\t|FAIL$|ok  \t|exit status )`)

// failureText is the message of a test itself.
func failureText(output string) string {
	var text strings.Builder
	for line := range strings.Lines(output) {
		if !framing.MatchString(line) {
			text.WriteString(line)
		}
	}
	return dedent(strings.Trim(text.String(), "\n"))
}

// dedent takes away the indentation of the first line, which grows with the depth of subtests.
func dedent(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	if indent == "" {
		return strings.TrimSpace(text)
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimPrefix(lines[i], indent)
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

// Red reports whether tests that were just written were seen to fail, as they must before there is an
// implementation. before and after are the test gate's reports without and with them. Red is a test that
// fails now and did not before, or a test file that does not compile, because it names what is not
// there yet. Everything else is not red, for the reason that is returned: nothing failed, nothing ran, the gate
// broke, a test file has a mistake of its own, or it is the code itself that does not build any more.
func Red(before, after gate.Report) (ok bool, reason string) {
	return tool.Red(before, after, judge)
}

// judge reports whether a finding that is new is red, or what is at fault.
func judge(f gate.Finding) (red bool, fault string) {
	switch inTests := strings.HasSuffix(f.Path, "_test.go"); {
	case f.Test == "" && f.Rule == ruleCompile && inTests && isOwn.MatchString(f.Message):
		return false, tool.Unsound(f)
	case f.Test != "" || f.Rule == ruleCompile && inTests && !f.Inferred:
		return true, ""
	case f.Rule != ruleTest:
		return false, "the code outside the tests does not build: " + gate.Finding{Path: f.Path, Message: tool.FirstLine(f.Message)}.String()
	}
	return false, ""
}

// isOwn matches compiler messages about mistakes that are unrelated to a missing implementation. The type checker counts names in
// expressions that it cannot check as used.
var isOwn = lazyregexp.New(`(?m)^declared and not used: |^\S+ declared and not used$|imported(?: as \S+)? and not used|^syntax error: |^expected .+, found |^missing ',' |^illegal |^missing return$|` +
	`^no new variables on left side of :=|^label \S+ defined and not used| redeclared in this block|^(?:string|rune|comment) (?:literal )?not terminated|\(.+\) is not used$`)
