package golang

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

const (
	// maxToolOutput is what is read of a tool, in bytes: go test -json says a lot.
	maxToolOutput = 64 << 20
	// maxKept is what a report keeps of it, in bytes.
	maxKept = 64 << 10
	// maxSummary is the length of a report's summary, in characters.
	maxSummary = 200
)

// tools starts the programs of the Go distribution.
type tools struct {
	runner sandbox.Runner
	env    []string
}

// run starts a tool in the tree and fills in what every report says. done means that the report's
// verdict stands: the tool was missing or did not end in time.
func (t tools) run(
	ctx context.Context, tree gate.Tree, report *gate.Report, limit time.Duration, argv ...string,
) (result sandbox.Result, done bool) {
	report.Command = argv
	result, err := t.runner.Run(ctx, sandbox.Command{
		Argv: argv, Dir: tree.Dir(), Env: t.env, Timeout: limit, MaxOutput: maxToolOutput,
	})
	report.Elapsed += result.Elapsed
	report.Output = keep(string(result.Stdout) + string(result.Stderr))
	var missing *sandbox.NotStartedError
	switch {
	case errors.As(err, &missing):
		report.Verdict = gate.NotRun
		report.Summary = summary("%v; Go is needed: https://go.dev/doc/install", err)
	case err != nil:
		report.Verdict, report.Summary = gate.Error, summary("%s was stopped: %v", report.Gate, err)
	case result.TimedOut:
		report.Verdict, report.Summary = gate.Error, summary("%s did not end within %v and was stopped", report.Gate, limit)
	default:
		return result, tooOld(report, string(result.Stderr), result.ExitCode)
	}
	return result, true
}

var requires = regexp.MustCompile(`(?m)^go: .*requires go >= (\S+) \(running (go ?\S+?);`)

// tooOld recognises a go command that refuses the tree because its own version is too low: that is a
// missing tool, and nothing the tree could be blamed for.
func tooOld(report *gate.Report, stderr string, exit int) bool {
	m := requires.FindStringSubmatch(stderr)
	if exit == 0 || m == nil {
		return false
	}
	report.Verdict = gate.NotRun
	report.Summary = summary("the project needs Go %s or later and %s is installed; install it: https://go.dev/dl", m[1], m[2])
	return true
}

// conclude decides the verdict from what was found and executed. Invariant: whatever is doubtful is not
// a Pass.
func conclude(report *gate.Report, result sandbox.Result, failed, passed, nothing string) {
	switch offline := unreachable(report.Findings); {
	case offline != "":
		report.Verdict, report.Summary = gate.Error, summary("modules could not be downloaded: %s", offline)
	case len(report.Findings) > 0:
		report.Verdict, report.Summary = gate.Fail, summary("%s", failed)
	case result.ExitCode != 0:
		report.Verdict = gate.Error
		report.Summary = summary("%s ended with code %d and said: %s", report.Gate, result.ExitCode, firstLine(report.Output))
	case result.Truncated:
		report.Verdict, report.Summary = gate.Error, summary("%s said more than can be read (%d MiB)", report.Gate, maxToolOutput>>20)
	case report.Executed == 0:
		report.Verdict, report.Empty, report.Summary = gate.NotRun, true, summary("%s", nothing)
	default:
		report.Verdict, report.Summary = gate.Pass, summary("%s", passed)
	}
}

var network = regexp.MustCompile(`dial tcp|proxyconnect|no such host|i/o timeout|TLS handshake|connection refused`)

// unreachable gives the first finding that only says that a module could not be fetched: no edit of the
// tree can mend the network.
func unreachable(findings []gate.Finding) string {
	for _, f := range findings {
		if f.Test == "" && f.Rule != ruleTest && network.MatchString(f.Message) {
			return firstLine(f.Message)
		}
	}
	return ""
}

func summary(format string, args ...any) string {
	r := []rune(strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
	if len(r) > maxSummary {
		return string(r[:maxSummary-1]) + "…"
	}
	return string(r)
}

// keep cuts the middle out of an output that is too long: how it began and how it ended is what counts.
func keep(output string) string {
	if len(output) <= maxKept {
		return output
	}
	half := maxKept / 2
	return strings.ToValidUTF8(output[:half], "") + "\n[…]\n" + strings.ToValidUTF8(output[len(output)-half:], "")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	if line == "" {
		return "nothing"
	}
	return line
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
