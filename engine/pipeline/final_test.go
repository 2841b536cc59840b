package pipeline

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/event"
	"forge/engine/gate"
	"forge/engine/pipeline/work"
	"forge/engine/step"
	"forge/patch"
)

// The parts of scripts of a final review: an issue of each lens on line 1 of a, whose text is "one".
const (
	silent    = `{path: a, startLine: 1, endLine: 1, severity: error, category: silent-failure, element: a, evidence: one, message: the error is lost}`
	ordinary  = `{path: a, startLine: 1, endLine: 1, severity: error, category: security, element: a, evidence: one, message: it is open}`
	miscounts = `{path: a, startLine: 1, endLine: 1, severity: warning, category: other, element: a, evidence: "  one ", message: it is odd}`
	other     = `{path: a, startLine: 1, endLine: 1, severity: error, category: security, element: b, evidence: one, message: it is odd}`
	invented  = `{path: a, startLine: 1, endLine: 1, severity: error, category: silent-failure, element: a, evidence: two, message: it is two}`
)

func lensSays(lens, issues string) string {
	return "\n- {match: {node: " + lens + "/review}, reply: {json: {summary: Looked., issues: [" + issues + "]}}}"
}

func lensRaves(lens string) string {
	return "\n- {match: {node: " + lens + "/review}, times: 2, reply: {text: who knows}}"
}

func TestFinal_JoinsThreeLenses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		script   string
		state    event.State
		verdict  gate.Verdict
		reason   string
		findings int
		note     string
	}{
		"clear":                      {lensSays("contracts", "") + lensSays("failures", "") + lensSays("clarity", ""), event.Succeeded, gate.Pass, "RELEASE CLEAR: 0 must be fixed, 0 advisory, from 3 lenses", 0, ""},
		"two agree":                  {lensSays("contracts", ordinary) + lensSays("failures", "") + lensSays("clarity", miscounts), event.Succeeded, gate.Fail, "RELEASE BLOCKED: 1 must be fixed, 0 advisory", 1, ""},
		"one, advisory":              {lensSays("contracts", ordinary) + lensSays("failures", "") + lensSays("clarity", ""), event.Succeeded, gate.Pass, "RELEASE CLEAR: 0 must be fixed, 1 advisory", 1, ""},
		"one, silent failure":        {lensSays("contracts", "") + lensSays("failures", silent) + lensSays("clarity", ""), event.Succeeded, gate.Fail, "RELEASE BLOCKED: 1 must be fixed", 1, ""},
		"evidence that is not there": {lensSays("contracts", "") + "\n- {match: {node: failures/review}, times: 2, reply: {json: {summary: Looked., issues: [" + invented + "]}}}" + lensSays("clarity", ""), event.Succeeded, gate.Pass, "RELEASE CLEAR: 0 must be fixed, 0 advisory", 0, `failures: an issue was left out, because its evidence is not in a: "two"`},
		"one lens raves":             {lensSays("contracts", silent) + lensRaves("failures") + lensSays("clarity", ""), event.Succeeded, gate.Fail, "from 2 lenses", 1, "failures gave no usable answer"},
		"a tie is upheld": {lensSays("contracts", ordinary) + lensRaves("failures") + lensSays("clarity", "") +
			"\n- {match: {node: review, contains: [\"1. a:1: error: it is open\"]}, reply: {json: {upheld: [1], reason: It is open indeed.}}}", event.Succeeded, gate.Fail, "RELEASE BLOCKED: 1 must be fixed", 1, "1 of 1 errors that only one of two lenses reports are upheld: It is open indeed."},
		"the upheld one is first": {lensSays("contracts", ordinary+", "+other) + lensRaves("failures") + lensSays("clarity", "") +
			"\n- {match: {node: review}, reply: {json: {upheld: [2], reason: It is odd.}}}", event.Succeeded, gate.Fail, "RELEASE BLOCKED: 1 must be fixed, 1 advisory", 2, "1 of 2 errors"},
		"a tie is dismissed": {lensSays("contracts", ordinary) + lensRaves("failures") + lensSays("clarity", "") +
			"\n- {match: {node: review}, reply: {json: {upheld: [], reason: It is closed.}}}", event.Succeeded, gate.Pass, "RELEASE CLEAR: 0 must be fixed, 1 advisory", 1, "0 of 1 errors"},
		"two lenses rave": {lensSays("contracts", silent) + lensRaves("failures") + lensRaves("clarity"), event.Blocked, gate.Error, "only 1 of 3 lenses gave a usable answer", 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, c.script)
			e.task = work.Task{Text: "Review the release.", Focus: work.Focus{Since: "v1"}}
			asked := make(chan step.DiffCall, 9)
			result := e.read(t, Final, workers(step.ActivityDiff, func(call step.DiffCall) (step.Uncommitted, error) {
				asked <- call
				return step.Uncommitted{Known: true, Changes: patch.ChangeSet{Files: []patch.FileChange{{Path: "a", Before: "none\n", After: "one\n"}}}}, nil
			}))
			require.Equal(t, "v1", (<-asked).Since)
			require.Empty(t, asked, "the changes are read once")
			require.Equal(t, c.state, result.State, result.Reason)
			require.Contains(t, result.Reason, c.reason)
			require.Equal(t, c.verdict, result.Review.Verdict)
			require.Len(t, result.Review.Findings, c.findings)
			if c.verdict == gate.Fail {
				require.Equal(t, gate.SeverityError, result.Review.Findings[0].Severity, "what blocks is first")
			}
			require.Contains(t, result.Review.Output, c.note)
			require.NoError(t, e.script.Verify())
		})
	}
}

