package testrun

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/lazyregexp"
)

// WholeProgram is the name of the suite of a whole script.
const WholeProgram = "npm test"

// Unread returns the results of a suite with unreadable output: if it passes, each executed test file has passed; if it fails,
// those that its output names have failed. TAP output is parsed.
func Unread(sources *tool.Sources, program string, result sandbox.Result, w Executed, r tool.Root) Results {
	spoken, is := testLines(sources, result)
	if is && w.ended.Path == "" && result.ExitCode != 0 {
		return spoken
	}
	output := printed(result)
	said := Results{Ended: result.ExitCode >= 0 && !result.Truncated, files: len(w.tests)}
	if !said.Ended {
		return said
	}
	if w.ended.Path != "" {
		said.Beside = append(said.Beside, w.ended.Finding(RuleTest, endedByCode))
	}
	if result.ExitCode == 0 {
		for _, file := range w.tests {
			said.Tests = append(said.Tests, wholeFile(file, passed, ""))
		}
		switch {
		case w.ended.Path != "":
		case is:
			said.Tests = append(said.Tests, spoken.Tests...)
		case len(w.tests) == 0:
			return mentioned(sources, program, output)
		}
		return said
	}
	for _, file := range blamed(sources, output, w, r) {
		said.Tests = append(said.Tests, wholeFile(file, failed, failureIn(output)))
	}
	if len(said.Tests) == 0 {
		said.Beside = append(said.Beside, FailedStep(program, RuleTest, result, r)...)
	}
	return said
}

// testLines returns the results of a suite with TAP output, if its exit code agrees with them.
func testLines(sources *tool.Sources, result sandbox.Result) (said Results, is bool) {
	stdout := string(result.Stdout)
	if d := parseTAP(stdout); !d.spoken || !d.ended || len(d.results) == 0 || strings.Contains(stdout, "# Subtest: ") {
		return Results{}, false
	}
	said = ParseTape(Ran{Sources: sources}, stdout, "", tool.Root{})
	return said, result.ExitCode == 0 || result.ExitCode > 0 && said.Count(failed) > 0
}

// wholeFile returns the result of a file as a whole.
func wholeFile(file string, s state, said string) outcome {
	return outcome{file: file, titles: []string{path.Base(file)}, Place: Place{Path: file, Line: 1}, State: s, said: said}
}

// blamed returns the test files that an output names: in a stack trace, otherwise by their paths.
func blamed(sources *tool.Sources, output string, w Executed, r tool.Root) (files []string) {
	for _, m := range frame.FindAllStringSubmatch(output, -1) {
		if file, ok := Local(m[1]+m[2], r); ok && HoldsTests(sources, file) && !slices.Contains(files, file) {
			files = append(files, file)
		}
	}
	if len(files) > 0 {
		return files
	}
	for _, file := range sources.Below(".", func(file string) bool { return HoldsTests(sources, file) }) {
		if names(output, file) {
			files = append(files, file)
		}
	}
	if len(files) == 0 && len(w.tests) == 1 {
		return w.tests
	}
	return files
}

// names reports whether a text contains a path, delimited on both sides.
func names(text, file string) bool {
	return regexp.MustCompile(`(?m)(?:^|[^\w./-]|\./|/)` + regexp.QuoteMeta(file) + `(?:[^\w.-]|\.?$)`).MatchString(text)
}

// mentioned returns the results of a passing suite without tests in Node.js, such as Bun's: the files that it names.
func mentioned(sources *tool.Sources, program, output string) Results {
	said := Results{Ended: true}
	if program != "bun" && program != "deno" && program != WholeProgram {
		return said
	}
	for _, file := range sources.Below(".", func(file string) bool { return HoldsTests(sources, file) }) {
		if regexp.MustCompile(`(?m)^(?:running \d+ tests? from )?(?:\./)?` + regexp.QuoteMeta(file) + `:?\r?$`).MatchString(output) {
			said.Tests = append(said.Tests, wholeFile(file, passed, ""))
			said.files++
		}
	}
	return said
}

// colours matches escape sequences, which some programs print even when told not to.
// https://en.wikipedia.org/wiki/ANSI_escape_code#CSI
var colours = lazyregexp.New("\x1b\\[[0-9;?]*[A-Za-z]")

// printed returns the output of a program, without colours.
func printed(result sandbox.Result) string {
	return colours.ReplaceAllString(string(result.Stdout)+"\n"+string(result.Stderr), "")
}

// maxSaid limits how much of an unreadable output is reported, in bytes.
const maxSaid = 3000

// lastOf returns the end of an output.
func lastOf(output string) string {
	output = strings.TrimSpace(output)
	return strings.ToValidUTF8(output[max(0, len(output)-maxSaid):], "")
}

// failureIn returns an output from the beginning of an error's message.
func failureIn(output string) string {
	if at := Thrown.FindStringIndex(output); at != nil {
		output = output[at[0]:]
		return strings.ToValidUTF8(output[:min(len(output), maxSaid)], "")
	}
	return lastOf(output)
}

// spot matches a place at the beginning of a line: "a.ts:1:2: what", "a.ts(1,2): what".
var spot = lazyregexp.New(`(?m)^\s*((?:[A-Za-z]:)?[^\s:()]+\.\w+)(?::(\d+)(?::(\d+))?|\((\d+),(\d+)\))[:\s-]+(\S.*)$`)

// FailedStep returns the findings for a failed step of a script: at each place in its output, or one without a place.
func FailedStep(program, rule string, result sandbox.Result, r tool.Root) (found []gate.Finding) {
	output := printed(result)
	for _, m := range spot.FindAllStringSubmatch(output, -1) {
		if file, ok := Local(m[1], r); ok && len(found) < maxFailed {
			found = append(found, At(file, m[2]+m[4], m[3]+m[5]).Finding(rule, program+": "+Message(m[6], r)))
		}
	}
	if len(found) > 0 {
		return found
	}
	said := Message(lastOf(output), r)
	if said == "" {
		said = fmt.Sprintf("it ended with code %d and printed nothing", result.ExitCode)
	}
	where, _ := FrameOf(output, r)
	return []gate.Finding{where.Finding(rule, program+": "+said)}
}

// maxFailed limits the findings of one step.
const maxFailed = 200
