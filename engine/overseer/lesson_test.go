package overseer

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/patch"
)

// changed is a change of one file.
func changed(file, before, after string) patch.ChangeSet {
	return patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Update, Path: file, Before: before, After: after}}}
}

func failingGate(name string, findings ...gate.Finding) gate.Report {
	for i := range findings {
		findings[i].Severity = gate.SeverityError
	}
	return gate.Report{Gate: name, Verdict: gate.Fail, Executed: 1, Findings: findings}
}

func passing(names ...string) (reports []gate.Report) {
	for _, name := range names {
		reports = append(reports, gate.Report{Gate: name, Verdict: gate.Pass, Executed: 1})
	}
	return reports
}

func isTest(path string) bool { return strings.HasSuffix(path, "_test.go") }

// A lesson names the check, the class of its message, and the lines that turned it green.
func TestFrom_ShortAndSpecific(t *testing.T) {
	t.Parallel()
	const base = "package cart\n\nfunc Total(a int) int {\n\treturn a\n}\n"
	failed := changed("cart.go", base, "package cart\n\nimport \"fmt\"\n\nfunc Total(a int) int {\n\tfmt.Println(a)\n\treturn a * 2\n}\n")
	passed := changed("cart.go", base, "package cart\n\nimport \"fmt\"\n\nfunc Total(a int) int {\n\tfmt.Println(a)\n\treturn a*2 + 50\n}\n")
	test := gate.Finding{Path: "cart_test.go", Line: 9, Test: "shop/cart.TestTotal", Rule: "test", Message: "cart_test.go:9: Total(1) = 2, want 52"}
	compile := gate.Finding{Path: "cart.go", Line: 7, Rule: "compile", Message: "declared and not used: n"}
	for name, c := range map[string]struct {
		before []gate.Report
		want   Lesson
	}{
		"a test": {[]gate.Report{failingGate("go test", test)}, Lesson{
			Cause{Category: Failing, Text: "go test: cart.TestTotal in cart_test.go: assertion", Gate: "go test", Said: "cart_test.go:9: Total(1) = 2, want 52"},
			"in cart.go, replace `return a * 2` with `return a*2 + 50`", []string{"cart.go"},
		}},
		"one compiler, three gates": {[]gate.Report{failingGate("go vet", compile), failingGate("go build", compile), failingGate("go test", compile)}, Lesson{
			Cause{Category: Failing, Text: "declared and not used: n", Gate: "go vet"},
			"in cart.go, replace `return a * 2` with `return a*2 + 50`", []string{"cart.go"},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lessons := LessonsOf(c.before, passing("go vet", "go build", "go test"), failed, passed, isTest)
			require.Len(t, lessons, 1)
			got := lessons[0]
			got.Cause = Cause{Category: got.Category, Text: got.Text, Gate: got.Gate, Said: got.Said}
			require.Equal(t, c.want, got)
		})
	}
}

// Only failures of the code teach, and only if it is known which lines removed them.
func TestFrom_TransientFailuresTeachNothing(t *testing.T) {
	t.Parallel()
	finding := gate.Finding{Path: "a.go", Line: 1, Test: "p.TestA", Message: "got 1"}
	with := func(change func(f *gate.Finding)) gate.Finding {
		f := finding
		change(&f)
		return f
	}
	said := func(message string) gate.Report {
		return failingGate("go test", with(func(f *gate.Finding) { f.Test, f.Message = "", message }))
	}
	flaky := failingGate("go test", finding)
	flaky.Flaky = []string{"p.TestA"}
	broken := failingGate("go test", finding)
	broken.Verdict = gate.Error
	small := [2]patch.ChangeSet{changed("a.go", "x1\n", "one\n"), changed("a.go", "x1\n", "two\n")}
	for name, c := range map[string]struct {
		before  gate.Report
		changes [2]patch.ChangeSet
		want    int
	}{
		"twin: a fault of the code": {failingGate("go test", finding), small, 1},
		"a time-out":                {failingGate("go test", with(func(f *gate.Finding) { f.Message = "test timed out after 10s" })), small, 0},
		"a flaky test":              {flaky, small, 0},
		"a gate that broke":         {broken, small, 0},
		"a missing program":         {said(`exec: "node": executable file not found in $PATH`), small, 0},
		"a refused permission":      {said("open x: permission denied"), small, 0},
		"a service":                 {said("dial tcp: connection refused"), small, 0},
		"a path of a scratch tree":  {said("cannot read /tmp/forge/trees/3/a.go"), small, 0},
		"a path of Windows":         {said(`cannot read C:\forge\trees\a.go`), small, 0},
		"the same text":             {failingGate("go test", finding), [2]patch.ChangeSet{small[0], small[0]}, 0},
		"only white space":          {failingGate("go test", finding), [2]patch.ChangeSet{small[0], changed("a.go", "x1\n", "\tone\n\n")}, 0},
		"a test that was rewritten": {failingGate("go test", finding), [2]patch.ChangeSet{changed("a_test.go", "x1\n", "one\n"), changed("a_test.go", "x1\n", "two\n")}, 0},
		"its own missing name":      {said("undefined: helper"), [2]patch.ChangeSet{changed("a.go", "x1\n", "one\n"), changed("a.go", "x1\n", "one\nfunc helper() {}\n")}, 0},
		"another name":              {said("undefined: helper"), [2]patch.ChangeSet{changed("a.go", "x1\n", "helper()\n"), changed("a.go", "x1\n", "assist()\n")}, 1},
		"another large change": {failingGate("go test", with(func(f *gate.Finding) { f.Path = "z_test.go" })), [2]patch.ChangeSet{
			changed("a.go", "x1\n", "one\n"), changed("a.go", "x1\n", "a1\nb1\nc1\nd1\ne1\nf1\ng1\n"),
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Len(t, LessonsOf([]gate.Report{c.before}, passing("go test"), c.changes[0], c.changes[1], isTest), c.want)
		})
	}
}

