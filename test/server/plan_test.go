package server

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.lsp.dev/protocol"

	"forge/api"
)

// A plan of two parts side by side, which pass by themselves and do not compile together: both have a helper of the same name.
const planOfTwo = small + `
- match: {node: planner}
  reply: {json: {explanation: Two operations., parts: [
    {id: sub, title: add Sub, objective: "func Sub(a, b int) int", files: [sub.go, sub_test.go], dependsOn: [], verify: [Sub subtracts], doneWhen: Sub is there},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [mul.go, mul_test.go], dependsOn: [], verify: [Mul multiplies], doneWhen: Mul is there}]}}
- match: {node: sub/executor, contains: [You write tests]}
  reply: {json: {explanation: t, files: [{path: sub_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tif Sub(3, 2) != 1 {\n\t\tt.Error(\"Sub\")\n\t}\n}\n"}]}}
- match: {node: sub/executor, contains: [You implement, "Not yours: mul (mul.go, mul_test.go)"]}
  reply: {json: {explanation: i, edits: [{path: sub.go, search: "package sum\n", replace: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return of(a - b) }\n\nfunc of(n int) int { return n }\n"}]}}
- {match: {node: sub/review}, reply: {json: {pass: true, reason: fine, issues: []}}}
- match: {node: mul/executor, contains: [You write tests]}
  reply: {json: {explanation: t, files: [{path: mul_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestMul(t *testing.T) {\n\tif Mul(3, 2) != 6 {\n\t\tt.Error(\"Mul\")\n\t}\n}\n"}]}}
- match: {node: mul/executor, contains: [You implement]}
  reply: {json: {explanation: i, edits: [{path: mul.go, search: "package sum\n", replace: "package sum\n\n// Mul multiplies.\nfunc Mul(a, b int) int { return of(a * b) }\n\nfunc of(n int) int { return n }\n"}]}}
- {match: {node: mul/review}, reply: {json: {pass: true, reason: fine, issues: []}}}
- match: {node: executor, contains: [written separately, of redeclared in this block]}
  reply: {json: {explanation: One helper is enough., edits: [{path: mul.go, search: "\n\nfunc of(n int) int { return n }", replace: ""}]}}
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}
`

// An editor without Forge's extension shows the plan and its user accepts it. The failure of the joined parts is shown in
// the documents until it is repaired; then all parts are one proposal.
func TestServer_PlanWithAPlainClient(t *testing.T) {
	t.Parallel()
	d := sit(t, setting{script: planOfTwo, answer: choosing("Trust and run", "Carry it out")})
	for _, name := range []string{"sub.go", "mul.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(d.root, name), []byte("package sum\n"), 0o644))
		d.Open(d.uri(name), "go", "package sum\n")
	}
	result, err := d.run(api.RunArgs{Task: "add Sub and Mul", Plan: true})
	require.NoError(t, err)
	require.Equal(t, "succeeded", result.State, result.Reason)
	require.NoError(t, d.script.Verify())

	question := string(d.Expect(protocol.MethodWindowShowMessageRequest, func(params []byte) bool {
		return strings.Contains(string(params), "Carry out this plan?")
	}))
	require.Contains(t, question, "2 parts in 1 tier")
	require.Contains(t, question, "| 1 | sub | add Sub | sub.go, sub_test.go |")
	d.shows("sub.go", 1, "of redeclared in this block")
	d.Expect(protocol.MethodTextDocumentPublishDiagnostics, func(params []byte) bool {
		return strings.Contains(string(params), "sub.go") && !strings.Contains(string(params), "redeclared")
	})
	d.Expect(protocol.MethodProgress, func(params []byte) bool { return strings.Contains(string(params), `"mul: gate `) })

	var applied api.ApplyResult
	require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{Select: &api.Select{Files: []string{"sub.go", "mul.go"}}}, &applied))
	require.Len(t, applied.Files, 2)
	for _, file := range applied.Files {
		require.Equal(t, "applied", file.State, file.URI)
	}
	require.Contains(t, d.Text(d.uri("sub.go")), "func of")
	require.NotContains(t, d.Text(d.uri("mul.go")), "func of")
}

const planAgain = small + `
- match: {node: planner}
  reply: {json: {explanation: Two parts., parts: [
    {id: sub, title: add Sub, objective: "func Sub(a, b int) int", files: [sub.go, sub_test.go], dependsOn: [], verify: [Sub subtracts], doneWhen: Sub is there},
    {id: mul, title: add Mul, objective: "func Mul(a, b int) int", files: [mul.go, mul_test.go], dependsOn: [], verify: [Mul multiplies], doneWhen: Mul is there}]}}
- match: {node: planner, contains: [Your last plan, add Mul, Changes that the user asks for, only Sub please]}
  reply: {json: {explanation: One part., parts: [
    {id: sub, title: add Sub, objective: "func Sub(a, b int) int", files: [sub.go, sub_test.go], dependsOn: [], verify: [Sub subtracts], doneWhen: Sub is there}]}}
` + subTests + `- match: {node: executor, contains: [You implement a change]}
  reply:
    json:
      explanation: i
      files: [{path: sub.go, action: create, content: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n"}]
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}
`

