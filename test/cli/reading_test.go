package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// payments is a folder with a function in which a reviewer finds something.
func payments() map[string]string {
	return map[string]string{
		"go.mod": "module example.com/pay\n\ngo 1.24\n",
		"pay.go": "package pay\n\n// Share divides an amount.\nfunc Share(cents, people int) int {\n\treturn cents / people\n}\n",
	}
}

const (
	findZero = `
- match: {node: review, contains: ["func Share"]}
  reply: {json: {summary: It can panic., issues: [{path: pay.go, startLine: 4, endLine: 5, severity: error, category: wrong-behaviour, message: "people may be 0."}]}}`
	findNothing = `
- {match: {node: review}, reply: {json: {summary: All is well., issues: []}}}`
)

func TestReviewCommand_ReportsFindings(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(3, map[string]struct {
		script string
		args   []string
		code   int
		out    string
		said   string
	}{
		"an error": {findZero, []string{"--file", "pay.go", "--lines", "4-6"}, 1, "pay.go:4: error: people may be 0. (wrong-behaviour)\n", "It can panic."},
		"nothing":  {findNothing, []string{"--file", "pay.go"}, 0, "", "All is well."},
		"a warning": {`
- {match: {node: review}, reply: {json: {summary: Hm., issues: [{path: pay.go, startLine: 1, severity: warning, message: Hm.}]}}}`,
			[]string{"--file", "pay.go"}, 0, "pay.go:1: warning: Hm. (other)\n", "Hm."},
		"a place that is not there": {`
- {match: {node: review}, times: 2, reply: {json: {summary: Hm., issues: [{path: pay.go, startLine: 99, severity: error, message: Hm.}, {path: gone.go, startLine: 1, severity: error, message: Hm.}]}}}`,
			[]string{"--file", "pay.go"}, 0, "", "2 issues were left out, because they name places that do not exist: pay.go:99, gone.go:1"},
		"a file that is invented": {`
- {match: {node: review}, reply: {json: {summary: Hm., issues: [{path: gone.go, startLine: 1, severity: error, message: Hm.}]}}}`,
			[]string{"--file", "pay.go"}, 0, "", "an issue was left out, because it names a place that does not exist: gone.go:1"},
		"nobody can read it": {`
- {match: {node: review}, times: 2, reply: {text: "Looks good to me!"}}`,
			[]string{"--file", "pay.go"}, 3, "", "the model gave no usable review"},
		"no repository":            {findNothing, nil, 3, "", "no commit that its files could be compared with"},
		"no such file":             {findNothing, []string{"--file", "no.go"}, 2, "", "no.go does not exist"},
		"no lines":                 {findNothing, []string{"--file", "pay.go", "--lines", "9-x"}, 2, "", "as in 10-20"},
		"lines that are not there": {findNothing, []string{"--file", "pay.go", "--lines", "900-1000"}, 2, "", "--lines 900-1000: pay.go has 6 lines: there is no line 900"},
		"only lines":               {findNothing, []string{"--lines", "9-10"}, 2, "", "also set --file"},
	}, "an error", "a place that is not there") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, c.script, payments())
			before := fingerprint(t, w.root)
			code, out, said := w.run(append([]string{"review", "--trust"}, c.args...)...)
			require.Equal(t, c.code, code, said)
			require.Equal(t, c.out, out)
			require.Contains(t, said, c.said)
			require.NotContains(t, said, "people may be 0", "a finding is printed once, as the result")
			require.Equal(t, before, fingerprint(t, w.root), "nothing is changed")
			if c.script == findNothing && c.code != 0 {
				require.Zero(t, w.journal.requests("review"), "nothing is asked")
				return
			}
			w.played()
		})
	}
}

