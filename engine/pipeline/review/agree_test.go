package review

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/pipeline/judge"
)

func remark(lens, path string, line int, severity, category, element string) Remark {
	return Remark{
		Issue:   judge.Issue{Path: path, StartLine: line, EndLine: line, Severity: severity, Category: category, Message: "of " + lens},
		Element: element, lens: lens,
	}
}

// Each row is a rule of the third seed document.
func TestAgree_FollowsTheRules(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		remarks  []Remark
		must     []bool
		lenses   [][]string
		severity string // of the first
	}{
		"two lenses, same line":       {[]Remark{remark("a", "x.go", 10, "warning", "other", "Total"), remark("b", "x.go", 10, "warning", "test", "Total")}, []bool{true}, [][]string{{"a", "b"}}, "warning"},
		"two lenses, five lines":      {[]Remark{remark("a", "x.go", 10, "warning", "", "Total"), remark("b", "x.go", 15, "error", "", "Total")}, []bool{true}, [][]string{{"a", "b"}}, "error"},
		"two lenses, five lines back": {[]Remark{remark("a", "x.go", 15, "error", "", "Total"), remark("b", "x.go", 10, "warning", "", "Total")}, []bool{true}, [][]string{{"a", "b"}}, "error"},
		"two lenses, six lines":       {[]Remark{remark("a", "x.go", 10, "warning", "", "Total"), remark("b", "x.go", 16, "warning", "", "Total")}, []bool{false, false}, [][]string{{"a"}, {"b"}}, "warning"},
		"two lenses, other element":   {[]Remark{remark("a", "x.go", 10, "warning", "", "Total"), remark("b", "x.go", 10, "warning", "", "Sum")}, []bool{false, false}, [][]string{{"a"}, {"b"}}, "warning"},
		"two lenses, other file":      {[]Remark{remark("a", "x.go", 10, "warning", "", "Total"), remark("b", "y.go", 10, "warning", "", "Total")}, []bool{false, false}, [][]string{{"a"}, {"b"}}, "warning"},
		"same element, written otherwise": {[]Remark{remark("a", "x.go", 10, "warning", "", "(*Cart).Total()"), remark("b", "x.go", 11, "warning", "", "cart.Total")}, []bool{true}, [][]string{{"a", "b"}},
			"warning"},
		"one lens twice":                     {[]Remark{remark("a", "x.go", 10, "error", "", "Total"), remark("a", "x.go", 11, "error", "", "Total")}, []bool{false}, [][]string{{"a"}}, "error"},
		"three lenses":                       {[]Remark{remark("a", "x.go", 10, "error", "", "T"), remark("b", "x.go", 11, "error", "", "T"), remark("c", "x.go", 12, "error", "", "T")}, []bool{true}, [][]string{{"a", "b", "c"}}, "error"},
		"a chain of neighbours":              {[]Remark{remark("a", "x.go", 10, "warning", "", "T"), remark("b", "x.go", 20, "warning", "", "T"), remark("c", "x.go", 15, "warning", "", "T")}, []bool{true}, [][]string{{"a", "c", "b"}}, "warning"},
		"one lens, silent failure":           {[]Remark{remark("a", "x.go", 10, "error", "silent-failure", "T")}, []bool{true}, [][]string{{"a"}}, "error"},
		"one lens, contract mismatch":        {[]Remark{remark("a", "x.go", 10, "error", "contract-mismatch", "T")}, []bool{true}, [][]string{{"a"}}, "error"},
		"one lens, schema drift":             {[]Remark{remark("a", "x.go", 10, "error", "schema_drift", "T")}, []bool{true}, [][]string{{"a"}}, "error"},
		"one lens, silent in production":     {[]Remark{remark("a", "x.go", 10, "error", "Silent production failure", "T")}, []bool{true}, [][]string{{"a"}}, "error"},
		"one lens, only a warning":           {[]Remark{remark("a", "x.go", 10, "warning", "silent-failure", "T")}, []bool{false}, [][]string{{"a"}}, "warning"},
		"one lens, an error of another kind": {[]Remark{remark("a", "x.go", 10, "error", "security", "T")}, []bool{false}, [][]string{{"a"}}, "error"},
		"what blocks comes first":            {[]Remark{remark("a", "a.go", 1, "warning", "", "T"), remark("a", "b.go", 1, "error", "silent-failure", "T")}, []bool{true, false}, [][]string{{"a"}, {"a"}}, "error"},
		"no element, and none in common":     {[]Remark{remark("a", "x.go", 10, "warning", "", ""), remark("b", "x.go", 10, "warning", "", "")}, []bool{false, false}, [][]string{{"a"}, {"b"}}, "warning"},
		"nothing":                            {nil, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			findings := Agree(c.remarks)
			require.Len(t, findings, len(c.must))
			for i, f := range findings {
				require.Equal(t, c.must[i], f.MustFix)
				require.Equal(t, c.lenses[i], f.Lenses)
			}
			if len(findings) > 0 {
				require.Equal(t, c.severity, findings[0].Severity)
			}
		})
	}
}

// Without a stated element, the names in two messages decide.
func TestAgree_FindsElementsInMessages(t *testing.T) {
	t.Parallel()
	one, two := remark("a", "x.go", 3, "error", "", ""), remark("b", "x.go", 4, "error", "", "")
	one.Message, two.Message = "`round_half` rounds up", "the result of round_half() is never used"
	require.True(t, Agree([]Remark{one, two})[0].MustFix)
	two.Message = "the result of parseRate is never used"
	require.False(t, Agree([]Remark{one, two})[0].MustFix)
}

func TestReport_BlocksOnlyForWhatMustBeFixed(t *testing.T) {
	t.Parallel()
	must, advisory := remark("a", "x.go", 1, "error", "silent-failure", "T"), remark("b", "x.go", 9, "error", "security", "U")
	for name, c := range map[string]struct {
		remarks []Remark
		verdict gate.Verdict
		summary string
	}{
		"must fix": {[]Remark{must, advisory}, gate.Fail, "RELEASE BLOCKED: 1 must be fixed, 1 advisory, from 3 lenses"},
		"advisory": {[]Remark{advisory}, gate.Pass, "RELEASE CLEAR: 0 must be fixed, 1 advisory, from 3 lenses"},
		"nothing":  {nil, gate.Pass, "RELEASE CLEAR: 0 must be fixed, 0 advisory, from 3 lenses"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := report(Agree(c.remarks), 3, 2)
			require.Equal(t, c.verdict, got.Verdict)
			require.Equal(t, c.summary, got.Summary)
			require.Len(t, got.Findings, len(c.remarks))
		})
	}
	blocked := report(Agree([]Remark{must, advisory}), 3, 2).Findings
	require.Equal(t, gate.SeverityError, blocked[0].Severity)
	require.Equal(t, gate.SeverityWarning, blocked[1].Severity, "an advisory finding is no error, whatever its lens says")
	require.Equal(t, "of b (b)", blocked[1].Message)
}
