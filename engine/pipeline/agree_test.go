package pipeline

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/pipeline/judge"
)

func remarkBy(lens, path string, line int, severity, category, element string) remark {
	return remark{
		Issue:   judge.Issue{Path: path, StartLine: line, EndLine: line, Severity: severity, Category: category, Message: "of " + lens},
		Element: element, lens: lens,
	}
}

// found is a finding as rows of TestAgree_FollowsEachRule expect it: "must" or "advisory", its line, and the lenses that reported it.
type found struct {
	rank   string
	line   int
	lenses string
}

// Each row is a rule of docs/runs.md, "Review a release", or a case at its edge.
func TestAgree_FollowsEachRule(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule    string
		remarks []remark
		want    []found
	}{
		{"No remark is no finding.", nil, nil},

		// What is the same finding.
		{"Remarks on the same line about the same element are one finding.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "other", "Total"), remarkBy("b", "x.go", 10, "warning", "test", "Total")}, []found{{"must", 10, "a b"}}},
		{"Remarks five lines below each other are one finding.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "", "Total"), remarkBy("b", "x.go", 15, "warning", "", "Total")}, []found{{"must", 10, "a b"}}},
		{"Remarks five lines above each other are one finding.",
			[]remark{remarkBy("a", "x.go", 15, "warning", "", "Total"), remarkBy("b", "x.go", 10, "warning", "", "Total")}, []found{{"must", 15, "a b"}}},
		{"Remarks six lines apart are two findings.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "", "Total"), remarkBy("b", "x.go", 16, "warning", "", "Total")}, []found{{"advisory", 10, "a"}, {"advisory", 16, "b"}}},
		{"Remarks in two files are two findings.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "", "Total"), remarkBy("b", "y.go", 10, "warning", "", "Total")}, []found{{"advisory", 10, "a"}, {"advisory", 10, "b"}}},
		{"Remarks about two elements on one line are two findings.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "", "Total"), remarkBy("b", "x.go", 10, "warning", "", "Sum")}, []found{{"advisory", 10, "a"}, {"advisory", 10, "b"}}},
		{"Names that differ in their case are two elements.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "", "Total"), remarkBy("b", "x.go", 10, "warning", "", "total")}, []found{{"advisory", 10, "a"}, {"advisory", 10, "b"}}},
		{"Remarks that name no element have none in common.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "", ""), remarkBy("b", "x.go", 10, "warning", "", "")}, []found{{"advisory", 10, "a"}, {"advisory", 10, "b"}}},
		{"A remark between two others joins them, also if it comes last.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "", "T"), remarkBy("b", "x.go", 20, "warning", "", "T"), remarkBy("c", "x.go", 15, "warning", "", "T")}, []found{{"must", 10, "a c b"}}},

		// How many lenses report it.
		{"What two lenses report must be fixed, whatever its severity and category.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "other", "T"), remarkBy("c", "x.go", 11, "warning", "performance", "T")}, []found{{"must", 10, "a c"}}},
		{"What three lenses report must be fixed.",
			[]remark{remarkBy("a", "x.go", 10, "error", "", "T"), remarkBy("b", "x.go", 11, "error", "", "T"), remarkBy("c", "x.go", 12, "error", "", "T")}, []found{{"must", 10, "a b c"}}},
		{"A lens that reports a fault twice is one lens.",
			[]remark{remarkBy("a", "x.go", 10, "error", "", "T"), remarkBy("a", "x.go", 11, "error", "", "T")}, []found{{"advisory", 10, "a"}}},

		// What a single lens can block.
		{"An error of one lens must be fixed if it is a silent failure.", []remark{remarkBy("a", "x.go", 10, "error", "silent-failure", "T")}, []found{{"must", 10, "a"}}},
		{"An error of one lens must be fixed if it is a contract mismatch.", []remark{remarkBy("b", "x.go", 10, "error", "contract-mismatch", "T")}, []found{{"must", 10, "b"}}},
		{"An error of one lens must be fixed if it is schema drift, also written schema_drift.", []remark{remarkBy("c", "x.go", 10, "error", "schema_drift", "T")}, []found{{"must", 10, "c"}}},
		{"An error of one lens must be fixed if it is a silent production failure, also in words.", []remark{remarkBy("a", "x.go", 10, "error", "Silent production failure", "T")}, []found{{"must", 10, "a"}}},
		{"A warning of one lens is advisory, also of these categories.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "silent-failure", "T"), remarkBy("b", "x.go", 20, "warning", "contract-mismatch", "T"), remarkBy("c", "x.go", 30, "warning", "schema-drift", "T")},
			[]found{{"advisory", 10, "a"}, {"advisory", 20, "b"}, {"advisory", 30, "c"}}},
		{"An error of one lens is advisory in every other category.",
			[]remark{remarkBy("a", "x.go", 10, "error", "security", "T"), remarkBy("a", "x.go", 20, "error", "wrong-behaviour", "T"), remarkBy("a", "x.go", 30, "error", "", "T"), remarkBy("a", "x.go", 40, "error", "silent", "T")},
			[]found{{"advisory", 10, "a"}, {"advisory", 20, "a"}, {"advisory", 30, "a"}, {"advisory", 40, "a"}}},

		// What is shown.
		{"The finding is where its gravest remark is.",
			[]remark{remarkBy("a", "x.go", 10, "warning", "", "T"), remarkBy("b", "x.go", 12, "error", "", "T"), remarkBy("c", "x.go", 14, "error", "schema-drift", "T")}, []found{{"must", 14, "a b c"}}},
		{"What must be fixed comes first, then by file and line.",
			[]remark{remarkBy("a", "b.go", 2, "error", "silent-failure", "T"), remarkBy("a", "b.go", 9, "warning", "", "U"), remarkBy("a", "a.go", 7, "warning", "", "T"), remarkBy("b", "b.go", 1, "error", "schema-drift", "S")},
			[]found{{"must", 1, "b"}, {"must", 2, "a"}, {"advisory", 7, "a"}, {"advisory", 9, "a"}}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			var got []found
			for _, f := range agree(c.remarks) {
				got = append(got, found{map[bool]string{true: "must", false: "advisory"}[f.MustFix], f.StartLine, strings.Join(f.Lenses, " ")})
			}
			require.Equal(t, c.want, got)
		})
	}
}

// Lenses write the name of an element in many ways.
func TestAgree_KnowsAnElementHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"Total", "`Total`", "Total()", "(*Cart).Total()", "(c *Cart) Total", "func (c Cart) Total(items []Item) (int, error)", "cart.Total", "Cart::Total", "Cart#Total", "Cart->Total", "$this->Total", "$Total", "@Total", "${Total}",
		`"orders"."Total"`, "Total[T]", "Total<T>", "fn Total<T: Into<u32>>(of: T) -> u32", "the method Total", "the `Total` field", "Total parameter", "Total: int", "self.Total", "--Total", " Total. ",
	} {
		findings := agree([]remark{remarkBy("a", "x", 1, "warning", "", "Total"), remarkBy("b", "x", 1, "warning", "", name)})
		require.Len(t, findings, 1, name)
	}
	for _, name := range []string{"Totals", "Total.Sum", "Total_net", "total", "Order.type", "Total-net", "()", "``", "--"} {
		findings := agree([]remark{remarkBy("a", "x", 1, "warning", "", "Total"), remarkBy("b", "x", 1, "warning", "", name)})
		require.Len(t, findings, 2, name)
	}
}

// Without a stated element, the names in two messages decide.
func TestAgree_FindsElementsInMessages(t *testing.T) {
	t.Parallel()
	one, two := remarkBy("a", "x.go", 3, "error", "", ""), remarkBy("b", "x.go", 4, "error", "", "")
	one.Message, two.Message = "`round_half` rounds up", "the result of round_half() is never used"
	require.True(t, agree([]remark{one, two})[0].MustFix)
	two.Message = "the result of parseRate is never used"
	require.False(t, agree([]remark{one, two})[0].MustFix)
}

func TestReport_BlocksOnlyForWhatMustBeFixed(t *testing.T) {
	t.Parallel()
	must, advisory := remarkBy("a", "x.go", 1, "error", "silent-failure", "T"), remarkBy("b", "x.go", 9, "error", "security", "U")
	for name, c := range map[string]struct {
		remarks []remark
		verdict gate.Verdict
		summary string
	}{
		"must fix": {[]remark{must, advisory}, gate.Fail, "RELEASE BLOCKED: 1 must be fixed, 1 advisory, from 3 lenses"},
		"advisory": {[]remark{advisory}, gate.Pass, "RELEASE CLEAR: 0 must be fixed, 1 advisory, from 3 lenses"},
		"nothing":  {nil, gate.Pass, "RELEASE CLEAR: 0 must be fixed, 0 advisory, from 3 lenses"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := finalReport(agree(c.remarks), 3, 2)
			require.Equal(t, c.verdict, got.Verdict)
			require.Equal(t, c.summary, got.Summary)
			require.Len(t, got.Findings, len(c.remarks))
		})
	}
	blocked := finalReport(agree([]remark{must, advisory}), 3, 2).Findings
	require.Equal(t, gate.SeverityError, blocked[0].Severity)
	require.Equal(t, gate.SeverityWarning, blocked[1].Severity, "an advisory finding is no error, whatever its lens says")
	require.Equal(t, "of b (b)", blocked[1].Message)
}