// The reviewer sees uncommitted changes with their line numbers; without any, the command reports that.
func TestReviewCommand_ReviewsUncommittedChanges(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- match: {node: review, contains: ["    5 +| \treturn cents / people", "      -| \treturn cents", "new file mode", "pay.go, tip.go"]}
  reply: {json: {summary: Well., issues: [{path: tip.go, startLine: 1, severity: error, category: test, message: No test.}]}}`, payments())
	w.put(map[string]string{"pay.go": "package pay\n\n// Share divides an amount.\nfunc Share(cents, people int) int {\n\treturn cents\n}\n"})
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "one")
	code, _, said := w.run("review", "--trust")
	require.Equal(t, 0, code, said)
	require.Contains(t, said, "there is nothing to review")

	w.put(payments())
	w.put(map[string]string{"tip.go": "package pay\n"})
	before := fingerprint(t, w.root)
	code, out, said := w.run("review", "--json")
	require.Equal(t, 1, code, said)
	_, last := events(t, out)
	var outcome struct {
		State  string
		Issues []map[string]any
	}
	require.NoError(t, json.Unmarshal([]byte(last), &outcome))
	require.Equal(t, "succeeded", outcome.State)
	require.Equal(t, []map[string]any{{"path": "tip.go", "line": 1.0, "severity": "error", "rule": "test", "message": "No test."}}, outcome.Issues)
	require.Equal(t, before, fingerprint(t, w.root), "also in .git")
	w.played()
}

func TestAskCommand_Answers(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: answer, contains: ["what does this do?", "    4 | func Share", "lines 4 to 5"]}, reply: {text: "It divides, at **pay.go:5**."}}`, payments())
	before := fingerprint(t, w.root)
	code, out, said := w.run("ask", "--trust", "--file", "pay.go", "--lines", "4-5", "what does this do?")
	require.Equal(t, 0, code, said)
	require.Equal(t, "It divides, at **pay.go:5**.\n", out)
	require.Equal(t, before, fingerprint(t, w.root))
	w.played()
}

// The template of a local model has opened the thoughts in the prompt: the answer is what follows them.
func TestAskCommand_LeavesThoughtsOut(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: answer}, reply: {text: "func Share {x} is it.\n</think>\n\nIt divides."}}`, payments())
	code, out, said := w.run("ask", "--trust", "what does this do?")
	require.Equal(t, 0, code, said)
	require.Equal(t, "It divides.\n", out)
	w.played()
}

// The model sees the numbers of the lines that it cites; what it cites and the folder does not have is marked.
func TestAskCommand_MarksWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: answer, contains: ["    4 | func Share", "    1 | module example.com/pay"]}, reply: {text: "See `+"`pay.go:5`, `pay.go:4-60`, [pay.go:9](pay.go:9), api/round.go:3 and https://example.com:80/pay.go:9.\\n```\\npay.go:99\\n```"+`"}}`, payments())
	code, out, said := w.run("ask", "--trust", "where does Share divide?")
	require.Equal(t, 0, code, said)
	require.Equal(t, "See `pay.go:5`, `pay.go:4-60` (not found: the file has 6 lines), [pay.go:9 (not found: the file has 6 lines)](pay.go:9), "+
		"api/round.go:3 (not found) and https://example.com:80/pay.go:9.\n```\npay.go:99\n```\n", out)
	w.played()
}

func TestAskCommand_RefusesAnUntrustedFolder(t *testing.T) {
	t.Parallel()
	w := scripted(t, findNothing, payments())
	code, out, _ := w.run("ask", "what is this?")
	require.Equal(t, 3, code)
	require.Empty(t, out)
	require.Zero(t, w.journal.requests("answer"))
}

