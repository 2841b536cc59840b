// Package tool is shared by the gates of all languages: it starts a program in a scratch tree, and turns the way it ended into a
// report. Each language's own package parses the output.
//
// Invariants: a verdict never rests on an exit code alone. A failing tool with unreadable output is an Error, a tool that found
// nothing to check is NotRun, and a doubtful result is not a Pass.
package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

const (
	// MaxOutput limits the output that is read of a tool, in bytes: test runners print a lot.
	MaxOutput = 64 << 20
	// MaxWrite limits how much a tool may add to its folder, in bytes.
	MaxWrite = 4 << 30
	// maxKept limits the output in a report, in bytes.
	maxKept = 64 << 10
	// maxSummary limits a report's summary, in characters.
	maxSummary = 200
	// MaxMessage limits the message of a finding, in bytes.
	MaxMessage = 4000
)

// Tools starts the programs of one language.
type Tools struct {
	Runner  sandbox.Runner
	Env     []string // added to the environment that the runner gives to processes ("NAME=value")
	InPlace bool     // the programs see the tree at a path that is the same for all trees of the folder, where their caches know it; all that they report is in their output
	Away    bool     // the programs start outside of the tree, so that they find no settings in it
	Merged  bool     // stderr is merged into stdout, in order
	Stdin   string   // standard input of the programs
	// Install is the command that installs the program, or the address of a page with instructions.
	Install string
	// Ended parses a line of a suite's output: how many tests have ended, and how many of these passed. It is pure; nil counts
	// none.
	Ended func(line []byte) (ended, passed int)
}

// Run starts a tool in the tree and fills in the common fields of the report. done means that the verdict is final: the tool
// was missing, or did not end in time.
func (t Tools) Run(
	ctx context.Context, tree gate.Tree, report *gate.Report, limit time.Duration, argv ...string,
) (result sandbox.Result, done bool) {
	report.Command, limit = argv, LimitOf(ctx, limit)
	result, err := t.Runner.Run(ctx, sandbox.Command{
		Argv: argv, Dir: tree.Dir(), Env: t.Env, Timeout: limit, MaxOutput: MaxOutput, MaxWrite: MaxWrite, Merged: t.Merged, InPlace: t.InPlace, Away: t.Away, Stdin: strings.NewReader(t.Stdin),
		OnOutput: t.hears(ctx),
	})
	report.Elapsed += result.Elapsed
	report.Output = Keep(string(result.Stdout) + string(result.Stderr))
	if len(result.Layers.Active)+len(result.Layers.Missing) > 0 {
		report.Sandbox, report.Advice = result.Layers.String(), wants(ctx, tree, report, result)
	}
	var missing *sandbox.NotStartedError
	var unconfined *sandbox.UnconfinedError
	switch {
	case errors.As(err, &unconfined):
		report.Verdict = gate.NotRun
		report.Summary = Summary("%s was not started: %v. List it in unguarded in your settings to run it without protection", report.Gate, unconfined)
	case errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist):
		gate.Missing{Program: programOf(argv[0]), Install: t.Install}.NotRun(report)
	case errors.As(err, &missing):
		report.Verdict, report.Summary = gate.NotRun, Summary("%v", err)
	case err != nil:
		report.Verdict, report.Summary = gate.Error, Summary("%s was stopped: %v", report.Gate, err)
	case result.TimedOut:
		report.Verdict, report.Summary = gate.Error, Summary("%s did not end within %v and was stopped", report.Gate, limit)
		report.Advice = moreTime(*report, limit)
	case result.Overflow:
		report.Verdict, report.Summary = gate.Error, Summary("%s filled the disk and was stopped: it wrote more than %d MiB, or left hardly any room", report.Gate, MaxWrite>>20)
	case result.Exceeded != "":
		report.Verdict, report.Summary = gate.Error, Summary("%s was stopped: %s", report.Gate, result.Exceeded)
	default:
		m := noInterpreter.FindSubmatch(result.Stderr)
		if result.ExitCode != NotFound || m == nil {
			return result, false
		}
		gate.Missing{Program: string(m[1]), Install: t.Install}.NotRun(report)
	}
	return result, true
}

// Words are the possible summaries of a report.
type Words struct {
	Failed  string // there are findings
	Passed  string
	Nothing string // nothing was executed
}

// Conclude decides the verdict from the report's Findings and Executed. Findings of a suite whose output was cut may be due to that: its tests seem not to end.
func Conclude(report *gate.Report, result sandbox.Result, w Words) {
	cut := Summary("%s printed more than can be read (%d MiB)", report.Gate, MaxOutput>>20)
	switch {
	case result.Truncated && report.Tests:
		report.Verdict, report.Summary = gate.Error, cut
	case len(report.Findings) > 0:
		report.Verdict, report.Summary = gate.Fail, Summary("%s", w.Failed)
	case result.ExitCode != 0:
		report.Verdict = gate.Error
		report.Summary = Summary("%s ended with code %d and said: %s", report.Gate, result.ExitCode, FirstLine(report.Output))
	case result.Truncated:
		report.Verdict, report.Summary = gate.Error, cut
	case report.Executed == 0:
		report.Verdict, report.Empty, report.Summary = gate.NotRun, true, Summary("%s", w.Nothing)
	default:
		report.Verdict, report.Summary = gate.Pass, Summary("%s", w.Passed)
	}
}

// Summary is one line of at most 200 characters.
func Summary(format string, args ...any) string {
	r := []rune(strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
	if len(r) > maxSummary {
		return string(r[:maxSummary-1]) + "…"
	}
	return string(r)
}

// Keep truncates a long output in the middle: its beginning and its end matter most.
func Keep(output string) string {
	if len(output) <= maxKept {
		return output
	}
	half := maxKept / 2
	return strings.ToValidUTF8(output[:half], "") + "\n[…]\n" + strings.ToValidUTF8(output[len(output)-half:], "")
}

// Trim limits the message of a finding.
func Trim(message string) string {
	if len(message) <= MaxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:MaxMessage], "") + "\n[…]"
}

// FolderOf returns the folder of a path, "" for the root.
func FolderOf(p string) string {
	dir, _ := path.Split(p)
	return strings.TrimSuffix(dir, "/")
}

// FirstLine returns the first line of a text that is not blank.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if line == "" {
		return "nothing"
	}
	return line
}

// Count returns a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
