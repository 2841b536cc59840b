package gate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// Baseline charges a change with the new findings in its reports only: before are the reports on the tree without the change, after
// those on the tree with it. It modifies neither argument.
//
// The rules, in order:
//
//   - A gate that could not run before cannot block after: its report becomes Advisory.
//   - A gate with nothing to check after becomes Advisory, unless it ran tests before.
//   - A Fail with only old findings becomes a Pass with Known set, whatever was executed. Two findings are the same if
//     the same test failed, if they have the same Identity, or if the same rule was broken in the same file with the same message; line numbers
//     do not count, how often it was found does. A Fail without findings that was a Fail without findings before becomes Advisory: they cannot be distinguished.
//   - A gate of the weight WhenGreen becomes Advisory if it failed before.
//   - Tests may not silently become fewer: a suite that executed fewer than before fails with the number that is missing.
func Baseline(before, after []Report) []Report {
	charged := make([]Report, len(after))
	for i, report := range after {
		charged[i] = report
		if j := slices.IndexFunc(before, func(r Report) bool { return r.Gate == report.Gate }); j >= 0 {
			charged[i] = charge(before[j], report)
		}
	}
	return charged
}

// charge compares one gate's reports.
func charge(before, after Report) Report {
	if after.Unconcerned {
		after.Weight = Advisory
		return after
	}
	switch after.Verdict {
	case Pass, Fail:
		after = chargeFindings(before, after)
	case NotRun, Error:
		if !after.Empty && !ran(before) && !before.Empty {
			return advise(after, "could not run before the change either")
		}
	}
	if before.Tests && before.Executed > 0 && after.Verdict == NotRun {
		after.Tests = true
	}
	if missing := before.Executed - after.Executed; after.Tests && missing > 0 && after.Verdict != Error {
		return chargeMissing(before, after)
	}
	if after.Verdict == NotRun && after.Empty {
		after.Weight = Advisory
	}
	return after
}

// ran reports whether a gate judged a tree.
func ran(r Report) bool { return r.Verdict == Pass || r.Verdict == Fail }

// advise makes a report advisory.
func advise(r Report, why string) Report {
	r.Weight = Advisory
	r.Summary = cut(fmt.Sprintf("%s (%s)", r.Summary, why))
	return r
}

// chargeFindings removes findings from before the change from a report.
func chargeFindings(before, after Report) Report {
	if after.Verdict == Fail && !ran(before) && !before.Empty {
		return advise(after, "could not run before the change: nothing to compare with")
	}
	fresh := Fresh(before, after)
	known := len(after.Findings) - len(fresh)
	after.Known, after.StillFailing = known, still(before, after)
	if after.Verdict != Fail {
		return after
	}
	decides := slices.ContainsFunc(fresh, func(f Finding) bool { return after.Strict || f.Blocks() })
	switch {
	case known > 0 && !decides:
		return nothingNew(after, fresh, known)
	case known > 0:
		after.Findings = fresh
		after.Summary = cut(fmt.Sprintf("%s (%d more from before the change%s)", after.Summary, known, after.named()))
	case len(after.Findings) == 0 && before.Verdict == Fail && len(before.Findings) == 0:
		return advise(after, "red before the change, too")
	}
	if before.Verdict == Fail && after.Weight == WhenGreen {
		return advise(after, "red before the change, too")
	}
	return after
}

// nothingNew turns a report with only old findings into a pass. fresh are findings that decide nothing.
func nothingNew(after Report, fresh []Finding, known int) Report {
	lacking := after.Findings
	after.Notice = cmp.Or(after.Notice, unloaded(after))
	after.Findings, after.Verdict = fresh, Pass
	if after.Tests && after.Passed == 0 && slices.ContainsFunc(lacking, func(f Finding) bool { return f.Absent != "" }) {
		after.Verdict, after.Weight, after.Summary = NotRun, Advisory, cut(after.Notice)
		return after
	}
	said := "nothing new"
	if after.Tests && after.Passed == 0 {
		said += "; no test passed"
	}
	after.Summary = cut(fmt.Sprintf("%s; %s from before the change%s", said, count(known, "finding"), after.named()))
	return after
}