// A specification is asked for, brought up to date and never overwritten; what a model says of a version is checked.
func TestSpecCommand_CreatesAndUpdates(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: spec}, reply: {json: {spec: "", changelog: "", questions: [{question: "Who gets the rest?", choices: [nobody, the first]}]}}}
- {match: {node: spec, contains: ["Who gets the rest? nobody"]}, reply: {json: {spec: "# Pay\n\n## Share\n\nThe rest is lost.", changelog: "v1", questions: []}}}
- {match: {node: spec, contains: ["describes no change"]}, reply: {json: {spec: "# Pay\n\n## Share\n\nThe rest is lost.", changelog: "Share divides, and the rest is lost.", questions: []}}}
- {match: {node: spec, contains: ["version 1", "The rest is lost."]}, reply: {json: {spec: "# Pay\n\n## Tip\n\nTen percent.", changelog: "Tips.", questions: []}}}
- {match: {node: spec, contains: ["yours has not"]}, reply: {json: {spec: "# Pay\n\n## Share\n\nThe rest is lost.\n\n## Tip\n\nTen percent.", changelog: "Tips are ten percent.", questions: []}}}
- {match: {node: spec, contains: ["version 2"]}, reply: {json: {spec: "# Pay\n\n## Share\n\nThe rest is lost.\n\n## Tip\n\nTen percent.", changelog: "Nothing that matters here.", questions: []}}}`, payments())
	code, out, said := w.run("spec", "--trust", "--yes", "shares")
	require.Equal(t, 0, code, said)
	require.Equal(t, "# Pay\n\n## Share\n\nThe rest is lost.\n\n", out)
	require.Contains(t, said, "specification: version 1: Share divides, and the rest is lost.")

	code, out, said = w.run("spec", "--yes", "tips")
	require.Equal(t, 0, code, said)
	require.Contains(t, out, "## Tip")
	code, out, _ = w.run("spec", "diff", "1", "2")
	require.Equal(t, 0, code)
	require.Contains(t, out, "+Ten percent.")
	require.NotContains(t, out, "-The rest")

	code, out, said = w.run("spec", "--yes", "nothing new")
	require.Equal(t, 0, code, said)
	require.Empty(t, out)
	require.Contains(t, said, "version 2 already states that")
	code, out, _ = w.run("spec", "--json")
	require.Equal(t, 0, code)
	require.Contains(t, out, `"version":2`)
	require.Contains(t, out, `"changelog":"Tips are ten percent."`)
	w.played()
}

// Without a terminal and without --yes nothing is appended.
func TestSpecCommand_WithoutConsentWritesNothing(t *testing.T) {
	t.Parallel()
	w := scripted(t, `
- {match: {node: spec}, reply: {json: {spec: "# Pay", changelog: "Payments are there.", questions: []}}}`, payments())
	code, _, said := w.run("spec", "--trust", "shares")
	require.Equal(t, 3, code, said)
	code, _, said = w.run("spec")
	require.Equal(t, 1, code, said)
	require.Contains(t, said, "has no such version of the specification")
	w.played()
}

// The user may skip the reviewer, and the result says so; a folder's settings may not.
func TestNoReview_OnlyTheUserMaySkipTheReviewer(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight, sumModule())
	without := []byte("completion:\n  requireReview: false\n")
	require.NoError(t, os.WriteFile(filepath.Join(w.home, "config.yaml"), without, 0o600))
	code, _, said := w.run("run", "--trust", "--yes", "add two numbers")
	require.Equal(t, 0, code, said)
	require.Contains(t, said, "the reviewer was not asked: a rename or a replacement needs none, or your settings say completion.requireReview: false")
	w.played()

	if testing.Short() {
		return // TestCompletion_OnlyTheUserMaySkipTheReviewer has the settings of a folder
	}
	w = scripted(t, whole, sumModule())
	w.put(map[string]string{".forge/config.yaml": string(without)})
	code, _, said = w.run("run", "--trust", "--yes", "add two numbers")
	require.Equal(t, 0, code, said)
	require.NotContains(t, said, "the reviewer was not asked")
	w.played()
}

// lensFinds is the answer of a lens of a final review of payments.
func lensFinds(lens, severity, category string) string {
	return `
- match: {node: ` + lens + `/review, contains: ["To be reviewed: all changes since v1", "Share"]}
  reply: {json: {summary: Looked., issues: [{path: pay.go, startLine: 7, endLine: 7, severity: ` + severity + `, category: ` + category + `, element: Share, evidence: "return cents / people", message: "people may be 0."}]}}`
}

func lensFindsNothing(lens string) string {
	return `