// asked waits for the question whose title and detail say something.
func (d *desk) asked(parts ...string) (runID string, question api.Ask) {
	d.t.Helper()
	d.Expect(api.EventMethod, func(params []byte) bool {
		var e struct {
			RunID string          `json:"runId"`
			Type  string          `json:"type"`
			Data  json.RawMessage `json:"data"`
		}
		if json.Unmarshal(params, &e) != nil || e.Type != "ask" {
			return false
		}
		question = api.Ask{}
		require.NoError(d.t, json.Unmarshal(e.Data, &question))
		runID = e.RunID
		for _, part := range parts {
			if !strings.Contains(question.Title+question.Detail, part) {
				return false
			}
		}
		return true
	})
	return runID, question
}

// A plan that is answered with a text is revised by that text, and asked about again.
func TestServer_PlanIsRevisedByAText(t *testing.T) {
	t.Parallel()
	d := sit(t, setting{script: planAgain, params: rich})
	require.NoError(t, d.engine.Trust(d.root))
	started := ask[api.RunResult](d, api.Run, api.RunArgs{Task: "add Sub and Mul", Plan: true})

	id, first := d.asked("2 parts in 1 tier", "| mul |")
	require.Equal(t, started.RunID, id)
	require.Equal(t, "reject", first.Default, "no answer is no consent")
	require.Equal(t, "what should be different", first.FreeText)
	require.True(t, ask[api.AnswerResult](d, api.Answer, api.AnswerArgs{RunID: id, AskID: first.AskID, Text: "only Sub please"}).Accepted)
	_, second := d.asked("1 part in 1 tier", "| sub |")
	require.NotEqual(t, first.AskID, second.AskID)
	require.True(t, ask[api.AnswerResult](d, api.Answer, api.AnswerArgs{RunID: id, AskID: second.AskID, Choice: "approve"}).Accepted)

	d.until("run.ended")
	require.NoError(t, d.script.Verify())
	proposal := ask[api.Proposal](d, api.ShowProposal, api.ProposalArgs{})
	require.Contains(t, proposal.Diff, "+func Sub")
	require.NotContains(t, proposal.Diff, "Mul")
}

// The user of an editor without Forge's extension reads all of the plan in a file and changes it there. What is in the file when they
// consent is carried out, without a model; with an error in it they are asked again.
func TestServer_PlanIsChangedInItsFile(t *testing.T) {
	t.Parallel()
	script := planOfTwo[:strings.Index(planOfTwo, "- match: {node: sub/executor")] + subTests + `- match: {node: executor, contains: [You implement a change, "Done when: Sub is documented"]}
  reply:
    json:
      explanation: i
      files: [{path: sub.go, action: create, content: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n"}]
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}
`
	var asked []string
	var plan string
	carry := choosing("Trust and run", "Carry it out")
	d := sit(t, setting{script: script, params: showing, answer: func(q protocol.ShowMessageRequestParams) *protocol.MessageActionItem {
		if file := planFile.FindStringSubmatch(q.Message); file != nil {
			text, _ := os.ReadFile(file[1])
			var given map[string]any
			if asked = append(asked, q.Message); len(asked) == 1 {
				plan = string(text)
				text = text[:len(text)/2]
			} else if json.Unmarshal([]byte(plan), &given) == nil {
				sub, _ := given["parts"].([]any)[0].(map[string]any)
				sub["doneWhen"], given["parts"] = "Sub is documented", []any{sub}
				text, _ = json.Marshal(given)
			}
			_ = os.WriteFile(file[1], text, 0o600)
		}
		return carry(q)
	}})
	d.Handle(protocol.MethodWindowShowDocument, func([]byte) (any, error) { return &protocol.ShowDocumentResult{Success: true}, nil })
	result, err := d.run(api.RunArgs{Task: "add Sub and Mul", Plan: true})
	require.NoError(t, err)
	require.Equal(t, "succeeded", result.State, result.Reason)
	require.NoError(t, d.script.Verify())

	require.Len(t, asked, 2)
	require.Contains(t, asked[0], "Carry out this plan? 2 parts in 1 tier, about 4 minutes")
	require.Contains(t, asked[1], "Your plan has an error and cannot be carried out")
	require.Contains(t, asked[1], "error: the file ends here, in the middle of the plan")
	for _, part := range []string{`"id": "mul"`, `"objective": "func Mul(a, b int) int"`, `"Mul multiplies"`, `"doneWhen": "Mul is there"`} {
		require.Contains(t, plan, part)
	}
	var opened []string
	for len(opened) < 2 {
		var p protocol.ShowDocumentParams
		require.NoError(t, protocol.Unmarshal(d.Expect(protocol.MethodWindowShowDocument, nil), &p))
		opened = append(opened, string(p.URI))
	}
	require.Contains(t, strings.Join(opened, " "), ".plan-1.json")
	require.Contains(t, strings.Join(opened, " "), "question.md")
	proposal := ask[api.Proposal](d, api.ShowProposal, api.ProposalArgs{})
	require.NotContains(t, proposal.Diff, "Mul")
}

