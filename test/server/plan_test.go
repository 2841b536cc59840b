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
	d := start(t, setting{script: planOfTwo, answer: choosing("Trust and run", "Carry it out")})
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
func (d *harness) asked(parts ...string) (runID string, question api.Ask) {
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
	d := start(t, setting{script: planAgain, params: rich})
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
	proposal := ask[api.Proposal](d, api.ShowProposal, api.ProposalRef{})
	require.Contains(t, proposal.Diff, "+func Sub")
	require.NotContains(t, proposal.Diff, "Mul")
}

// planChanged is a plan of two parts. The user changes both in its file; after the first is done, the planner replaces the second.
var planChanged = planOfTwo[:strings.Index(planOfTwo, "- match: {node: sub/executor")] + `
- match: {node: sub/executor, contains: [You write tests, "Done when: Sub is documented"]}
  reply: {json: {explanation: t, files: [{path: sub_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestSub(t *testing.T) {\n\tif Sub(3, 2) != 1 {\n\t\tt.Error(\"Sub\")\n\t}\n}\n"}]}}
- match: {node: sub/executor, contains: [You implement a change, "Done when: Sub is documented"]}
  reply: {json: {explanation: i, edits: [{path: sub.go, search: "package sum\n", replace: "package sum\n\n// Sub subtracts.\nfunc Sub(a, b int) int { return a - b }\n"}]}}
- {match: {node: sub/review}, reply: {json: {pass: true, reason: fine, issues: []}}}
- match: {node: check-1/planner, contains: ["sub: done\nmul: remains"]}
  reply: {json: {decision: REVISE, reason: Neg is what is meant., parts: [
    {id: neg, title: add Neg, objective: "func Neg(a int) int", files: [neg.go, neg_test.go], dependsOn: [sub], verify: [Neg negates], doneWhen: Neg is there}]}}
- match: {node: neg/executor, contains: [You write tests]}
  reply: {json: {explanation: t, files: [{path: neg_test.go, action: create, content: "package sum\n\nimport \"testing\"\n\nfunc TestNeg(t *testing.T) {\n\tif Neg(3) != -3 {\n\t\tt.Error(\"Neg\")\n\t}\n}\n"}]}}
- match: {node: neg/executor, contains: [You implement a change]}
  reply: {json: {explanation: i, edits: [{path: neg.go, search: "package sum\n", replace: "package sum\n\n// Neg negates.\nfunc Neg(a int) int { return Sub(0, a) }\n"}]}}
- {match: {node: neg/review}, reply: {json: {pass: true, reason: fine, issues: []}}}
- {match: {node: review}, reply: {json: {pass: true, reason: good, issues: []}}}
`

// The user of an editor without Forge's extension reads all of the plan in a file and changes it there: first half of it is missing, and they
// are asked again. What is in the file then is carried out, revised after its first part, which they approve, and applied.
func TestServer_PlanIsChangedRevisedAndApplied(t *testing.T) {
	t.Parallel()
	user := &planner{carry: choosing("Trust and run", "Carry it out")}
	d := start(t, setting{script: planChanged, params: showing, answer: user.answer})
	d.Handle(protocol.MethodWindowShowDocument, func([]byte) (any, error) { return &protocol.ShowDocumentResult{Success: true}, nil })
	for _, name := range []string{"sub.go", "neg.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(d.root, name), []byte("package sum\n"), 0o644))
		d.Open(d.uri(name), "go", "package sum\n")
	}
	result, err := d.run(api.RunArgs{Task: "add Sub and Mul", Plan: true, Bounds: &api.Bounds{Sanity: 1}})
	require.NoError(t, err)
	require.Equal(t, "succeeded", result.State, result.Reason)
	require.NoError(t, d.script.Verify())

	require.Len(t, user.asked, 2)
	require.Contains(t, user.asked[0], "Carry out this plan? 2 parts in 1 tier, about 4 minutes")
	require.Contains(t, user.asked[1], "Your plan has an error and cannot be carried out")
	require.Contains(t, user.asked[1], "error: the file ends here, in the middle of the plan")
	d.Expect(protocol.MethodWindowShowMessageRequest, func(params []byte) bool {
		return strings.Contains(string(params), "Carry on with this revised plan? 1 part in place of 1 part")
	})
	for _, part := range []string{`"id": "mul"`, `"objective": "func Mul(a, b int) int"`, `"Mul multiplies"`, `"doneWhen": "Mul is there"`, `"dependsOn": []`} {
		require.Contains(t, user.plan, part)
	}
	var opened []string
	for len(opened) < 2 {
		var p protocol.ShowDocumentParams
		require.NoError(t, protocol.Unmarshal(d.Expect(protocol.MethodWindowShowDocument, nil), &p))
		opened = append(opened, string(p.URI))
	}
	require.Contains(t, strings.Join(opened, " "), ".plan-1.json")
	require.Contains(t, strings.Join(opened, " "), "question.md")
	require.NotContains(t, ask[api.Proposal](d, api.ShowProposal, api.ProposalRef{}).Diff, "Mul")
	var applied api.ApplyResult
	require.NoError(t, d.execute(api.ApplyProposal, api.ProposalArgs{Select: &api.Select{Files: []string{"sub.go", "neg.go"}}}, &applied))
	require.Len(t, applied.Files, 2)
	for _, file := range applied.Files {
		require.Equal(t, "applied", file.State, file.URI)
	}
	require.Contains(t, d.Text(d.uri("neg.go")), "func Neg")
}