func TestFrom_ResolvedMeansThatTheGatePasses(t *testing.T) {
	t.Parallel()
	before := []gate.Report{failingGate("go test", gate.Finding{Path: "a_test.go", Test: "p.TestA", Message: "got 1"})}
	failed, passed := changed("a.go", "x1\n", "one\n"), changed("a.go", "x1\n", "two\n")
	for name, after := range map[string][]gate.Report{
		"not run":            {{Gate: "go test"}},
		"executed nothing":   {{Gate: "go test", Verdict: gate.Pass}},
		"another gate":       passing("go vet"),
		"another test fails": {failingGate("go test", gate.Finding{Path: "b_test.go", Test: "p.TestB", Message: "got 1"})},
	} {
		require.Empty(t, LessonsOf(before, after, failed, passed, isTest), name)
	}
}

// CausesOf of one change are one lesson.
func TestFrom_OneLessonForEachChange(t *testing.T) {
	t.Parallel()
	before := []gate.Report{failingGate("go test",
		gate.Finding{Path: "a_test.go", Test: "p.TestA", Message: "got 1"}, gate.Finding{Path: "a_test.go", Test: "p.TestB", Message: "got 1"})}
	lessons := LessonsOf(before, passing("go test"), changed("a.go", "x1\n", "one\n"), changed("a.go", "x1\n", "two\n"), isTest)
	require.Len(t, lessons, 1)
	require.Contains(t, lessons[0].Text, "TestA")
}

func TestCauses_Categories(t *testing.T) {
	t.Parallel()
	lint := failingGate("eslint", gate.Finding{Path: "a.js", Line: 3, Rule: "no-unused-vars", Message: "'x' is defined but never used."})
	lint.Weight = gate.WhenGreen
	types := failingGate("tsc", gate.Finding{Path: "a.ts", Line: 3, Rule: "TS2322", Message: "Type 'string' is not assignable to type 'number'."})
	types.Weight = gate.WhenGreen
	for name, c := range map[string]struct {
		report         gate.Report
		category, text string
	}{
		"a linter":         {lint, Convention, "eslint: no-unused-vars"},
		"a type checker":   {types, Failing, "Type 'string' is not assignable to type 'number'."},
		"a missing module": {failingGate("python test", gate.Finding{Path: "a.py", Test: "test_a.test", Message: "ModuleNotFoundError: No module named 'requests'"}), Dependency, "ModuleNotFoundError: No module named 'requests'"},
		"a package of Go":  {failingGate("go build", gate.Finding{Path: "a.go", Line: 3, Message: "package foo/bar is not in std (/usr/local/go/src/foo/bar)"}), Dependency, "package foo/bar is not in std"},
	} {
		causes := CausesOf([]gate.Report{c.report})
		require.Len(t, causes, 1, name)
		require.Equal(t, [2]string{c.category, c.text}, [2]string{causes[0].Category, causes[0].Text}, name)
	}
}

// A large hunk is cut to the lines with the words of the failure; the whole lesson stays short.
func TestFrom_CutsALargeHunk(t *testing.T) {
	t.Parallel()
	var failed, passed strings.Builder
	for range 40 {
		failed.WriteString("old " + strings.Repeat("word ", 40) + "\n")
		passed.WriteString("new " + strings.Repeat("word ", 40) + "\n")
	}
	passed.WriteString("limit := quota\n")
	report := failingGate("go test", gate.Finding{Path: "q_test.go", Test: "p.TestLimit", Message: "limit 3 is not the quota"})
	lessons := LessonsOf([]gate.Report{report}, passing("go test"), changed("q.go", "", failed.String()), changed("q.go", "", passed.String()), isTest)
	require.Len(t, lessons, 1)
	require.Contains(t, lessons[0].Fix, "`limit := quota`")
	require.LessOrEqual(t, len(lessons[0].Fix), mostFix+len("…"))
}
