// Package gate is the vocabulary of checks: what a compiler, formatter, linter or test run says of a
// tree, as verdicts and findings. It does no I/O; the gates themselves live in one package per
// technology beside each other (engine/gate/golang).
//
// Invariant: only Pass opens a gate that decides. The zero Verdict is NotRun and the zero Weight is Required, so that a report that was
// never filled in, a tool that did not start and a test run without tests never read as success.
package gate

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// Verdict is a gate's answer.
type Verdict int

// The four verdicts.
const (
	NotRun Verdict = iota // nothing was executed: the tool is missing, or there was nothing to check
	Pass                  // at least one check was executed and all of them held
	Fail                  // the tree does not hold: Findings say where
	Error                 // the gate itself broke: time-out, crash, output nobody could parse
)

// String gives the verdict as people and the wire know it.
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

// Finding is one place where a tree does not hold.
type Finding struct {
	Path     string // slash-separated, relative to the tree's root; empty where not even the gate can say what it is about
	Line     int    // from 1; 0 where Path is empty
	Column   int    // from 1, in bytes; 0 when the tool named none
	EndLine  int    `json:",omitempty"` // the last line, from 1, where it is another one; else 0
	Severity Severity
	Rule     string // the tool's name for what was broken: "vet/printf", "compile", "gofmt"
	Message  string
	Test     string // "package.TestName" for a failed test, else empty
	// Inferred says that the tool named no file, and that Path is where the user should look. It proves nothing of the file.
	Inferred bool `json:",omitempty"`
}

// Report is what one gate said of one tree.
type Report struct {
	Gate     string // "gofmt", "go vet", "go build", "go test"
	Verdict  Verdict
	Summary  string // one line for people, at most 200 characters
	Findings []Finding
	Empty    bool // with NotRun: the tool is there and found nothing to check, as in a new module
	// Unconcerned says, with Empty, that the gate was not run because nothing of what has changed concerns it.
	Unconcerned bool `json:",omitempty"`
	// Missing is the program that is not installed, with NotRun where that is why: nothing else is the reason then. Install is the
	// command that installs it, or the address of a page that says how.
	Missing  string `json:",omitempty"`
	Install  string `json:",omitempty"`
	Executed int    // number of checks executed: files formatted, packages built, tests run
	Tests    bool   // Executed counts tests, of which there may not silently be fewer (Baseline)
	Passed   int    // of these, how many held
	// Held are the names of the tests that were executed and passed, sorted, where the tool tells them: a test that was seen red
	// must be among them in the end.
	Held []string `json:",omitempty"`
	// Beyond are those of Held that, in a wide scope, stand in packages (files, in Python) which only use what has changed.
	Beyond []string `json:",omitempty"`
	// Unreached is how many of these packages (tests, in Python), in a wide scope, were not looked at, because there was no time.
	Unreached int `json:",omitempty"`
	// Part says that a suite ran a part of its tests, because of the scope: there are others that it says nothing of.
	Part bool `json:",omitempty"`
	// Strict says that each finding is a reason to fail, also one that only warns, as with a linter that knows nothing graver.
	Strict bool `json:",omitempty"`
	// Weight is what the verdict decides. A gate leaves it at its zero value; the caller sets it.
	Weight Weight `json:",omitempty"`
	// Known is how many findings were there before the change; they are not among Findings once a change was charged (Baseline).
	Known int `json:",omitempty"`
	// Flaky are the tests that failed once and passed when they were run again on the same tree, sorted.
	Flaky []string `json:",omitempty"`
	// Notice is one line that the user should read before the change is accepted although the verdict is a pass, such as which
	// existing tests the change replaces; usually empty.
	Notice string `json:",omitempty"`
	// Checked is when an earlier run measured it on the same tree, where it was not measured now; else zero.
	Checked time.Time `json:",omitzero"`
	Output  string    // raw output of the tool, capped, for the curious; never parsed again
	Command []string
	Elapsed time.Duration
}

// Blocks reports whether a finding is more than a warning; one that does not say how grave it is, is.
func (f Finding) Blocks() bool { return f.Severity != SeverityWarning && f.Severity != SeverityInfo }

// Tree is a directory a gate may run in: a scratch tree, never the user's folder.
type Tree interface {
	// Dir is the absolute path of the tree's root.
	Dir() string
}

// Gate checks a tree. Run never fails for the tree's faults, and reports its own as Error.
type Gate interface {
	Name() string
	Run(ctx context.Context, tree Tree) Report
}

// Reader is a gate that may promise to leave the tree as it is: it runs no code of the tree. After any other gate
// nothing that is in the tree is taken for granted.
type Reader interface {
	OnlyReads() bool
}

// OnlyReads reports whether a gate promises to leave the tree as it is.
func OnlyReads(g Gate) bool {
	r, is := g.(Reader)
	return is && r.OnlyReads()
}

// Open reports whether every report that decides is a pass. Whether any of them looked at the change is what Verified says.
func Open(reports []Report) bool {
	for _, r := range reports {
		if r.Decides() && r.Verdict != Pass {
			return false
		}
	}
	return true
}

// String is the finding as path:line: test: message, less what is not known.
func (f Finding) String() string {
	var parts []string
	switch {
	case f.Path != "" && f.Line > 0:
		parts = append(parts, fmt.Sprintf("%s:%d", f.Path, f.Line))
	case f.Path != "":
		parts = append(parts, f.Path)
	}
	if f.Test != "" {
		parts = append(parts, f.Test)
	}
	return strings.Join(append(parts, strings.TrimSpace(f.Message)), ": ")
}
