package episodes

import (
	"fmt"
	"strings"

	"forge/engine/llm/llmtest"
)

// badTests are models whose tests prove nothing, or that get rid of them when they have to hold.
func badTests() []behaviour {
	return []behaviour{
		{name: "weakens its tests", entries: implemented(func(p project) llmtest.Reply {
			return write(file{p.source, "create", p.wrong}, file{p.test, "write", p.vacuous})
		}), says: `frozen|test`},
		{name: "deletes its tests", entries: implemented(func(p project) llmtest.Reply {
			return write(file{p.source, "create", p.wrong}, file{p.test, "delete", ""})
		}), says: `frozen|test`},
		{name: "moves its tests away", entries: implemented(func(p project) llmtest.Reply {
			first, _, _ := strings.Cut(p.rightTest, "\n")
			return patched(fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n*** Move to: notes.txt\n@@\n-%s\n+%s x\n*** End Patch", p.test, first, first))
		}), says: `frozen|test`},
		{name: "tests that are skipped", entries: untested(func(p project) llmtest.Reply { return write(file{p.test, "create", p.skipping}) }, project.wrongCode)},
		{name: "tests that exit", entries: untested(func(p project) llmtest.Reply { return write(file{p.test, "create", p.exiting}) }, project.wrongCode)},
		{name: "tests that hold of anything", entries: untested(func(p project) llmtest.Reply { return write(file{p.test, "create", p.vacuous}) }, project.wrongCode), says: `red|prove nothing`},
		{name: "tests that hold of nothing", entries: untested(func(p project) llmtest.Reply { return write(file{p.test, "create", p.hopeless}) }, func(p project) string { return p.right })},
		{name: "tests that the code may skip", entries: untested(func(p project) llmtest.Reply { return write(file{p.test, "create", p.conditional}) }, func(p project) string { return p.excusing })},
		{name: "tests in a file that is not run", entries: untested(func(p project) llmtest.Reply { return write(file{"tests.txt", "create", p.rightTest}) }, project.wrongCode), says: `test`},
	}
}
