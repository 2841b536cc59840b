package overseer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/engine/gate"
)

// reports are those of a test gate that failed with these messages, each in a test of its own.
func reports(messages ...string) []gate.Report {
	r := gate.Report{Gate: "go test", Verdict: gate.Fail, Executed: 4, Passed: 3, Summary: "tests fail"}
	for i, m := range messages {
		r.Findings = append(r.Findings, gate.Finding{Path: "pay_test.go", Line: 3 + i, Test: "pay.Test" + string(rune('A'+i)), Rule: "panic", Message: m})
	}
	return []gate.Report{{Gate: "gofmt", Verdict: gate.Pass, Executed: 2, Passed: 2}, r}
}

func TestClass_Classify(t *testing.T) {
	t.Parallel()
	one, other := []string{"a"}, []string{"b"}
	for name, test := range map[string]struct {
		facts Facts
		want  Class
		rule  string
	}{
		"a first failure":                {Facts{Attempts: attempts(2, one), Reports: reports("want 1, got 2")}, None, ""},
		"progress":                       {Facts{Attempts: attempts(2, []string{"a", "b"}, 3, one), Reports: reports("want 1")}, None, ""},
		"the same failures":              {Facts{Attempts: attempts(2, one, 2, one), Reports: reports("want 1")}, Stuck, "same failures"},
		"no progress":                    {Facts{Attempts: attempts(3, one, 2, []string{"a", "b"}, 1, []string{"a", "b", "c"})}, Stuck, "no progress"},
		"the same cause":                 {Facts{Attempts: attempts(2, one), Causes: []string{"x is nil at a.go:12", "X is nil at a.go:14"}}, Stuck, "same root cause"},
		"twin: another cause":            {Facts{Attempts: attempts(2, one), Causes: []string{"x is nil", "y is nil"}}, None, ""},
		"one file four times":            {Facts{Attempts: attempts(2, one), Edited: [][]string{{"a"}, {"a"}, {"a"}, {"a"}}}, Stuck, "same file"},
		"twin: three times":              {Facts{Attempts: attempts(2, one), Edited: [][]string{{"a"}, {"a"}, {"a"}}}, None, ""},
		"twin: not in a row":             {Facts{Attempts: attempts(2, one), Edited: [][]string{{"a"}, {"a"}, {"b"}, {"a"}, {"a"}}}, None, ""},
		"twin: others with it":           {Facts{Attempts: attempts(2, one), Edited: [][]string{{"a"}, {"a", "b"}, {"a"}, {"a"}}}, None, ""},
		"a cycle of edits":               {Facts{Attempts: attempts(2, one), Actions: acts("edit=a edit=b edit=a edit=b")}, Stuck, "loop"},
		"no permission":                  {Facts{Attempts: attempts(2, one), Reports: reports("open /etc/shadow: permission denied")}, Blocked, "a refused permission"},
		"EACCES":                         {Facts{Attempts: attempts(2, one), Reports: reports("Error: EACCES: mkdir '/var/x'")}, Blocked, "a refused permission"},
		"no service":                     {Facts{Attempts: attempts(2, one), Reports: reports("dial tcp 127.0.0.1:5432: connect: connection refused")}, Blocked, "a service that does not answer"},
		"no answer in time":              {Facts{Attempts: attempts(2, one), Reports: reports("read tcp 10.0.0.1:80: i/o timeout")}, Blocked, "a service that does not answer"},
		"no program":                     {Facts{Attempts: attempts(2, one), Reports: reports(`exec: "psql": executable file not found in $PATH`)}, Blocked, "a missing program"},
		"no setting":                     {Facts{Attempts: attempts(2, one), Reports: reports("panic: environment variable DATABASE_URL is not set")}, Blocked, "a setting of the environment that is missing"},
		"no disk":                        {Facts{Attempts: attempts(2, one), Reports: reports("write /tmp/x: no space left on device")}, Blocked, "a full disk"},
		"twin: some of it can be fixed":  {Facts{Attempts: attempts(2, one), Reports: reports("permission denied", "want 1, got 2")}, None, ""},
		"twin: it was asked for":         {Facts{Attempts: attempts(2, one), Reports: reports(`want "permission denied", got nil`), Request: "return permission denied when …"}, None, ""},
		"twin: a reviewer speaks of it":  {Facts{Attempts: attempts(2, one), Opinions: reports("permission denied is swallowed")}, None, ""},
		"a reviewer names a file":        {Facts{Attempts: attempts(2, one), Opinions: reports("see rates.go"), Unread: []string{"tax/rates.go"}}, MissingContext, "never read"},
		"it is the cause of the symptom": {Facts{Attempts: attempts(2, one, 2, one), Reports: reports("connection refused")}, Blocked, "a service that does not answer"},
		"it was asked for, and is stuck": {Facts{Attempts: attempts(2, one, 2, one), Reports: reports("connection refused"), Request: "retry on connection refused"}, Unclear, "tie"},
		"a contradiction":                {Facts{Attempts: attempts(3, one, 3, other, 3, one), Reports: reports("want 1")}, Blocked, "contradiction"},
		"twin: something in common":      {Facts{Attempts: attempts(2, []string{"a", "c"}, 2, []string{"b", "c"}, 2, []string{"a", "c"})}, Stuck, "oscillation"},
		"a file that was never read":     {Facts{Attempts: attempts(2, one), Reports: reports("rates.go:12: panic"), Unread: []string{"tax/rates.go"}}, MissingContext, "never read"},
		"twin: it was read":              {Facts{Attempts: attempts(2, one), Reports: reports("rates.go:12: panic"), Read: []string{"tax/rates.go"}}, None, ""},
		"twin: another folder":           {Facts{Attempts: attempts(2, one), Reports: reports("pay/rates.go:12: panic"), Unread: []string{"tax/rates.go"}}, None, ""},
		"twin: part of a longer name":    {Facts{Attempts: attempts(2, one), Reports: reports("oldrates.go:12: panic"), Unread: []string{"tax/rates.go"}}, None, ""},
		"a name that was never read": {Facts{Attempts: attempts(2, one), Reports: reports("undefined: tax.Rate"),
			Unread: []string{"tax/rates.go"}, Defined: map[string][]string{"Rate": {"tax/rates.go"}}}, MissingContext, "never read"},
		"twin: it is defined nowhere":     {Facts{Attempts: attempts(2, one), Reports: reports("undefined: tax.Rate"), Unread: []string{"tax/rates.go"}}, None, ""},
		"missing, and therefore the same": {Facts{Attempts: attempts(2, one, 2, one), Reports: reports("rates.go:12: panic"), Unread: []string{"tax/rates.go"}}, MissingContext, "never read"},
		"two causes are a tie":            {Facts{Attempts: attempts(2, one), Reports: reports("rates.go:12: permission denied"), Unread: []string{"tax/rates.go"}}, Unclear, "tie"},
		"a gate that says nothing of it":  {Facts{Attempts: attempts(2, one), Reports: []gate.Report{{Gate: "x", Verdict: gate.Fail, Summary: "it fails"}}}, None, ""},
		"a gate that breaks on a program": {Facts{Attempts: attempts(2, one), Reports: []gate.Report{{Gate: "x", Verdict: gate.Error, Output: "sh: jq: command not found"}}}, Blocked, "a missing program"},
		"twin: a test of the code's own": {Facts{Attempts: attempts(2, one), Reports: []gate.Report{{Gate: "x", Verdict: gate.Fail,
			Findings: []gate.Finding{{Test: "TestOpen", Rule: "test", Path: "a_test.go", Message: "open x: permission denied"}}}}}, None, ""},
		"twin: in a file that was changed": {Facts{Attempts: attempts(2, one), Edited: [][]string{{"a.go"}}, Reports: []gate.Report{{Gate: "x", Verdict: gate.Fail,
			Findings: []gate.Finding{{Path: "a.go", Message: "open x: permission denied"}}}}}, None, ""},
		"nothing was ever checked, thrice": {Facts{Attempts: []Attempt{{}, {}, {}}}, Stuck, "no progress"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Classify(test.facts)
			require.Equal(t, test.want, got.Class, got.Reason)
			require.Equal(t, test.rule, got.Rule)
			require.Equal(t, test.want == None, got.Reason == "")
			require.Equal(t, test.want == Blocked, got.Unblock != "")
			require.Equal(t, test.want == MissingContext, len(got.MustRead) > 0)
			require.Equal(t, test.want == Unclear, len(got.Tie) > 1)
		})
	}
}

