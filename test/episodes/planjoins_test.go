package episodes

import (
	"strings"

	"forge/engine/llm/llmtest"
)

// badJoins are parts that do not go together, and models that put them together badly.
func badJoins() []behaviour {
	r, tip := refund(), tipped()
	const helped = "\n\nfunc whole(n int) int {\n\treturn n\n}\n"
	joined := func(first []llmtest.Entry, reply llmtest.Reply) func(project) []llmtest.Entry {
		return parted(append(first, of("join-1/executor", implementation, reply))...)
	}
	helpers := []llmtest.Entry{ // both have a helper of one name
		of("refund/executor", implementation, write(file{r.source, "create", strings.TrimSpace(r.code) + helped})),
		of("tip/executor", implementation, write(file{tip.source, "create", strings.TrimSpace(tip.code) + helped})),
	}
	testHelpers := []llmtest.Entry{ // both of their tests do
		of("refund/executor", tests, write(file{r.test, "create", strings.TrimSpace(r.tests) + helped})),
		of("tip/executor", tests, write(file{tip.test, "create", strings.TrimSpace(tip.tests) + helped})),
	}
	invented := []llmtest.Entry{ // both invent one file
		of("refund/executor", implementation, write(file{r.source, "create", strings.Replace(r.code, "-max(0, cents)", "-most(cents)", 1)},
			file{"help.go", "create", payHead + "func most(n int) int {\n\treturn max(0, n)\n}\n"})),
		of("tip/executor", implementation, write(file{tip.source, "create", strings.Replace(tip.code, "cents / 10", "tenth(cents)", 1)},
			file{"help.go", "create", payHead + "func tenth(n int) int {\n\treturn n / 10\n}\n"})),
	}
	lone := []llmtest.Entry{of("tip/executor", tests, write(file{tip.test, "create", "package pay\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestTip(t *testing.T) {\n\tif got := Tip(50); got != 5 {\n\t\tt.Errorf(\"Tip(50) = %d\", got)\n\t}\n\tif _, err := os.Stat(\"refund.go\"); err == nil {\n\t\tt.Error(\"somebody else is here\")\n\t}\n}\n"}))}
	return []behaviour{
		{name: "a part's tests pass only alone", entries: joined(lone, write(file{tip.source, "write", tip.code + "\n// Tips end here.\n"})), says: `join-1/.*somebody else is here`},
		{name: "a join takes a part's tests that pass only alone", entries: joined(lone, write(file{tip.test, "write", tip.nothing()})), says: `join-1/`},
		{name: "a join leaves out what one has invented", entries: joined(invented, write(file{"help.go", "write", payHead + "func most(n int) int {\n\treturn max(0, n)\n}\n"})), says: `join-1/`},
		{name: "a join deletes a part's tests", entries: joined(helpers, write(file{tip.source, "write", tip.code}, file{tip.test, "delete", ""})), says: `join-1/.*tip_test.go`},
		{name: "a join moves a part's tests", entries: joined(helpers, patched("*** Begin Patch\n*** Update File: tip_test.go\n*** Move to: tips.txt\n@@\n-package pay\n+package pays\n*** End Patch")), says: `join-1/.*tip_test.go`},
		{name: "a join weakens a part's tests", entries: joined(helpers, write(file{tip.source, "write", tip.wrong()}, file{tip.test, "write", tip.nothing()})), says: `join-1/.*tip_test.go`},
		{name: "a join has a part's tests not built", entries: joined(helpers, write(file{tip.source, "write", tip.wrong()}, file{tip.test, "write", "//go:build never\n\n" + tip.tests})), says: `join-1/`},
		{name: "a join has a part's tests skipped", entries: joined(helpers, write(file{tip.source, "write", tip.wrong()},
			file{tip.test, "write", strings.Replace(tip.tests, "\tif", "\tt.Skip()\n\tif", 1)})), says: `join-1/`},
		{name: "a join has the tests exit", entries: joined(helpers, write(file{tip.source, "write", tip.wrong()},
			file{"main_test.go", "create", "package pay\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(0)\n}\n"})), says: `join-1/`},
		{name: "a join removes a part", entries: joined(helpers, write(file{tip.source, "delete", ""})), says: `join-1/`},
		{name: "a join empties a part", entries: joined(helpers, write(file{tip.source, "write", payHead})), says: `join-1/`},
		{name: "a join reverts a part", entries: joined(helpers, write(file{tip.source, "write", tip.wrong()})), says: `join-1/`},
		{name: "a join removes a part and its tests", entries: joined(testHelpers, write(file{tip.source, "delete", ""}, file{tip.test, "delete", ""})), says: `join-1/`},
		{name: "a join empties a part and its tests", entries: joined(testHelpers, write(file{tip.source, "write", payHead}, file{tip.test, "write", payHead})), says: `join-1/`},
		{name: "a join weakens tests that clash", entries: joined(testHelpers, write(file{tip.source, "write", tip.wrong()}, file{tip.test, "write", tip.nothing()})), says: `join-1/`},
		{name: "a join changes nothing", entries: joined(helpers, write()), says: `join-1/.*changes nothing`},
		{name: "a join is garbage", entries: joined(helpers, text("All done!")), says: `join-1/executor`},
		{name: "a join exits", entries: joined(helpers, write(file{tip.source, "write", strings.Replace(tip.wrong(), "// Tip", "func init() {\n\tos.Exit(0)\n}\n\n// Tip", 1)},
			file{"go.mod", "write", "module example.com/pay\n\ngo 1.24\n"})), says: `join-1/`},
	}
}
