package golang

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

// failureReader finds the places in what failed tests print.
type failureReader struct {
	root tool.Root
	dirs map[string]string // folders of packages, by import path
}

// findings gives one finding per failed test, and one for what went wrong beside the tests: a test binary
// that failed without a failed test, or passed without having run one.
func (s *suite) findings(r failureReader) []gate.Finding {
	var found []gate.Finding
	for _, p := range s.packages {
		found = append(found, p.findings(r)...)
	}
	return found
}

func (p *packageRun) findings(r failureReader) []gate.Finding {
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
	return p.withoutTest(r)
}

// withoutTest is for a package none of whose tests failed or hung.
func (p *packageRun) withoutTest(r failureReader) []gate.Finding {
	output := p.output.String()
	switch {
	case p.state == "fail":
		message := "the package failed outside a test: " + failureText(output)
		return []gate.Finding{r.finding(p.path, "", message)}
	case p.state == "pass" && len(p.tests) == 0 && p.witnessed != witnessHeard && !strings.Contains(output, "[no test"):
		message := "the package passed without having run a test: something ends the process before, " +
			"such as os.Exit in TestMain"
		return []gate.Finding{r.finding(p.path, "", message)}
	case len(p.tests) > 0 && !p.passed:
		message := "the package passed before all of its tests had run: something ends the process, such as os.Exit"
		return []gate.Finding{r.finding(p.path, "", message)}
	case len(p.tests) > 0 && p.witnessed == witnessMissing && !strings.Contains(output, "[no test"):
		message := "the package says that its tests passed, and they were not run: a test that Forge had put behind them never was. " +
			"Something prints what tests would and ends the process"
		return []gate.Finding{r.finding(p.path, "", message)}
	}
	return nil
}

// finding locates a failure: the first place a test named, else the innermost frame of a stack trace, as
// long as it is in the tree.
func (r failureReader) finding(pkg, test, message string) gate.Finding {
	f := gate.Finding{Severity: gate.SeverityError, Rule: ruleTest}
	if f.Path, f.Line = r.first(said, pkg, message); f.Path == "" {
		f.Path, f.Line = r.first(frame, pkg, message)
	}
	message = r.root.Inert(r.withoutPlace(pkg, message, f))
	switch {
	case test == "":
		message = pkg + ": " + message
	case message == "":
		message = "the test failed and said nothing"
	}
	if test != "" {
		f.Test = pkg + "." + test
	}
	f.Message = trim(message)
	return f
}

// withoutPlace takes the finding's own place off the beginning of its message: views show it beside.
func (r failureReader) withoutPlace(pkg, message string, f gate.Finding) string {
	at := said.FindStringSubmatchIndex(message)
	if at == nil || at[0] > 0 {
		return message
	}
	if file, ok := r.locate(pkg, message[at[2]:at[3]]); !ok || file != f.Path || message[at[4]:at[5]] != strconv.Itoa(f.Line) {
		return message
	}
	return strings.TrimSpace(message[at[1]:])
}

var (
	said  = regexp.MustCompile(`(?m)^\s*(\S.*?\.go):(\d+):( |$)`)
	frame = regexp.MustCompile(`(?m)^\t(\S.*?\.go):(\d+)(?: \+0x[0-9a-f]+)?$`)
)

func (r failureReader) first(pattern *regexp.Regexp, pkg, output string) (file string, line int) {
	for _, m := range pattern.FindAllStringSubmatch(output, -1) {
		if file, ok := r.locate(pkg, m[1]); ok {
			line, _ = strconv.Atoi(m[2])
			return file, line
		}
	}
	return "", 0
}

// locate resolves a file a test named: absolute, or in the package's own folder.
func (r failureReader) locate(pkg, file string) (string, bool) {
	if strings.ContainsAny(file, `/\`) {
		return r.root.Rel(file)
	}
	dir, ok := r.dirs[strings.TrimSuffix(pkg, "_test")]
	return path.Join(dir, file), ok
}

// framing are the lines go test puts around what a test says.
var framing = regexp.MustCompile(`^\s*(=== (RUN|PAUSE|CONT|NAME)|--- (FAIL|PASS|SKIP):|FAIL\t|FAIL$|ok  \t|exit status )`)

// failureText is what a test said itself.
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

func trim(message string) string {
	if len(message) <= tool.MaxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:tool.MaxMessage], "") + "\n[…]"
}

// noPackages recognises that there was nothing to test, which go test reports as a failure.
func noPackages(stderr string) bool { return strings.Contains(stderr, "no packages to test") }
