// Package gate is the vocabulary of checks: the result of a compiler, formatter, linter or test run on a tree, as verdicts and
// findings. It does no I/O; the gates themselves are in one package per technology (such as engine/gate/golang).
//
// Invariant: only Pass opens a gate that decides. The zero Verdict is NotRun and the zero Weight is Required, so that an empty
// report, a tool that did not start and a test run without tests never read as success.
package gate

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Verdict is the result of a gate.
type Verdict int

// The four verdicts.
const (
	NotRun Verdict = iota // nothing was executed: the tool is missing, or there was nothing to check
	Pass                  // at least one check was executed, and all passed
	Fail                  // the tree has the faults in Findings
	Error                 // the gate itself failed: time-out, crash, unreadable output
)

// String returns the name of the verdict for users and the wire.
func (v Verdict) String() string {
	switch v {
	case Pass:
		return "pass"
	case Fail:
		return "fail"
	case Error:
		return "error"
	default:
		return "not-run"
	}
}

// Severity ranks a finding.
type Severity int

// The severities, gravest first.
const (
	SeverityError Severity = iota + 1
	SeverityWarning
	SeverityInfo
)

// Finding is one fault of a tree.
type Finding struct {
	Path     string // slash-separated, relative to the tree's root; empty if even the gate cannot name a file
	Line     int    // from 1; 0 if Path is empty
	Column   int    // from 1, in bytes; 0 if the tool named none
	EndLine  int    `json:",omitempty"` // the last line, from 1, if it differs; otherwise 0
	Severity Severity
	Rule     string // the tool's name for what was broken: "vet/printf", "compile", "gofmt"
	Message  string
	Test     string // "package.TestName" for a failed test, otherwise empty
	// Inferred means that the tool named no file, and that Path is only a place to look at. It proves nothing about the file.
	Inferred bool `json:",omitempty"`
	// Absent is the package that could not be found, if that is the whole failure and no change of code brings it, because it has to be
	// installed.
	Absent string `json:",omitempty"`
	// Identity names the fault if the message may differ each time, such as the log of a program with times in it. Empty means that the message does.
	Identity string `json:",omitempty"`
}

// Report is the result of one gate on one tree.
type Report struct {
	Gate     string // "gofmt", "go vet", "go build", "go test"
	Verdict  Verdict
	Summary  string // one line for users, at most 200 characters
	Findings []Finding
	Empty    bool // with NotRun: the tool is installed and found nothing to check, as in a new module
	// Unconcerned means, with Empty, that the gate did not run because the changes do not concern it.
	Unconcerned bool `json:",omitempty"`
	// Missing is the program that is not installed, if that is the only reason for NotRun. Install is the command that installs
	// it, or the address of a page that explains how.
	Missing  string `json:",omitempty"`
	Install  string `json:",omitempty"`
	Executed int    // number of checks executed: files formatted, packages built, tests run
	Tests    bool   // Executed counts tests, which must not silently become fewer (Baseline)
	Passed   int    // how many of these passed
	// PassedTests are the names of the tests that were executed and passed, sorted, if the tool reports them: a test that was seen red
	// must be among them in the end.
	PassedTests []string `json:"Held,omitempty"`
	// PassedBeyond are those of PassedTests that, in a wide scope, are in packages (files, in Python) which only use the changed code.
	PassedBeyond []string `json:"Beyond,omitempty"`
	// Listed are those of PassedTests that were only listed (Scope.List), not executed; they count as executed.
	Listed []string `json:",omitempty"`
	// Unreached is the number of these packages (tests, in Python), in a wide scope, that were not checked for lack of time.
	Unreached int `json:",omitempty"`
	// Part means that a suite ran only a part of its tests, because of the scope.
	Part bool `json:",omitempty"`
	// Strict means that each finding is a reason to fail, even a warning, for linters without a higher severity.
	Strict bool `json:",omitempty"`
	// Weight is what the verdict decides. A gate leaves it at its zero value; the caller sets it.
	Weight Weight `json:",omitempty"`
	// Known is the number of findings from before the change; they are not in Findings once the change was charged (Baseline).
	Known int `json:",omitempty"`
	// StillFailing are the tests that failed before the change and still fail, each once.
	StillFailing []string `json:"Still,omitempty"`
	// Flaky are the tests that failed once and passed in another run on the same tree, sorted.
	Flaky []string `json:",omitempty"`
	// Notice is one line that the user should read before accepting the change although the verdict is a pass, such as which
	// existing tests the change replaces; usually empty.
	Notice string `json:",omitempty"`
	// Sandbox lists the protections that the gate's commands ran with, and those that were missing; empty if no command ran in one.
	Sandbox string `json:",omitempty"`
	// Advice names, in a sentence, the setting that gives the gate what it lacked: what the sandbox refused it, such as the network, or more time; empty if
	// it lacked nothing.
	Advice string `json:",omitempty"`
	// Checked is when an earlier run measured the report on the same tree; zero if it was measured now.
	Checked time.Time `json:",omitzero"`
	Output  string    // raw output of the tool, truncated, for reading; never parsed again
	Command []string
	Elapsed time.Duration
}

// Blocks reports whether a finding is more than a warning. An unknown severity is.
func (f Finding) Blocks() bool { return f.Severity != SeverityWarning && f.Severity != SeverityInfo }

// Tree is a directory in which a gate may run: a scratch tree, never the user's folder.
type Tree interface {
	// Dir returns the absolute path of the tree's root.
	Dir() string
}

// Gate checks a tree. Run never fails for the tree's faults, and reports its own failures as Error.
type Gate interface {
	Name() string
	Run(ctx context.Context, tree Tree) Report
}

// Reader is a gate that may promise to leave the tree unchanged: it runs no code of the tree. After any other
// gate the tree must be reset.
type Reader interface {
	OnlyReads() bool
}

// OnlyReads reports whether a gate promises to leave the tree unchanged.
func OnlyReads(g Gate) bool {
	r, is := g.(Reader)
	return is && r.OnlyReads()
}

// Open reports whether every report that decides is a pass. Verified reports whether any of them checked the change.
func Open(reports []Report) bool {
	for _, r := range reports {
		if r.Decides() && r.Verdict != Pass {
			return false
		}
	}
	return true
}

// String returns the finding as path:line: test: message, without unknown parts.
func (f Finding) String() string {
	var parts []string
	switch {
	case f.Path != "" && f.Line > 0:
		parts = append(parts, fmt.Sprintf("%s:%d", f.Path, f.Line))
	case f.Path != "":
		parts = append(parts, f.Path)
	}
	if f.Test != "" && !strings.HasPrefix(f.Message, f.Test+" ") { // else the message names it
		parts = append(parts, f.Test)
	}
	return strings.Join(append(parts, strings.TrimSpace(f.Message)), ": ")
}