// still returns the tests that fail in both reports, in the order of after.
func still(before, after Report) (tests []string) {
	for _, f := range after.Findings {
		failed := slices.ContainsFunc(before.Findings, func(was Finding) bool { return was.Test == f.Test && was.Blocks() })
		if f.Test != "" && f.Blocks() && failed && !slices.Contains(tests, f.Test) {
			tests = append(tests, f.Test)
		}
	}
	return tests
}

// named introduces the tests that still fail in a summary.
func (r Report) named() string {
	if len(r.StillFailing) == 0 {
		return ""
	}
	return ": " + Listed(r.StillFailing)
}

// Listed names up to three tests, and counts the others.
func Listed(tests []string) string {
	const most = 3
	if len(tests) <= most {
		return strings.Join(tests, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(tests[:most], ", "), len(tests)-most)
}

// unloaded names the files of tests that were not executed for a package that is not installed, if there are any.
func unloaded(r Report) string {
	var files, packages []string
	for _, f := range r.Findings {
		if f.Absent == "" {
			continue
		}
		if !slices.Contains(files, f.Path) {
			files = append(files, f.Path)
		}
		if !slices.Contains(packages, f.Absent) {
			packages = append(packages, f.Absent)
		}
	}
	if len(files) == 0 {
		return ""
	}
	return cut(fmt.Sprintf("%s: not executed: %s; not installed: %s", r.Gate, strings.Join(files, ", "), strings.Join(packages, ", ")))
}

// chargeMissing fails a suite that executed fewer tests than before.
func chargeMissing(before, after Report) Report {
	said := fmt.Sprintf("%s fewer executed than before the change (%d, were %d)", count(before.Executed-after.Executed, "test"), after.Executed, before.Executed)
	after.Findings = append(slices.Clip(after.Findings), Finding{Severity: SeverityError, Rule: RuleMissing, Message: said})
	after.Verdict, after.Empty, after.Summary = Fail, false, said
	return after
}

// RuleMissing is the rule of the finding that a suite executed fewer tests than before.
const RuleMissing = "missing-tests"

// RuleRewritten is the rule of the finding that a test file was written while tests ran: which tests passed is unknown then.
const RuleRewritten = "rewritten"

// Fresh returns the findings of after that before does not have, in order; see Baseline for when two findings are the same. A failure for
// an absent package is not new if another file failed for it before, unless it is of a test that passed.
func Fresh(before, after Report) []Finding {
	had, lacked := map[string]int{}, map[string]bool{"": false}
	for _, f := range before.Findings {
		had[f.identity()]++
		lacked[f.Absent] = f.Absent != ""
	}
	var fresh []Finding
	for _, f := range after.Findings {
		if id := f.identity(); had[id] > 0 {
			had[id]--
			continue
		}
		if lacked[f.Absent] && !slices.Contains(before.PassedTests, f.Test) {
			continue
		}
		fresh = append(fresh, f)
	}
	return fresh
}

// identity names a finding in a way that survives edits elsewhere in the file. For a failed test it is
// the test's name: its output may contain times and addresses.
func (f Finding) identity() string {
	if f.Test != "" {
		return f.Test
	}
	if f.Identity != "" {
		return f.Rule + " | " + f.Identity
	}
	if f.Inferred {
		f.Path = "" // it may change with more files
	}
	return strings.Join([]string{f.Path, f.Rule, positions.ReplaceAllString(f.Message, "")}, " | ")
}

// positions matches line and column numbers inside a message, as in "a.go:5:6: other declaration of x".
var positions = lazyregexp.New(`:\d+(:\d+)?\b`)

// count returns a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// cut limits a summary to 200 characters.
func cut(s string) string {
	if r := []rune(s); len(r) > 200 {
		return string(r[:199]) + "…"
	}
	return s
}
