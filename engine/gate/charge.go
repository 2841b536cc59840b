package gate

import (
	"fmt"
	"slices"
	"strings"

	"forge/internal/lazyregexp"
)

// Baseline charges a change with what is new in the reports on it, and with nothing else: before are the reports on the tree without the
// change, after those on the tree with it. Neither argument is changed.
//
// The rules, in order:
//
//   - A gate that could not run before cannot block after: its report becomes Advisory.
//   - A gate with nothing to check after becomes Advisory, unless it ran tests before.
//   - A Fail whose findings were all there before becomes a Pass with Known set, whatever was executed. Two findings are the same where
//     the same test failed, or the same rule was broken in the same file with the same message; line numbers do not count, how often it
//     was found does. A Fail without findings that was a Fail without findings before becomes Advisory: nothing tells them apart.
//   - A gate that decides only where it was green before becomes Advisory where it was red.
//   - Tests may not silently become fewer: what executed fewer than before fails with the number that is missing.
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

// ran reports whether a gate said what it thinks of a tree.
func ran(r Report) bool { return r.Verdict == Pass || r.Verdict == Fail }

// advise makes a report one that is shown and decides nothing.
func advise(r Report, why string) Report {
	r.Weight = Advisory
	r.Summary = cut(fmt.Sprintf("%s (%s)", r.Summary, why))
	return r
}

// chargeFindings takes out of a report what was there before.
func chargeFindings(before, after Report) Report {
	if after.Verdict == Fail && !ran(before) && !before.Empty {
		return advise(after, "could not run before the change: nothing to compare with")
	}
	fresh := Fresh(before, after)
	known := len(after.Findings) - len(fresh)
	after.Known = known
	if after.Verdict != Fail {
		return after
	}
	decides := slices.ContainsFunc(fresh, func(f Finding) bool { return after.Strict || f.Blocks() })
	switch {
	case known > 0 && !decides:
		return nothingNew(after, fresh, known)
	case known > 0:
		after.Findings = fresh
		after.Summary = cut(fmt.Sprintf("%s (%d more from before the change)", after.Summary, known))
	case len(after.Findings) == 0 && before.Verdict == Fail && len(before.Findings) == 0:
		return advise(after, "red before the change, too")
	}
	if before.Verdict == Fail && after.Weight == WhenGreen {
		return advise(after, "red before the change, too")
	}
	return after
}

// nothingNew makes a report of what was there before a pass. fresh are findings that decide nothing.
func nothingNew(after Report, fresh []Finding, known int) Report {
	after.Findings, after.Verdict = fresh, Pass
	after.Summary = fmt.Sprintf("nothing new; %s from before the change", count(known, "finding"))
	if after.Tests && after.Passed == 0 {
		after.Summary += "; no test passed"
	}
	return after
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

// RuleRewritten is the rule of the finding that a file of tests was written while tests ran: which tests passed is unknown then.
const RuleRewritten = "rewritten"

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
var positions = lazyregexp.New(`:\d+(:\d+)?\b`)

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
