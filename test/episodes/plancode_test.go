package episodes

import (
	"maps"
	"strings"

	"forge/engine/llm/llmtest"
)

// planAnswer is the name of a planner's answer.
const planAnswer = "plan"

// piece is a part of a plan, with what a model makes of it if it does its work.
type piece struct {
	id, source, test string
	code, tests      string
	needs            []any
}

const (
	payHead     = "package pay\n\n"
	payTestHead = "package pay\n\nimport \"testing\"\n\n"
)

// The parts of the plan that episodes are about: two side by side, and one that uses both.
func refund() piece {
	p := goProject()
	return piece{id: "refund", source: p.source, test: p.test, code: p.right, tests: p.rightTest}
}

func tipped() piece {
	return piece{
		id: "tip", source: "tip.go", test: "tip_test.go", code: payHead + "// Tip is a tenth.\nfunc Tip(cents int) int {\n\treturn cents / 10\n}\n",
		tests: payTestHead + "func TestTip(t *testing.T) {\n\tif got := Tip(50); got != 5 {\n\t\tt.Errorf(\"Tip(50) = %d\", got)\n\t}\n}\n",
	}
}

func bill() piece {
	return piece{
		id: "bill", source: "bill.go", test: "bill_test.go", needs: []any{"refund", "tip"},
		code:  payHead + "// Bill is what is paid and a tip, less what is given back.\nfunc Bill(paid, back int) int {\n\treturn paid + Tip(paid) + Refund(back)\n}\n",
		tests: payTestHead + "func TestBill(t *testing.T) {\n\tif got := Bill(100, 30); got != 80 {\n\t\tt.Errorf(\"Bill(100, 30) = %d\", got)\n\t}\n}\n",
	}
}

// plannedProject is the project of Go in which all three parts are wanted.
func plannedProject() project {
	p := goProject()
	p.accept = maps.Clone(p.accept)
	p.accept["acceptall_test.go"] = payTestHead + "func TestAcceptAll(t *testing.T) {\n\tif Tip(70) != 7 || Bill(200, 20) != 200 {\n\t\tt.Error(Tip(70), Bill(200, 20))\n\t}\n}\n"
	return p
}

// described is a part as the planner gives it.
func (p piece) described() map[string]any {
	return map[string]any{
		"id": p.id, "title": "add " + p.id, "objective": "add the function that " + p.source + " is for", "files": []any{p.source, p.test},
		"dependsOn": append([]any{}, p.needs...), "verify": []any{"it computes"}, "doneWhen": "it is there",
	}
}

// but is the part with another field.
func but(part map[string]any, field string, value any) map[string]any {
	part = maps.Clone(part)
	part[field] = value
	return part
}

func cut(parts ...map[string]any) llmtest.Entry {
	list := []any{}
	for _, part := range parts {
		list = append(list, part)
	}
	return to(planAnswer, llmtest.Reply{JSON: map[string]any{"explanation": "It is several things.", "parts": list}})
}

// of answers a request of one node.
func of(node, schema string, reply llmtest.Reply) llmtest.Entry {
	e := to(schema, reply)
	e.Match.Node = node
	return e
}

// work is a part done as it should be.
func (p piece) work() []llmtest.Entry {
	return []llmtest.Entry{
		of(p.id+"/executor", tests, write(file{p.test, "create", p.tests})),
		of(p.id+"/executor", implementation, write(file{p.source, "create", p.code})),
	}
}

// wrong is the code of a part that does not do what it should, and compiles.
func (p piece) wrong() string {
	head, _, _ := strings.Cut(p.code, "return ")
	return head + "return 12345\n}\n"
}

// nothing is a test of a part that holds of anything.
func (p piece) nothing() string {
	head, _, _ := strings.Cut(p.tests, "\tif ")
	head, _, _ = strings.Cut(head, "\tfor ")
	return head + "\tif 1 != 1 {\n\t\tt.Fatal(\"no\")\n\t}\n}\n"
}

// parted is an episode of the plan of three parts; its entries go before those of a model that does its work.
func parted(entries ...llmtest.Entry) func(project) []llmtest.Entry {
	return func(project) []llmtest.Entry {
		all := append(entries, cut(refund().described(), tipped().described(), bill().described()), begin(), nod(),
			to("verdict", llmtest.Reply{JSON: map[string]any{"decision": "CONTINUE", "reason": "The plan is right."}}))
		for _, p := range []piece{refund(), tipped(), bill()} {
			all = append(all, p.work()...)
		}
		return all
	}
}

// does is an episode in which one part is implemented otherwise.
func does(id string, files ...file) func(project) []llmtest.Entry {
	return parted(of(id+"/executor", implementation, write(files...)))
}

// patches is an episode in which one part is implemented by a patch.
func patches(id, text string) func(project) []llmtest.Entry {
	return parted(of(id+"/executor", implementation, patched("*** Begin Patch\n"+text+"\n*** End Patch")))
}

// done is a part that is implemented in one turn.
func (p piece) done() llmtest.Entry {
	reply := write(file{p.source, "create", p.code})
	reply.JSON.(map[string]any)["done"] = true
	return of(p.id+"/executor", implementation, reply)
}

// commented answers the node that repairs the joined parts with a comment.
func commented() llmtest.Entry {
	e := to(implementation, write(file{"tip.go", "write", tipped().code + "\n// Tips end here.\n"}))
	e.Match.Contains = []string{"written separately"}
	return e
}
