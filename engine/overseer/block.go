package overseer

import (
	"fmt"
	"slices"
	"strings"

	"forge/engine/gate"
	"forge/internal/lazyregexp"
)

// obstacle is a problem of the environment that no edit removes.
type obstacle struct {
	name    string
	shows   *lazyregexp.Regexp
	unblock string
}

// obstacles are recognized by the messages of systems, languages and tools.
var obstacles = []obstacle{
	{"a missing program", lazyregexp.New(`(?i)executable file not found|command not found|spawn \S+ ENOENT|not recognized as an internal or external command|No such file or directory: '[\w.-]+'`),
		"install the program, or put it on PATH, and resume the run"},
	{"a refused permission", lazyregexp.New(`(?i)\bEACCES\b|\bEPERM\b|permission denied|operation not permitted|PermissionError`),
		"give the permission, or let the tests use a folder of their own, and resume the run"},
	{"a service that does not answer", lazyregexp.New(`(?i)\bECONNREFUSED\b|connection refused|\bETIMEDOUT\b|\bEHOSTUNREACH\b|\bENOTFOUND\b|no such host|network is unreachable|i/o timeout|Temporary failure in name resolution`),
		"start the service, or let the tests do without it, and resume the run"},
	{"a full disk", lazyregexp.New(`(?i)\bENOSPC\b|no space left on device|disk quota exceeded`),
		"make room on the disk and resume the run"},
	{"a setting of the environment that is missing", lazyregexp.New(`(?i)(environment variable|env var)\S* \S+ (is )?(not set|missing|required|undefined)|missing (required )?environment variable|\w+ is not set in the environment|go\.mod requires go >=|requires Python|Unsupported engine|toolchain not available`),
		"set up the environment that the project asks for and resume the run"},
	{"a dependency that is not installed", lazyregexp.New(`(?i)missing go\.sum entry|cannot find module providing package|no required module provides package|no matching package named .* found`),
		"install the dependencies of the project and resume the run"},
}

// Obstacle reports whether a message shows a problem of the environment, which no edit removes: a missing program, a refused
// permission, a service that does not answer.
func Obstacle(message string) bool {
	return slices.ContainsFunc(obstacles, func(o obstacle) bool { return o.shows.MatchString(message) })
}

// blocked applies if every failure shows the same kind of obstacle, and the request is not about it. If an edit could fix some
// failure, the run continues with that.
func blocked(f Facts) (Sign, bool) {
	s, about := obstructed(f)
	return s, s.Class == Blocked && !about
}

// suspectedBlock applies if there is an obstacle, and the request itself mentions one.
func suspectedBlock(f Facts) (Sign, bool) {
	s, about := obstructed(f)
	return s, s.Class == Blocked && about
}

func obstructed(f Facts) (s Sign, about bool) {
	if fixable(f) {
		return Sign{}, false
	}
	messages := failing(f.Reports)
	for _, o := range obstacles {
		if len(messages) == 0 || slices.ContainsFunc(messages, func(m string) bool { return !o.shows.MatchString(m) }) {
			continue
		}
		said := line(messages[0], o.shows)
		return Sign{
			Class: Blocked, Rule: o.name, Reason: fmt.Sprintf("there is %s in the way, which no edit removes: %s", o.name, said), Unblock: o.unblock,
		}, o.shows.MatchString(f.Request)
	}
	return Sign{}, false
}

// ordinaryTest is the rule of findings of tests that ran and failed.
const ordinaryTest = "test"

// fixable reports whether a failure is of a test that ran, or in a file that an attempt has changed: then its message comes from
// the code, such as its own "permission denied", and an edit may fix it.
func fixable(f Facts) bool {
	changed := func(path string) bool {
		return slices.ContainsFunc(f.Edited, func(paths []string) bool { return slices.Contains(paths, path) })
	}
	for _, r := range f.Reports {
		if r.Verdict != gate.Fail {
			continue
		}
		for _, finding := range r.Findings {
			if changed(finding.Path) || finding.Test != "" && (finding.Rule == "" || finding.Rule == ordinaryTest) {
				return true
			}
		}
	}
	return false
}

// failing returns the messages of all failures; for a gate without a place, its output.
func failing(reports []gate.Report) (messages []string) {
	for _, r := range reports {
		switch {
		case r.Verdict == gate.Pass:
		case len(r.Findings) == 0:
			messages = append(messages, r.Summary+"\n"+r.Output)
		default:
			for _, f := range r.Findings {
				messages = append(messages, f.Message)
			}
		}
	}
	return messages
}

// line returns the line of a text that an expression matches.
func line(text string, shows *lazyregexp.Regexp) string {
	at := shows.FindStringIndex(text)
	if at == nil {
		return firstLine(text)
	}
	start := strings.LastIndexByte(text[:at[0]], '\n') + 1
	found, _, _ := strings.Cut(text[start:], "\n")
	return strings.TrimSpace(found)
}

// contradiction applies if attempts alternate between disjoint failures: fixing one causes the other, so the request may be
// impossible to fulfil.
func contradiction(f Facts) (Sign, bool) {
	n := len(f.Attempts)
	if n < 3 || !Assess(f.Attempts).Oscillating || !sameFailures(f.Attempts[n-1], f.Attempts[n-3]) {
		return Sign{}, false
	}
	one, other := f.Attempts[n-1].Failures, f.Attempts[n-2].Failures
	if len(other) == 0 || slices.ContainsFunc(one, func(id string) bool { return slices.Contains(other, id) }) {
		return Sign{}, false
	}
	return Sign{
		Class: Blocked, Rule: "contradiction",
		Reason:  fmt.Sprintf("the request seems to contradict itself: if %q holds, %q does not, and vice versa", one[0], other[0]),
		Unblock: "decide which of the two applies, and run again",
	}, true
}
