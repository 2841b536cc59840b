package episodes

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
	"forge/internal/testkit"
)

// excuse is a wrong change that makes use of what rules let right changes do.
type excuse struct {
	name, project, recipe, request string
	there                          map[string]string // more files of the user's, or others in place of theirs
	entries                        func(p project) []llmtest.Entry
	says                           string // an expression that the reason matches
}

// No rule that lets right changes through lets these through.
func TestLenientRules_RejectWrongChanges(t *testing.T) {
	t.Parallel()
	for _, x := range testkit.Sample(1, excuses()) {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			p := named(x.project)
			p.files = maps.Clone(p.files)
			maps.Copy(p.files, x.there)
			e := play(t, p, behaviour{request: x.request, entries: x.entries}, x.recipe)
			require.Contains(t, []string{"blocked", "failed"}, e.state, e.reason)
			require.Regexp(t, x.says, e.reason)
			require.False(t, e.changed)
		})
	}
}

func excuses() []excuse {
	return []excuse{
		{name: "a replacement in words of the request turns its own tests round", project: "python", recipe: "implement",
			request: "add refund to refund.py: refund(5) is -5, and 0 stays 0",
			entries: func(p project) []llmtest.Entry {
				reply := write(file{p.source, "create", p.wrong})
				reply.JSON.(map[string]any)["actions"] = []any{map[string]any{"tool": "replace_all", "args": map[string]any{"find": "-5", "replace": "5", "paths": []any{}}}}
				return with(to(tests, write(file{p.test, "create", "import unittest\n\nimport refund\n\n\nclass RefundTest(unittest.TestCase):\n    def test_refund(self):\n        self.assertEqual(refund.refund(5), -5)\n"})), to(implementation, reply))
			}},
		{name: "the test that the request wants to pass is made to pass", project: "go", recipe: "fix",
			request: "TestFeeIsAtLeastOne in pay_test.go fails, repair that",
			there:   named("go").failing,
			entries: func(p project) []llmtest.Entry {
				return with(to(tests, explained("pay_test.go asks for what is not needed.", file{p.test, "create", p.rightTest}, file{p.weakened.path, "write", p.weakened.text})),
					to(implementation, write(file{p.source, "create", p.right})))
			}},
		{name: "a test is removed that passes still", project: "go", recipe: "implement",
			entries: func(p project) []llmtest.Entry {
				return with(to(tests, explained("pay_test.go is not needed.", file{p.test, "create", p.rightTest}, file{"pay_test.go", "delete", ""})), to(implementation, write(file{p.source, "create", p.right})))
			}},
		{name: "tests are removed where tests are written", project: "python", recipe: "test", request: "write more tests for fee",
			entries: func(p project) []llmtest.Entry {
				return with(to(implementation, explained("test_pay.py is not needed.", file{"test_more.py", "create", "import unittest\n\nimport pay\n\n\nclass MoreTest(unittest.TestCase):\n    def test_more(self):\n        self.assertTrue(pay)\n"}, file{"test_pay.py", "delete", ""})))
			}},
		{name: "a refactoring states something else", project: "python", recipe: "refactor", request: "restructure how fees are worked out",
			entries: func(p project) []llmtest.Entry {
				return with(to(implementation, explained("test_pay.py asks for another fee.",
					file{"pay.py", "write", "\"\"\"Charges cards.\"\"\"\n\n\ndef fee(cents):\n    \"\"\"What a payment costs.\"\"\"\n    return max(2, cents // 50)\n"},
					file{"test_pay.py", "write", "import unittest\n\nimport pay\n\n\nclass FeeTest(unittest.TestCase):\n    def test_fee(self):\n        self.assertEqual(pay.fee(200), 4)\n\n    def test_fee_is_at_least_one(self):\n        self.assertEqual(pay.fee(5), 2)\n"})))
			}},
		{name: "documentation that changes unchecked code", project: "ruby", recipe: "document", request: "describe what fee does",
			entries: func(p project) []llmtest.Entry {
				return with(to(implementation, write(file{"pay.rb", "write", "# What a payment costs.\ndef fee(cents)\n  0\nend\n"})))
			}},
		{name: "a package that does not compile hides what is new", project: "go", recipe: "implement",
			there: map[string]string{"bad.go": "package pay\n\nfunc Bad( {\n}\n"},
			entries: func(p project) []llmtest.Entry {
				return with(to(tests, write(file{p.test, "create", p.rightTest})), to(implementation, write(file{p.source, "create", "package pay\n\n// Refund is what is given back.\nfunc Refund(cents int) int {\n\treturn \"no\" + missing\n}\n"})))
			}},
		{name: "a refactoring of a package that does not compile", project: "go", recipe: "refactor", request: "restructure the fee",
			there: map[string]string{"bad.go": "package pay\n\nfunc Bad( {\n}\n"},
			entries: func(p project) []llmtest.Entry {
				return with(to(implementation, write(file{"pay.go", "write", "// Package pay charges cards.\npackage pay\n\n// Fee is what a payment costs.\nfunc Fee(cents int) int {\n\treturn \"no\" + missing\n}\n"})))
			}},
		{name: "a refactoring of a package whose tests do not compile", project: "go", recipe: "refactor", request: "restructure the fee",
			there: map[string]string{"bad_test.go": "package pay\n\nfunc bad() int {\n\treturn missing\n}\n"},
			entries: func(p project) []llmtest.Entry {
				return with(to(implementation, write(file{"pay.go", "write", "// Package pay charges cards.\npackage pay\n\n// Fee is what a payment costs.\nfunc Fee(cents int) int {\n\treturn 7\n}\n"})))
			}},
	}
}
