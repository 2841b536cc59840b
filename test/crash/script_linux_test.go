package crash

import (
	"context"
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
)

// request is the user's task: a function with a test. The run asks a question, writes tests first, is refused
// once by its gates, and creates two files, changes one and deletes one.
const request = "add two numbers"

// script is what the model answers. Every line may be used as often as it is asked for: a repeated request
// is counted, not refused.
const script = `entries:
- {match: {node: orchestrator}, times: -1, reply: {json: {action: generate_spec, reason: new behaviour}}}
- {match: {node: spec, contains: [Answers to your questions]}, times: -1, reply: {json: {title: Add adds, spec: Add returns the sum., questions: []}}}
- {match: {node: spec}, times: -1, reply: {json: {title: Add, spec: "", questions: [{question: "Which numbers?", choices: [whole ones, all]}]}}}
- {match: {node: executor, contains: [You write tests]}, times: -1, reply: {json: {explanation: Two and two., patch: "", blocked: "",
    files: [{path: add_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(2, 2); got != 4 {\n\t\tt.Fatalf(\"Add(2, 2) = %d\", got)\n\t}\n}\n"}]}}}
- {match: {node: executor, attempt: 1}, times: -1, reply: {json: {explanation: It adds nearly., patch: "", blocked: "",
    files: [{path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b + 1 }\n"}]}}}
- {match: {node: executor, attempt: 2}, times: -1, reply: {json: {explanation: It adds., patch: "", blocked: "", files: [
    {path: add.go, action: create, content: "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n"},
    {path: sum.go, action: write, content: "// Package sum adds up, two at a time.\npackage sum\n"},
    {path: old.go, action: delete, content: ""}]}}}
- {match: {node: review}, times: -1, reply: {json: {pass: true, reason: It adds., issues: []}}}
`

// calls is how many calls of the model an undisturbed run needs.
const calls = 7

// before and after are the files of the folder that the run works in.
func before() map[string]string {
	return map[string]string{
		"go.mod": "module example.com/sum\n\ngo 1.24\n", "sum.go": "// Package sum adds up.\npackage sum\n",
		"old.go": "package sum\n\n// Zero is nothing.\nconst Zero = 0\n", "notes.txt": "a person's own\r\n",
	}
}

func after() map[string]string {
	files := before()
	delete(files, "old.go")
	maps.Copy(files, map[string]string{
		"sum.go":      "// Package sum adds up, two at a time.\npackage sum\n",
		"add.go":      "package sum\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n",
		"add_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif got := Add(2, 2); got != 4 {\n\t\tt.Fatalf(\"Add(2, 2) = %d\", got)\n\t}\n}\n",
	})
	return files
}

// model is a scripted model in this process, so that it outlives every process of the program and counts over all
// of them.
type model struct {
	url    string
	script *llmtest.Script
}

func newModel(t *testing.T) model {
	t.Helper()
	parsed, err := llmtest.Parse("script", []byte(script))
	require.NoError(t, err)
	listener, err := llmtest.Listen(t.Context(), 0)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- llmtest.Serve(ctx, listener, parsed, nil) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-served)
	})
	return model{"http://" + listener.Addr().String(), parsed}
}

// call is a request: a text that is equal for equal ones, and the key by which a provider knows it again.
type call struct{ text, key string }

// asked are the calls so far, in order.
func (m model) asked(t *testing.T) []call {
	t.Helper()
	var all []call
	for _, r := range m.script.Requests() {
		key := r.Key
		r.Key = ""
		text, err := json.Marshal(r)
		require.NoError(t, err)
		all = append(all, call{string(text), key})
	}
	return all
}