// A model may break a tie between the candidates, and choose nothing else.
func TestClass_ATieIsBrokenByItsCandidates(t *testing.T) {
	t.Parallel()
	f := Classify(Facts{Attempts: attempts(2, []string{"a"}), Reports: reports("rates.go:12: permission denied"), Unread: []string{"tax/rates.go"}})
	require.Equal(t, []string{"tax/rates.go"}, f.Choose(MissingContext).MustRead)
	require.NotEmpty(t, f.Choose(Blocked).Unblock)
	for _, none := range []Class{Stuck, None, "else"} {
		require.Equal(t, Unclear, f.Choose(none).Class)
	}
}

// MustRead lists only files of the tree that were not read, whatever is printed.
func TestClass_MustReadIsUnread(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		files := []string{"a.go", "b/a.go", "b/c.py", "d-e.ts", "Makefile"}
		words := rapid.SliceOf(rapid.SampledFrom(append([]string{"undefined:", "Rate", "x/", ":", "/"}, files...))).Draw(t, "words")
		unread := rapid.SliceOfDistinct(rapid.SampledFrom(files), func(s string) string { return s }).Draw(t, "unread")
		f := Facts{Attempts: attempts(2, []string{"a"}), Reports: reports(strings.Join(words, " ")), Unread: unread,
			Defined: map[string][]string{"Rate": {"a.go", "elsewhere.go"}}}
		got := Classify(f)
		require.Subset(t, unread, got.MustRead)
		require.Equal(t, got, Classify(f))
	})
}