func TestFinal_WithoutChangesOrCommitAsksNoModel(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		diff   step.Uncommitted
		state  event.State
		reason string
	}{
		"no changes": {step.Uncommitted{Known: true}, event.Succeeded, "nothing to review: every file is as v1 has it"},
		"no commit":  {step.Uncommitted{}, event.Blocked, "v1 names no commit of this folder"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newEpisode(t, "\n- {match: {node: review}, reply: {text: never}}")
			e.task = work.Task{Text: "Review the release.", Focus: work.Focus{Since: "v1"}}
			result := e.read(t, Final, workers(step.ActivityDiff, func(step.DiffCall) (step.Uncommitted, error) { return c.diff, nil }))
			require.Equal(t, c.state, result.State)
			require.Contains(t, result.Reason, c.reason)
			require.Empty(t, e.script.Requests())
		})
	}
}

// planted is a defect in a diff: which lenses report it, with which severity and category, and what the rules make of it.
type planted struct {
	lenses   string // the first letters of contracts, failures and clarity: "c", "f", "l"
	severity string
	category string
	must     bool
	known    bool // a lens reports it with evidence that exists
}

// plantedDefects are all combinations of lenses with the categories and severities that matter: 40 defects.
func plantedDefects() (all []planted) {
	for _, lenses := range []string{"c", "f", "l", "cf", "cl", "fl", "cfl", ""} {
		for _, kind := range []planted{
			{severity: "error", category: "silent-failure"}, {severity: "error", category: "contract-mismatch"},
			{severity: "error", category: "security"}, {severity: "warning", category: "schema-drift"}, {severity: "warning", category: "other"},
		} {
			kind.lenses, kind.known = lenses, lenses != ""
			kind.must = len(lenses) > 1 || len(lenses) == 1 && kind.severity == "error" && kind.category != "security"
			all = append(all, kind)
		}
	}
	return all
}

// Twenty diffs with two defects each: what must be fixed is exactly what the rules say, and an issue that each lens invents is left out.
func TestFinal_FindsPlantedDefectsByTheRules(t *testing.T) {
	t.Parallel()
	defects := plantedDefects()
	require.Len(t, defects, 40)
	letters := map[string]string{"contracts": "c", "failures": "f", "clarity": "l"}
	for diff := range 20 {
		t.Run(fmt.Sprint(diff), func(t *testing.T) {
			t.Parallel()
			pair := []planted{defects[diff], defects[39-diff]}
			script := ""
			for lens, letter := range letters {
				issues := []string{`{path: p.go, startLine: 3, endLine: 3, severity: error, category: silent-failure, element: ghost, evidence: "ghost()", message: invented}`}
				for i, d := range pair {
					if strings.Contains(d.lenses, letter) {
						// Each lens is off by another number of lines, and writes the element in another way.
						line := 10*(i+1) + len(issues) - 1
						issues = append(issues, fmt.Sprintf(`{path: p.go, startLine: %d, endLine: %d, severity: %s, category: %s, element: %q, evidence: "return planted(%d)", message: "defect %d"}`,
							line, line, d.severity, d.category, []string{"defect%d", "defect%d()", "(*P).defect%d"}[len(lens)%3], i, i))
						issues[len(issues)-1] = strings.ReplaceAll(issues[len(issues)-1], "defect%d", fmt.Sprintf("defect%d", i))
					}
				}
				script += "\n- {match: {node: " + lens + "/review}, times: 2, reply: {json: {summary: Looked., issues: [" + strings.Join(issues, ", ") + "]}}}"
			}
			text := "package p\n" + strings.Repeat("\n", 8) + "func defect0() int { return planted(0) }\n" + strings.Repeat("\n", 9) + "func defect1() int { return planted(1) }\n"
			e := newEpisode(t, script)
			e.task = work.Task{Text: "Review the release."}
			result := e.read(t, Final, workers(step.ActivityDiff, func(step.DiffCall) (step.Uncommitted, error) {
				return step.Uncommitted{Known: true, Changes: patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Create, Path: "p.go", After: text}}}}, nil
			}))
			require.Equal(t, event.Succeeded, result.State, result.Reason)
			want, must := map[int]gate.Severity{}, false
			for i, d := range pair {
				if d.known {
					want[10*(i+1)] = map[bool]gate.Severity{true: gate.SeverityError, false: gate.SeverityWarning}[d.must]
				}
				must = must || d.must
			}
			got := map[int]gate.Severity{}
			for _, f := range result.Review.Findings {
				got[f.Line] = f.Severity
			}
			require.Equal(t, want, got, "%+v", pair)
			require.Equal(t, must, result.Review.Verdict == gate.Fail)
			require.Equal(t, 3, strings.Count(result.Review.Output, `its evidence is not in p.go: "ghost()"`))
		})
	}
}