- {match: {node: ` + lens + `/review}, reply: {json: {summary: All is well., issues: []}}}`
}

// released gives payments a commit and its tag v1, another commit, and an uncommitted change.
func released(w *world) {
	w.git("init", "-q")
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "one")
	w.git("tag", "-a", "v1", "-m", "the first release")
	w.put(map[string]string{"tax.go": "package pay\n\n// Tax is a rate.\nconst Tax = 7\n"})
	w.git("add", "-A")
	w.git("commit", "-q", "-m", "two")
	w.put(map[string]string{"pay.go": payments()["pay.go"] + "\n// Half is a share of two.\nfunc Half(cents int) int { return Share(cents, 2) }\n"})
}

func TestReviewCommand_FinalReviewBlocksARelease(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(2, map[string]struct {
		script string
		args   []string
		code   int
		out    string
		said   string
	}{
		"two lenses agree": {lensFinds("contracts", "warning", "other") + lensFindsNothing("failures") + lensFinds("clarity", "error", "test"), nil, 3,
			"pay.go:5: error: people may be 0. (contracts, clarity) (test)\n", "RELEASE BLOCKED: 1 must be fixed, 0 advisory, from 3 lenses"},
		"one lens": {lensFinds("contracts", "error", "security") + lensFindsNothing("failures") + lensFindsNothing("clarity"), nil, 0,
			"pay.go:5: warning: people may be 0. (contracts) (security)\n", "RELEASE CLEAR: 0 must be fixed, 1 advisory, from 3 lenses"},
		"one lens, silent failure": {lensFindsNothing("contracts") + lensFinds("failures", "error", "silent-failure") + lensFindsNothing("clarity"), nil, 3,
			"pay.go:5: error: people may be 0. (failures) (silent-failure)\n", "RELEASE BLOCKED"},
		"no such commit":   {"", []string{"--base", "v9"}, 3, "", "v9 names no commit of this folder"},
		"an option of git": {"", []string{"--base", "--output=x"}, 3, "", "names no commit of this folder"},
		"with a file":      {"", []string{"--file", "pay.go"}, 2, "", "leave --file and --lines out"},
		"both formats":     {"", []string{"--json", "--sarif"}, 2, "", "exclude each other"},
	}, "two lenses agree") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, c.script+"\n- {match: {node: nobody}, reply: {text: never}}", payments())
			released(w)
			before := fingerprint(t, w.root)
			code, out, said := w.run(append([]string{"review", "--trust", "--final", "--base", "v1"}, c.args...)...)
			require.Equal(t, c.code, code, said)
			require.Equal(t, c.out, out)
			require.Contains(t, said, c.said)
			require.Equal(t, before, fingerprint(t, w.root))
		})
	}
}

func TestReviewCommand_PrintsSARIF(t *testing.T) {
	t.Parallel()
	w := scripted(t, lensFinds("contracts", "warning", "other")+lensFinds("failures", "error", "test")+lensFindsNothing("clarity"), payments())
	released(w)
	code, out, said := w.run("review", "--trust", "--final", "--base", "v1", "--sarif")
	require.Equal(t, 3, code, said)
	var log struct {
		Version string
		Runs    []struct {
			Results []struct {
				RuleID, Level string
				Locations     []struct {
					PhysicalLocation struct {
						ArtifactLocation struct{ URI string }
						Region           struct{ StartLine, EndLine int }
					}
				}
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(out), &log), out)
	require.Equal(t, "2.1.0", log.Version)
	require.Len(t, log.Runs[0].Results, 1)
	result := log.Runs[0].Results[0]
	require.Equal(t, "error", result.Level)
	require.Equal(t, "pay.go", result.Locations[0].PhysicalLocation.ArtifactLocation.URI)
	require.Equal(t, 5, result.Locations[0].PhysicalLocation.Region.StartLine)
}
