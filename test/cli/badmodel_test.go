package cli

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// badModel is a model that misbehaves, and what becomes of the run.
type badModel struct {
	script string
	code   int
	says   []string
	asks   map[string]int // how often a node asks
}

// answer is a script line: a node's answer in words, as often as asked.
func answer(node, text string) string {
	return "\n- {match: {node: " + node + "}, reply: {text: '" + text + "'}, times: -1}"
}

func fault(fault string) string { return "\n- {fault: {" + fault + "}, times: -1}" }

// said is an answer that changes code where tests belong, with words of its own.
func said(explanation string) string {
	return "\n- {match: {node: executor}, reply: {json: {explanation: " + explanation +
		", files: [{path: add.go, action: create, content: package sum}], patch: '', blocked: ''}}}"
}

var badModels = map[string]badModel{
	"a login page":    {fault("kind: html"), 3, []string{"a web page", "check the base URL"}, map[string]int{"orchestrator": 1}},
	"a wrong key":     {fault("status: 401"), 3, []string{"does not accept the key", "check the key, and that it belongs to this host", "Then resume the run"}, map[string]int{"orchestrator": 1}},
	"no such model":   {fault("kind: no-model"), 3, []string{`no model called "scripted"`, "choose one that forge models lists"}, map[string]int{"orchestrator": 1}},
	"no credit":       {fault("kind: quota"), 3, []string{"no quota or credit left"}, map[string]int{"orchestrator": 1}},
	"a wait too long": {fault("status: 429, retryAfter: '3600'"), 3, []string{"asked to wait 1h", "Resume the run when it answers"}, map[string]int{"orchestrator": 1}},
	"too much for it": {fault("kind: overflow"), 3, []string{"larger context"}, map[string]int{"orchestrator": 1}},
	"a refusal": {
		"\n- {reply: {refusal: I would rather not}}", 3,
		[]string{"declined", "I would rather not", "Word the task differently"}, map[string]int{"orchestrator": 1},
	},
	"half a second of waiting is waited": {
		"\n- {fault: {status: 429, retryAfterMs: 500}}" + whole, 0, nil, map[string]int{"orchestrator": 2},
	},
	"a cut stream is asked for again": {
		"\n- {fault: {kind: cut, afterBytes: 150}}" + whole, 0, nil, map[string]int{"orchestrator": 2},
	},
	"a stream that ends early is asked for again": {
		"\n- {fault: {kind: end, afterBytes: 150}}" + whole, 0, nil, map[string]int{"orchestrator": 2},
	},
	"nonsense from the orchestrator": {
		answer("orchestrator", "Certainly!"), 3,
		[]string{"orchestrator: the model gave no usable decision", "no JSON object", "choose another model"},
		map[string]int{"orchestrator": 2, "executor": 0},
	},
	"an action that is none": {
		answer("orchestrator", `{"action": "rm -rf", "reason": "x"}`), 3,
		[]string{`"rm -rf"`, "generate_spec"}, map[string]int{"orchestrator": 2, "executor": 0},
	},
	"nonsense from the spec generator": {
		decideSpec + answer("spec", `{"title": 7}`), 3,
		[]string{"spec: the model gave no usable specification", "does not fit its schema"}, map[string]int{"spec": 2, "executor": 0},
	},
	"questions without end": {
		decideSpec + answer("spec", `{"title": "", "spec": "", "questions": [{"question": "Why?", "choices": ["a", "b"]}]}`), 3,
		[]string{"ask nothing more"}, map[string]int{"spec": 3, "executor": 0},
	},
	"nonsense for tests": {
		decideExecutor + answer("executor", "Certainly!"), 3,
		[]string{"attempt 2 gives the answer of attempt 1 again", "no usable tests"}, map[string]int{"executor": 3, "review": 0},
	},
	"tests that are green at once": {
		decideExecutor + strings.ReplaceAll(strings.ReplaceAll(writeTests, "Add(2, 2)", "2+2"), "- match:", "- times: -1\n  match:"), 3,
		[]string{"makes the change of attempt 1 again", "pass without an implementation: they prove nothing"}, map[string]int{"executor": 2, "review": 0},
	},
	"a way out of the folder": {
		decideExecutor + answer("executor", `{"explanation": "", "files": [{"path": "../x_test.go", "action": "create", "content": "package x"}], "patch": "", "blocked": ""}`), 3,
		[]string{`"../x_test.go"`}, map[string]int{"executor": 3},
	},
	"a hook for git": {
		decideExecutor + answer("executor", `{"explanation": "", "files": [{"path": ".git/hooks/x_test.go", "action": "create", "content": "package x"}], "patch": "", "blocked": ""}`), 3,
		[]string{`".git/hooks/x_test.go"`, "git directory"}, map[string]int{"executor": 3},
	},
	"an implementation where tests belong": {
		decideExecutor + answer("executor", `{"explanation": "", "files": [{"path": "add.go", "action": "create", "content": "package sum"}], "patch": "", "blocked": ""}`), 3,
		[]string{"add.go is not a test file"}, map[string]int{"executor": 3},
	},
	"work done without a difference": {
		decideExecutor + answer("executor", `{"explanation": "Done!", "files": [], "patch": "", "blocked": ""}`), 3,
		[]string{"the answer changes nothing"}, map[string]int{"executor": 3},
	},
	"a refused edit in other words": {
		decideExecutor + said("one") + said("two") + said("three") + said("four"), 3,
		[]string{"attempt 2 gives the answer of attempt 1 again", "add.go is not a test file"}, map[string]int{"executor": 3},
	},
	"a refused edit of what is frozen": {
		decideExecutor + writeTests + answer("executor", `{"explanation": "", "files": [{"path": "add_test.go", "action": "write", "content": "package sum"}], "patch": "", "blocked": ""}`), 3,
		[]string{"attempt 2 gives the answer of attempt 1 again", "add_test.go is a test file, and tests are frozen"}, map[string]int{"executor": 4},
	},
	"a model that cannot": {
		decideExecutor + answer("executor", `{"explanation": "", "files": [], "patch": "", "blocked": "I was not shown the schema."}`), 3,
		[]string{"cannot do the work", "I was not shown the schema."}, map[string]int{"executor": 1},
	},
}

