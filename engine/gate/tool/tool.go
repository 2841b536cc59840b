// Package tool is what the gates of all languages share: to start a program in a scratch tree, and to make a report of
// how it ended. What a tool printed is read by each language's own package.
//
// Invariants: a verdict never rests on an exit code alone. A failing tool whose output nobody could parse is an Error, a tool that
// found nothing to check is NotRun, and whatever is doubtful is not a Pass.
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
	// MaxOutput is what is read of a tool, in bytes: test runners say a lot.
	MaxOutput = 64 << 20
	// MaxWrite is by how much a tool may make its folder grow, in bytes.
	MaxWrite = 4 << 30
	// maxKept is what a report keeps of it, in bytes.
	maxKept = 64 << 10
	// maxSummary is the length of a report's summary, in characters.
	maxSummary = 200
	// MaxMessage is how much of an output is the message of a finding, in bytes.
	MaxMessage = 4000
)

// Tools starts the programs of one language.
type Tools struct {
	Runner sandbox.Runner
	Env    []string // added to the environment that the runner gives to processes ("NAME=value")
	Merged bool     // stderr comes with stdout, in order
	Stdin  string   // what programs read
	// Install is the command that installs the program, or the address of a page that says how.
	Install string
	// Ended reads a line of the output of a suite: how many tests it says have ended, and how many of these passed. It is pure; nil counts none.
	Ended func(line []byte) (ended, passed int)
}

// Run starts a tool in the tree and fills in what every report says. done means that the report's verdict stands: the tool was
// missing, or did not end in time.
func (t Tools) Run(
	ctx context.Context, tree gate.Tree, report *gate.Report, limit time.Duration, argv ...string,
) (result sandbox.Result, done bool) {
	report.Command, limit = argv, LimitOf(ctx, limit)
	result, err := t.Runner.Run(ctx, sandbox.Command{
		Argv: argv, Dir: tree.Dir(), Env: t.Env, Timeout: limit, MaxOutput: MaxOutput, MaxWrite: MaxWrite, Merged: t.Merged, Stdin: strings.NewReader(t.Stdin),
		Heard: t.hears(ctx),
	})
	report.Elapsed += result.Elapsed
	report.Output = Keep(string(result.Stdout) + string(result.Stderr))
	var missing *sandbox.NotStartedError
	switch {
	case errors.As(err, &missing) && errors.Is(err, fs.ErrNotExist):
		gate.Missing{Program: programOf(argv[0]), Install: t.Install}.NotRun(report)
	case errors.As(err, &missing):
		report.Verdict, report.Summary = gate.NotRun, Summary("%v", err)
	case err != nil:
		report.Verdict, report.Summary = gate.Error, Summary("%s was stopped: %v", report.Gate, err)
	case result.TimedOut:
		report.Verdict, report.Summary = gate.Error, Summary("%s did not end within %v and was stopped", report.Gate, limit)
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

// Words are the three summaries of which a report gets one.
type Words struct {
	Failed  string // there are findings
	Passed  string
	Nothing string // nothing was executed
}

// Conclude decides the verdict from what was found and executed; the report's Findings and Executed are filled in.
func Conclude(report *gate.Report, result sandbox.Result, w Words) {
	switch {
	case len(report.Findings) > 0:
		report.Verdict, report.Summary = gate.Fail, Summary("%s", w.Failed)
	case result.ExitCode != 0:
		report.Verdict = gate.Error
		report.Summary = Summary("%s ended with code %d and said: %s", report.Gate, result.ExitCode, FirstLine(report.Output))
	case result.Truncated:
		report.Verdict, report.Summary = gate.Error, Summary("%s said more than can be read (%d MiB)", report.Gate, MaxOutput>>20)
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

// Keep cuts the middle out of an output that is too long: how it began and how it ended is what counts.
func Keep(output string) string {
	if len(output) <= maxKept {
		return output
	}
	half := maxKept / 2
	return strings.ToValidUTF8(output[:half], "") + "\n[…]\n" + strings.ToValidUTF8(output[len(output)-half:], "")
}

// Trim bounds the message of a finding.
func Trim(message string) string {
	if len(message) <= MaxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:MaxMessage], "") + "\n[…]"
}

// FolderOf is the folder of a path, "" for the root.
func FolderOf(p string) string {
	dir, _ := path.Split(p)
	return strings.TrimSuffix(dir, "/")
}

// FirstLine is the first line of a text that says something.
func FirstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if line == "" {
		return "nothing"
	}
	return line
}

// Count gives a number with its noun.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