// planFile finds the file of a plan in a question.
var planFile = regexp.MustCompile(`edit (\S+\.json) and save it`)

// A command of a plan that cannot be run is a warning in the file, while the user edits it.
func TestServer_PlanFileWarnsOfCommands(t *testing.T) {
	t.Parallel()
	d := sit(t, setting{})
	name := ".forge/plans/sub.json"
	text := `{"version": 1, "task": "t", "parts": [
  {"id": "a", "title": "A", "objective": "o", "files": ["a.go"], "dependsOn": [],
   "verify": ["it works", "$ go vet ./...", "$ rm -rf /"], "doneWhen": "d"}]}`
	require.NoError(t, os.MkdirAll(filepath.Join(d.root, ".forge", "plans"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(d.root, filepath.FromSlash(name)), []byte(text), 0o644))
	d.Open(d.uri(name), "json", text)
	shown := string(d.Expect(protocol.MethodTextDocumentPublishDiagnostics, func(params []byte) bool { return strings.Contains(string(params), "sub.json") }))
	require.Contains(t, shown, "go vet ./... cannot be run: your settings (tools.commands) do not allow it. The reviewer decides without it")
	require.Contains(t, shown, "rm -rf / cannot be run: it ")
	require.Contains(t, shown, `"severity":2`)
	require.NotContains(t, shown, "it works")
}

// Above a plan file stands what carries it out, as the editor has it: no model is asked for a plan. With an error in it nothing begins.
func TestServer_PlanFileIsCarriedOut(t *testing.T) {
	t.Parallel()
	script := small + "\n" + planOfTwo[strings.Index(planOfTwo, "- match: {node: sub/executor"):]
	d := sit(t, setting{script: script, answer: choosing("Trust and run", "Carry it out")})
	name := ".forge/plans/two.json"
	text := `{"version": 1, "task": "add Sub and Mul", "parts": [
  {"id": "sub", "title": "add Sub", "objective": "func Sub(a, b int) int", "files": ["sub.go", "sub_test.go"], "dependsOn": ["mul"], "verify": ["Sub subtracts"], "doneWhen": "Sub is there"},
  {"id": "mul", "title": "add Mul", "objective": "func Mul(a, b int) int", "files": ["mul.go", "mul_test.go"], "dependsOn": [], "verify": ["Mul multiplies"], "doneWhen": "Mul is there"}]}`
	for file, content := range map[string]string{"sub.go": "package sum\n", "mul.go": "package sum\n", name: "{}"} {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(d.root, file)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(d.root, filepath.FromSlash(file)), []byte(content), 0o644))
	}
	d.Open(d.uri(name), "json", strings.Replace(text, `"dependsOn": []`, `"dependsOn": ["sub"]`, 1))
	carry := d.lenses(d.uri(name))
	require.Equal(t, []string{"carry out this plan"}, titles(carry))
	var args api.RunArgs
	require.NoError(t, json.Unmarshal(carry[0].Arguments[0], &args))
	_, err := d.run(args)
	require.ErrorContains(t, err, "planFile: the plan cannot be carried out:\n.forge/plans/two.json:2:")
	require.ErrorContains(t, err, "error: parts wait for each other: sub → mul → sub")

	d.Change(d.uri(name), 2, &protocol.TextDocumentContentChangeWholeDocument{Text: strings.Replace(text, `["mul"]`, `[]`, 1)})
	result, err := d.run(args)
	require.NoError(t, err)
	require.Equal(t, "succeeded", result.State, result.Reason)
	require.NoError(t, d.script.Verify())
	question := string(d.Expect(protocol.MethodWindowShowMessageRequest, func(params []byte) bool {
		return strings.Contains(string(params), "Carry out this plan?")
	}))
	require.Contains(t, question, "2 parts in 1 tier")
}
