package worst

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
)

// ended is how an episode ended.
type ended struct {
	policy         string
	applies        bool
	state, reason  string
	stdout, stderr string
	requests       []string // all that the model was sent
	before         map[string]string
}

// result is the last line of forge run --json.
type result struct{ State, Reason string }

// play plays an episode of a kind under a policy.
func (w *world) play(k kind, p policy) ended {
	w.t.Helper()
	answer := k.prepare(w)
	script, err := llmtest.New(w.entries(answer)...)
	require.NoError(w.t, err)
	server := httptest.NewServer(llmtest.Handler(script, &bytes.Buffer{}))
	defer server.Close()
	w.environ = append(w.environ, "FORGE_BASE_URL="+server.URL+"/v1", "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1")
	w.settings(p.settings)
	e := ended{policy: p.name, applies: p.applies, before: w.contents()}
	flags := slices.Concat([]string{"run", "--json", "--no-explore"}, p.flags, k.flags, answer.flags)
	var code int
	e.stdout, e.stderr, code = w.start(append(flags, k.task())...)
	require.NotEqual(w.t, -1, code, e.stderr)
	lines := strings.Split(strings.TrimSpace(e.stdout), "\n")
	var last result
	_ = json.Unmarshal([]byte(lines[len(lines)-1]), &last) // without a result, the run was refused
	e.state, e.reason = last.State, last.Reason
	for _, r := range script.Requests() {
		for _, m := range r.Messages {
			e.requests = append(e.requests, m.Text)
		}
	}
	return e
}

// start starts the program in the folder.
func (w *world) start(args ...string) (stdout, stderr string, code int) {
	var out, diagnostics bytes.Buffer
	c := exec.CommandContext(w.t.Context(), forge, args...)
	c.Dir, c.Env, c.Stdout, c.Stderr = w.root, w.environ, &out, &diagnostics
	_ = c.Run() // its code is returned
	return out.String(), diagnostics.String(), c.ProcessState.ExitCode()
}

// entries are the answers of a run: the model decides and reviews as if all were well, and does its worst in between.
func (w *world) entries(a answer) []llmtest.Entry {
	to := func(m llmtest.Match, r any) llmtest.Entry {
		reply, is := r.(llmtest.Reply)
		if !is {
			reply = llmtest.Reply{JSON: r}
		}
		return llmtest.Entry{Match: m, Reply: &reply, Times: -1}
	}
	all := []llmtest.Entry{
		to(llmtest.Match{Node: "review"}, fields{"pass": true, "reason": "Looks good to me.", "issues": []any{}}),
		to(llmtest.Match{Schema: "class"}, fields{"class": "unclear", "reason": "it is not clear"}),
		to(llmtest.Match{Schema: "diagnosis"}, fields{"rootCause": "it is wrong", "hypotheses": []any{"it is"}, "fix": "repair it", "mustRead": []any{}, "strategy": "again"}),
	}
	if a.decision == nil {
		a.decision = fields{"action": "executor", "reason": "small"}
	}
	all = append(all, to(llmtest.Match{Node: "orchestrator"}, a.decision))
	if a.tests != nil {
		all = append(all, to(llmtest.Match{Schema: "tests"}, a.tests))
	}
	if a.plan != nil {
		all = append(all, to(llmtest.Match{Node: "planner"}, a.plan))
	}
	if a.errand != nil {
		all = append(all, to(llmtest.Match{Node: "subagent"}, a.errand))
	}
	return append(all, to(llmtest.Match{Node: "executor"}, a.work))
}

// fields are those of an answer.
type fields = map[string]any

// answer is what the model answers when it is to work.
type answer struct {
	work     any      // fields, or a reply
	tests    any      // to the request for tests; nil is none
	decision any      // of the orchestrator; nil is that of a small task
	plan     any      // of the planner
	errand   any      // of a subagent
	flags    []string // more of the command line
}

func (w *world) settings(text string) {
	if text != "" {
		require.NoError(w.t, os.WriteFile(w.home+"/config.yaml", []byte(text), 0o600))
	}
}