func TestRun_ReportsAMisbehavingModel(t *testing.T) {
	t.Parallel()
	for name, c := range testkit.SampleMap(1, badModels) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, c.script, sumModule())
			w.environ = append(w.environ, "FORGE_API_KEY="+canary)
			before := fingerprint(t, w.root)
			code, stdout, stderr := w.run("run", "--trust", "--yes", "--json", "add Add")
			require.Equal(t, c.code, code, stdout+stderr)
			list, last := events(t, stdout)
			require.Equal(t, "run.ended", list[len(list)-1].Type)
			for _, part := range c.says {
				require.Contains(t, strings.ReplaceAll(last, `\"`, `"`), part)
			}
			for node, times := range c.asks {
				require.Equal(t, times, w.journal.requests(node), "%s: %s", node, w.journal)
			}
			require.NotContains(t, w.journal.String(), "UNEXPECTED")
			if c.code != 0 {
				readsWell(t, stdout+stderr)
				require.Contains(t, last, `"files":[]`)
				require.Equal(t, before, fingerprint(t, w.root))
			}
		})
	}
}

// A server that is not there is tried for a while, then named with what to do.
func TestRun_ReportsAnUnreachableModel(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, sumModule())
	w.environ = append(w.environ, "FORGE_BASE_URL=http://"+refusing(t)+"/v1")
	before := fingerprint(t, w.root)
	code, _, stderr := w.run("run", "--trust", "--yes", "add Add")
	require.Equal(t, 3, code, stderr)
	require.Regexp(t, `model: retry in .*nothing listens at 127\.0\.0\.1:`, stderr, "the wait is reported")
	require.Equal(t, 1, strings.Count(stderr, "is the server running? Resume the run when it answers"), "it is said once: %s", stderr)
	require.Contains(t, stderr, "blocked: orchestrator, see above")
	readsWell(t, stderr)
	require.Equal(t, before, fingerprint(t, w.root))
}