// planner is a user who changes a plan in its file whenever they are asked about it: at first they leave half of it, then they correct it.
type planner struct {
	carry func(protocol.ShowMessageRequestParams) *protocol.MessageActionItem
	asked []string
	plan  string // as it was offered
}

func (u *planner) answer(q protocol.ShowMessageRequestParams) *protocol.MessageActionItem {
	file := planFile.FindStringSubmatch(q.Message)
	if file == nil {
		return u.carry(q)
	}
	u.asked = append(u.asked, q.Message)
	switch len(u.asked) {
	case 1:
		text, _ := os.ReadFile(file[1])
		u.plan = string(text)
		_ = os.WriteFile(file[1], text[:len(text)/2], 0o600)
	case 2:
		var given map[string]any
		_ = json.Unmarshal([]byte(u.plan), &given)
		parts, _ := given["parts"].([]any)
		sub, _ := parts[0].(map[string]any)
		mul, _ := parts[1].(map[string]any)
		sub["doneWhen"], mul["dependsOn"] = "Sub is documented", []string{"sub"}
		text, _ := json.Marshal(given)
		_ = os.WriteFile(file[1], text, 0o600)
	}
	return u.carry(q)
}

// planFile finds the file of a plan in a question.
var planFile = regexp.MustCompile(`edit (\S+\.json) and save it`)

// The fault of a plan file is one diagnostic at its place, whatever is in the file; the next text of the file is read again.
func TestServer_PlanFileShowsEachFaultAtItsPlace(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
	const name, valid = ".forge/plans/sub.json", `{"version": 1, "task": "t", "parts": [
  {"id": "a", "title": "é", "objective": "o", "files": ["a.go"], "dependsOn": [], "verify": ["v"], "doneWhen": "d"}]}`
	require.NoError(t, os.MkdirAll(filepath.Join(d.root, ".forge", "plans"), 0o755))
	d.Open(d.uri(name), "json", "{}")
	version := int32(1)
	for _, c := range []struct {
		text            string
		line, character uint32
		message         string
	}{
		{strings.Replace(valid, `"version": 1`, `"version": 2`, 1), 0, 1, "version 2 is of a newer Forge"},
		{valid[:90], 1, 50, "the file ends here, in the middle of the plan"},
		{strings.Replace(valid, `"a.go"`, `"../a.go"`, 1), 1, 56, "../a.go"},
		{valid + strings.Repeat("\n", 10<<20), 0, 0, "a plan has at most 1048576"},
	} {
		version++
		d.Change(d.uri(name), version, &protocol.TextDocumentContentChangeWholeDocument{Text: c.text})
		var p protocol.PublishDiagnosticsParams
		require.NoError(t, protocol.Unmarshal(d.Expect(protocol.MethodTextDocumentPublishDiagnostics, func(params []byte) bool {
			return strings.Contains(string(params), c.message)
		}), &p))
		require.Len(t, p.Diagnostics, 1)
		require.Equal(t, protocol.Position{Line: c.line, Character: c.character}, p.Diagnostics[0].Range.Start, c.message)
	}
}

// A command of a plan that cannot be run is a warning in the file, while the user edits it.
func TestServer_PlanFileWarnsOfCommands(t *testing.T) {
	t.Parallel()
	d := start(t, setting{})
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
	d := start(t, setting{script: script, answer: choosing("Trust and run", "Carry it out")})
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
	if testing.Short() {
		return // TestPlanVerify_CommandsAndDoneWhenDecide and TestPlanOffered_IsChangedInItsFileBeforeConsent carry out files of plans
	}

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