func TestClass_Unresolved(t *testing.T) {
	t.Parallel()
	for message, want := range map[string][]string{
		"undefined: Rate":     {"Rate"},
		"undefined: tax.Rate": {"Rate"},
		"c.Sub undefined (type Calc has no field or method Sub)": {"Sub"},
		"Cannot find name 'rate'. Did you mean 'gate'?":          {"rate"},
		"NameError: name 'rate' is not defined":                  {"rate"},
		"ImportError: cannot import name 'rate' from 'tax'":      {"rate"},
		"ReferenceError: rate is not defined":                    {"rate"},
		"cannot find function `rate` in this scope":              {"rate"},
		"unresolved import `crate::tax::Rate`":                   {"Rate"},
		"no method named `rate` found for struct":                {"rate"},
		"want undefined, got 3":                                  nil,
	} {
		require.Equal(t, want, Unresolved(reports(message)), message)
	}
}

func TestClass_FailuresOf(t *testing.T) {
	t.Parallel()
	ids := func(r []gate.Report) (all []string) {
		for _, f := range FailuresOf(r) {
			all = append(all, f.ID())
		}
		return all
	}
	require.Equal(t, ids(reports("want 1, got 2")), ids(reports("want 1, got 3")), "the values of a test that fails are no news")
	require.NotEqual(t, ids(reports("want 1, got 2")), ids(reports("panic: nil map")), "the twin: another way to fail is")
	require.Len(t, ids(reports("want 1", "want 1")), 2)
	vet := func(line int, message string) []gate.Report {
		f := gate.Finding{Path: "a.go", Line: line, Rule: "vet/printf", Message: message}
		return []gate.Report{{Gate: "go vet", Verdict: gate.Fail, Findings: []gate.Finding{f, f}}}
	}
	require.Equal(t, ids(vet(3, "a.go:3:1: bad verb")), ids(vet(9, "a.go:9:4: bad verb")))
	require.NotEqual(t, ids(vet(3, "bad verb")), ids(vet(3, "no verb")))
	require.Equal(t, []string{"x |  |  | error: took too long"}, ids([]gate.Report{{Gate: "x", Verdict: gate.Error, Summary: "took too long\nmore"}, {Gate: "y", Verdict: gate.Pass}}))
}

func TestClass_AttemptOf(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		reports       []gate.Report
		passed, total int
	}{
		"nothing":               {nil, 0, 0},
		"some tests fail":       {reports("x"), 5, 6},
		"known failures count":  {[]gate.Report{{Verdict: gate.Pass, Executed: 4, Passed: 3}}, 4, 4},
		"a gate that broke":     {[]gate.Report{{Verdict: gate.Error}}, 0, 1},
		"fewer tests than ever": {[]gate.Report{{Verdict: gate.Fail, Executed: 3, Passed: 3}}, 3, 4},
	} {
		got := AttemptOf(test.reports)
		require.Equal(t, [2]int{test.passed, test.total}, [2]int{got.Passed, got.Total}, name)
	}
}
