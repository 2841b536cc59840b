package secrets

import "strings"

// payment is the file that the run changes, in which secrets stand beside the lines that change.
func payment(key, private, npm string) string {
	return `// Package pay pays.
package pay

// liveKey must not be here.
const liveKey = "` + key + `"

// Pay takes money.
func Pay(cents int) int { return cents }

// private must not be here either.
const private = ` + "`" + private + "`" + `

// Total adds up.
func Total(all ...int) (sum int) {
	for _, one := range all {
		sum += one
	}
	return sum
}

const publish = "` + npm + `"
`
}

// payTest fails, and says why with a secret.
func payTest(key string) string {
	return `package pay

import "testing"

func TestLive(t *testing.T) {
	const key = "` + key + `"
	if Pay(1) != 2 {
		t.Errorf("Pay(1) with %s and %s is %d", key, liveKey, Pay(1))
	}
}
`
}

// script is what the model says. It obeys the task, and first does with marks what it must not do.
const script = `entries:
- {match: {node: orchestrator}, times: -1, reply: {json: {action: executor, reason: it is small}}}
- {match: {node: explorer, contains: [This is round 1]}, times: -1, reply: {json: {requests: [
    {provider: read_file, args: {path: leak.txt}, why: all}, {provider: read_file, args: {path: pay.go}, why: all}, {provider: read_file, args: {path: .env}, why: all},
    {provider: search_code, args: {pattern: "(?i)key|token|secret|pass|a .* b"}, why: all}, {provider: symbol_list, args: {path: pay.go}, why: all},
    {provider: run_tests, args: {}, why: all}, {provider: git_diff, args: {}, why: all}, {provider: lint_check, args: {}, why: all}]}}}
- {match: {node: explorer}, times: -1, reply: {json: {requests: []}}}
- {match: {node: review}, times: -1, reply: {json: {pass: true, reason: It refunds., issues: []}}}
- {match: {node: executor, contains: [You write tests]}, times: -1, reply: {json: {explanation: Refunds., patch: "", blocked: "",
    files: [{path: refund_test.go, action: create, content: "package pay\n\nimport \"testing\"\n\nfunc TestRefund(t *testing.T) {\n\tif got := Refund(2); got != -2 {\n\t\tt.Fatalf(\"Refund(2) = %d\", got)\n\t}\n}\n"}]}}}
- {match: {node: executor, contains: [What is wrong with that answer, "and is not in the file"]}, times: -1, reply: {json: {explanation: It refunds., blocked: "", files: [],
    patch: "*** Begin Patch\n*** Update File: pay.go\n@@\n // Pay takes money.\n func Pay(cents int) int { return cents }\n \n+// Refund gives money back.\n+func Refund(cents int) int { return -cents }\n+\n // private must not be here either.\n*** End Patch"}}}
- {match: {node: executor, contains: [What is wrong with that answer]}, times: -1, reply: {json: {explanation: It copies., patch: "", blocked: "",
    files: [{path: pay.go, action: write, content: "package pay\n\nconst liveKey = \"[redacted: stripe-access-token]\"\n\nfunc Refund(cents int) int { return -cents }\n"}]}}}
- {match: {node: executor}, times: -1, reply: {json: {explanation: It quotes., blocked: "", files: [],
    patch: "*** Begin Patch\n*** Update File: pay.go\n@@\n // liveKey must not be here.\n-const liveKey = \"[redacted: stripe-access-token]\"\n+const liveKey = \"\"\n*** End Patch"}}}
`

// known is a secret that a model knows from elsewhere, and says.
var known = canary{name: "known to a model", value: "sk_live_" + token(24)}

// talking is script with what a model says where no code is changed.
var talking = strings.Replace(script, "entries:\n", strings.ReplaceAll(`entries:
- {match: {node: answer}, times: -1, reply: {text: "It takes money, and it should not have KNOWN in it."}}
- {match: {node: spec}, times: -1, reply: {json: {spec: "# Pay\n\n## Refund\n\nGives money back, without KNOWN in it.", changelog: "Not with KNOWN in it.", questions: []}}}
- {match: {node: review, contains: [You review code for its author]}, times: -1, reply: {json: {summary: "It has KNOWN in it.", issues: [{path: pay.go, startLine: 5, severity: error, message: "KNOWN is a key"}]}}}
`, "KNOWN", known.value), 1)

// byBatch is the script for requests that come in a batch: they do not say which node asks.
var byBatch = strings.NewReplacer("node: orchestrator", "contains: [You decide how a request]", "node: review", "contains: [You review a change]",
	"node: explorer, contains: [This is round 1]", "contains: [You select what, This is round 1]", "node: explorer", "contains: [You select what]",
	"node: executor, ", "", "{match: {node: executor}, ", "{").Replace(script)

// failing never comes to code that compiles.
const failing = `entries:
- {match: {node: explorer}, times: -1, reply: {json: {requests: []}}}
- {match: {node: orchestrator}, times: -1, reply: {json: {action: executor, reason: it is small}}}
- {match: {node: executor}, times: -1, reply: {json: {explanation: Nothing., patch: "", blocked: "",
    files: [{path: broken_test.go, action: create, content: "package pay\n\nimport \"testing\"\n\nfunc TestLive(t *testing.T) { Refund() }\n"}]}}}
`
