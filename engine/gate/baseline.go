package gate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Baseline takes out of the reports on a run's result what was wrong before the run, so that nobody is
// charged with it. A finding is known when the same gate had it before: the same test failed, or the same
// rule was broken in the same file with the same message. Line numbers do not count, how often it was
// found does.
//
// A Fail whose findings are all known, or only warn where the report is not strict, becomes a Pass that says
// so, if anything was executed at all. But a test gate that executed fewer tests than before fails with the
// number that is missing, whatever else it says: deleting, skipping or exiting before a test is no way to
// pass. NotRun and Error stay as they are.
// Neither argument is changed.
func Baseline(before, after []Report) []Report {
	charged := make([]Report, len(after))
	for i, report := range after {
		charged[i] = report
		j := slices.IndexFunc(before, func(r Report) bool { return r.Gate == report.Gate })
		if j >= 0 && (report.Verdict == Pass || report.Verdict == Fail) {
			charged[i] = charge(before[j], report)
		}
	}
	return charged
}

// charge compares one gate's reports.
func charge(before, after Report) Report {
	fresh := Fresh(before, after)
	known := len(after.Findings) - len(fresh)
	if after.Verdict == Fail && known > 0 {
		after.Findings = fresh
		charged := slices.ContainsFunc(fresh, func(f Finding) bool { return after.Strict || f.Blocks() })
		if !charged && after.Executed > 0 {
			after.Verdict = Pass
			after.Summary = fmt.Sprintf("nothing new; %s from before the run ignored", count(known, "finding"))
		} else {
			after.Summary = cut(fmt.Sprintf("%s (%d from before the run ignored)", after.Summary, known))
		}
	}
	if missing := before.Executed - after.Executed; after.Tests && missing > 0 {
		said := fmt.Sprintf("%s fewer executed than before the run (%d, were %d)",
			count(missing, "test"), after.Executed, before.Executed)
		after.Findings = append(slices.Clip(after.Findings), Finding{
			Severity: SeverityError, Rule: "missing-tests", Message: said,
		})
		after.Verdict, after.Summary = Fail, said
	}
	return after
}

// Fresh gives the findings of after that before does not have, in order; see Baseline for when two
// findings are the same.
func Fresh(before, after Report) []Finding {
	had := map[string]int{}
	for _, f := range before.Findings {
		had[f.identity()]++
	}
	var fresh []Finding
	for _, f := range after.Findings {
		if id := f.identity(); had[id] > 0 {
			had[id]--
			continue
		}
		fresh = append(fresh, f)
	}
	return fresh
}

// identity names a finding in a way that survives edits elsewhere in the file. A failed test is its name:
// its output may hold times and addresses.
func (f Finding) identity() string {
	if f.Test != "" {
		return f.Test
	}
	if f.Inferred {
		f.Path = "" // it may be another one once there are more files
	}
	return strings.Join([]string{f.Path, f.Rule, positions.ReplaceAllString(f.Message, "")}, " | ")
}

// positions are line and column numbers inside a message, as in "a.go:5:6: other declaration of x".
var positions = regexp.MustCompile(`:\d+(:\d+)?\b`)

// count gives a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// cut keeps a summary within its 200 characters.
func cut(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}
