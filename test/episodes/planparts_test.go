package episodes

import "forge/engine/llm/llmtest"

// badParts are models that do one part badly.
func badParts() []behaviour {
	p, r, tip, b := goProject(), refund(), tipped(), bill()
	right, wrong := file{r.source, "create", r.code}, file{r.source, "create", r.wrong()}
	weak := file{p.weakened.path, "write", p.weakened.text}
	untested := func(files ...file) func(project) []llmtest.Entry {
		return parted(of("refund/executor", tests, write(files...)), of("refund/executor", implementation, write(wrong)))
	}
	acting := func(actions ...map[string]any) func(project) []llmtest.Entry {
		list := []any{}
		for _, a := range actions {
			list = append(list, a)
		}
		return parted(r.done(), tip.done(), of("bill/executor", implementation, llmtest.Reply{JSON: map[string]any{"explanation": "Done.", "actions": list, "done": true}}))
	}
	tools := []string{"--profile", "tooluse"}
	return []behaviour{
		{name: "a part weakens the folder's tests", entries: does("refund", wrong, weak), says: `frozen`},
		{name: "a part deletes the folder's tests", entries: does("refund", wrong, file{"pay_test.go", "delete", ""}), says: `frozen`},
		{name: "a part moves the folder's tests", entries: patches("refund", "*** Update File: pay_test.go\n*** Move to: notes.txt\n@@\n-package pay\n+package pays"), says: `frozen`},
		{name: "a part deletes the folder's tests as tests", entries: untested(file{r.test, "create", r.tests}, file{"pay_test.go", "delete", ""}), says: `removes something`},
		{name: "a part skips its tests", entries: untested(file{r.test, "create", p.skipping}), says: `no test passes now`},
		{name: "a part's tests hold of anything", entries: untested(file{r.test, "create", r.nothing()}), says: `red|prove nothing`},
		{name: "a part's tests exit", entries: untested(file{r.test, "create", p.exiting})},
		{name: "a part's tests skip when the code says so", entries: parted(of("refund/executor", tests, write(file{r.test, "create", p.conditional})),
			of("refund/executor", implementation, write(file{r.source, "create", p.excusing}))), says: `refund/`},
		{name: "a part's tests hold of nothing", entries: parted(of("refund/executor", tests, write(file{r.test, "create", p.hopeless}))), says: `refund/`},
		{name: "a part's code exits", entries: does("refund", file{r.source, "create", p.vanishing}), says: `refund/`},
		{name: "a part's code exits and prints that tests passed", entries: does("refund", file{r.source, "create", p.forging}), says: `refund/`},
		{name: "a part's code is wrong", entries: does("tip", file{tip.source, "create", tip.wrong()}), says: `tip/`},
		{name: "a later part's code is wrong", entries: does("bill", file{b.source, "create", b.wrong()}), says: `bill/`},
		{name: "a part writes another's file", entries: does("refund", right, file{tip.source, "create", tip.wrong()}), says: `tip.go (belongs to the part tip|already exists)`},
		{name: "a part deletes another's file", entries: does("bill", file{b.source, "create", b.code}, file{tip.source, "delete", ""}), says: `tip.go belongs to the part tip|go vet: fail`},
		{name: "a part moves another's file", entries: patches("bill", "*** Update File: tip.go\n*** Move to: tips.go\n@@\n-// Tip is a tenth.\n+// Tip is a tithe."), says: `tip.go belongs to the part tip|go vet: fail`},
		{name: "a part patches another's file", entries: patches("bill", "*** Update File: refund.go\n@@\n-\treturn -max(0, cents)\n+\treturn 0"), says: `refund.go belongs to the part refund|go vet: fail`},
		{name: "a part weakens another's tests", entries: does("bill", file{b.source, "create", b.code}, file{r.test, "write", r.nothing()}), says: `refund_test.go (belongs to the part refund|is a test file, and tests are frozen)`},
		{name: "a part deletes another's tests", entries: does("bill", file{b.source, "create", b.code}, file{r.test, "delete", ""}), says: `refund_test.go (belongs to the part refund|is a test file, and tests are frozen)`},
		{name: "a part moves another's tests", entries: patches("bill", "*** Update File: tip_test.go\n*** Move to: tips.txt\n@@\n-package pay\n+package pays"), says: `tip_test.go (belongs to the part tip|is a test file, and tests are frozen)`},
		{name: "a part weakens another's tests as tests", entries: parted(of("bill/executor", tests, write(file{b.test, "create", b.tests}, file{r.test, "write", r.nothing()}))), says: `refund_test.go (belongs to the part refund|has existing tests)`},
		{name: "a part breaks a file that the plan forgot", entries: does("refund", right, file{"pay.go", "write", p.failing["pay.go"]}), says: `refund/`},
		{name: "a part writes another's file by a tool", flags: tools, says: `bill/`,
			entries: acting(map[string]any{"tool": "write_file", "args": map[string]any{"path": "tip.go", "content": tip.wrong()}})},
		{name: "a part moves another's tests by a tool", flags: tools, says: `bill/`,
			entries: acting(map[string]any{"tool": "move_file", "args": map[string]any{"path": "tip_test.go", "to": "tips.txt"}})},
		{name: "a part is done without a diff", entries: does("tip"), says: `tip/executor.*changes nothing`},
		{name: "a part has tests only", entries: parted(of("tip/executor", implementation, write(file{"tips_test.go", "create", payHead}))), says: `tip/`},
		{name: "a part writes a hook", entries: does("tip", file{".git/hooks/pre-commit", "create", escape}), says: `\.git`},
		{name: "a part writes beside the folder", entries: does("tip", file{"../escape.sh", "create", escape}), says: `\.\./escape`},
		{name: "a part says that it cannot", says: `tip/executor: .*no money`, entries: parted(of("tip/executor", implementation,
			llmtest.Reply{JSON: map[string]any{"explanation": "", "files": []any{}, "patch": "", "blocked": "I have no money."}}))},
		{name: "all parts leave the failing test", fix: true, entries: parted(commented()), says: `TestFeeIsAtLeastOne`},
		{name: "a later part writes no tests where one fails already", fix: true, says: `bill/`, entries: parted(
			of("refund/executor", implementation, write(right)),
			of("bill/executor", tests, llmtest.Reply{JSON: map[string]any{"explanation": "TestFeeIsAtLeastOne", "done": true}}),
			of("bill/executor", implementation, write(file{b.source, "create", b.wrong()})))},
	}
}
