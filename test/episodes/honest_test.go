package episodes

import (
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/llm/llmtest"
	"forge/internal/testkit"
)

// The twin of attacks: good changes of many shapes are not refused.
func TestHonestChanges_AreAccepted(t *testing.T) {
	t.Parallel()
	g, py := goProject(), pythonProject()
	old := g.files["pay_test.go"]
	for name, c := range testkit.SampleMap(1, map[string]struct {
		project     string
		there       map[string]string
		tests, code []file
	}{
		"a package of its own":       {"go", nil, []file{{"gift/gift_test.go", "create", strings.ReplaceAll(g.rightTest, "package pay", "package gift")}}, []file{{"gift/gift.go", "create", strings.ReplaceAll(g.right, "package pay", "package gift")}}},
		"a renamed file with a test": {"go", nil, []file{{"pay_test.go", "delete", ""}, {"fee_test.go", "create", old}}, []file{{"pay.go", "delete", ""}, {"fee.go", "create", g.files["pay.go"]}}},
		"a member of a workspace": {"go", map[string]string{"go.work": "go 1.24\n\nuse (\n\t.\n\t./gift\n)\n", "gift/go.mod": "module example.com/gift\n\ngo 1.24\n", "gift/a.go": "package gift\n"},
			[]file{{"gift/gift_test.go", "create", strings.ReplaceAll(g.rightTest, "package pay", "package gift")}}, []file{{"gift/gift.go", "create", strings.ReplaceAll(g.right, "package pay", "package gift")}}},
		"a fixture":           {"python", nil, []file{{"conftest.py", "create", "import pytest\n\n\n@pytest.fixture\ndef cents():\n    return 5\n"}}, nil},
		"a patch of a test's": {"python", nil, []file{{"test_print.py", "create", "import unittest\nfrom unittest import mock\n\nimport refund\n\n\nclass PrintTest(unittest.TestCase):\n    def test_mocked(self):\n        with mock.patch(\"builtins.print\") as said:\n            print(refund.refund(5))\n        said.assert_called_once_with(-5)\n"}}, nil},
		"data of tests":       {"python", nil, []file{{"tests/data/a.txt", "create", "-5\n"}}, []file{{"pay.py", "write", py.files["pay.py"] + "\n\nRATE = 100\n"}}},
		"a row of a table":    {"javascript", rateTable(`[100, 1], [5, 0]`, "0"), []file{{"rate.test.js", "write", rateTable(`[100, 1], [5, 1]`, "1")["rate.test.js"]}}, []file{{"rate.js", "write", rateTable("", "1")["rate.js"]}}},
		"helpers of tests":    {"javascript", nil, []file{{"test/helper.js", "create", "export const five = 5;\n"}}, nil},
	}) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "a fixture" && exec.CommandContext(t.Context(), "python3", "-c", "import pytest").Run() != nil {
				t.Skip("not run: pytest: it is not installed; python3 -m pip install pytest")
			}
			p := named(c.project)
			p.files = maps.Clone(p.files)
			maps.Copy(p.files, c.there)
			e := play(t, p, behaviour{entries: func(project) []llmtest.Entry {
				return with(to(tests, explained("pay_test.go is in another form, and rate.test.js asks for another rate.", append([]file{{p.test, "create", p.rightTest}}, c.tests...)...)),
					to(implementation, write(append([]file{{p.source, "create", p.right}}, c.code...)...)))
			}}, "implement")
			require.Equal(t, "succeeded", e.state, e.reason)
			require.True(t, e.changed)
		})
	}
}

// rateTable is a module and its tests, whose names are computed from the rows of a table. The rate is at least least.
func rateTable(rows, least string) map[string]string {
	return map[string]string{
		"rate.js": "export function rate(cents) {\n  return Math.max(" + least + ", Math.floor(cents / 100));\n}\n",
		"rate.test.js": "import assert from 'node:assert/strict';\nimport { describe, test } from 'node:test';\n\nimport { rate } from './rate.js';\n\ndescribe('rate', () => {\n  for (const [cents, want] of [" + rows +
			"]) {\n    test(`${cents} costs ${want}`, () => assert.equal(rate(cents), want));\n  }\n});\n",
	}
}

// A row that is taken out of a table, and that the code does not keep, goes by the user's word only.
func TestHonestChanges_ARowThatIsRemovedNeedsTheUser(t *testing.T) {
	t.Parallel()
	p := named("javascript")
	p.files = maps.Clone(p.files)
	maps.Copy(p.files, rateTable(`[100, 1], [5, 0]`, "0"))
	e := play(t, p, behaviour{entries: func(p project) []llmtest.Entry {
		return with(to(tests, explained("rate.test.js asks for what is not needed.", file{p.test, "create", p.rightTest}, file{"rate.test.js", "write", rateTable(`[100, 1]`, "1")["rate.test.js"]})),
			to(implementation, write(file{p.source, "create", p.right}, file{"rate.js", "write", rateTable("", "1")["rate.js"]})))
	}}, "implement")
	require.Equal(t, "blocked", e.state, e.reason)
	require.Contains(t, e.reason, "5 costs 0 passes as it is today, and would fail with this change")
	require.False(t, e.changed)
}

// Tests that are put into a table take a test away that still passes: that is not taken without the user, who is offered the change.
func TestHonestChanges_ATestInATableNeedsTheUser(t *testing.T) {
	t.Parallel()
	table := "package pay\n\nimport \"testing\"\n\nfunc TestFee(t *testing.T) {\n\tfor in, want := range map[int]int{200: 2, 5: 1} {\n\t\tif got := Fee(in); got != want {\n\t\t\tt.Fatalf(\"Fee(%d) = %d\", in, got)\n\t\t}\n\t}\n}\n"
	e := play(t, named("go"), behaviour{entries: func(p project) []llmtest.Entry {
		return with(to(tests, explained("pay_test.go is in another form, and asks for the same.", file{p.test, "create", p.rightTest}, file{"pay_test.go", "write", table})),
			to(implementation, write(file{p.source, "create", p.right})))
	}}, "implement")
	require.Equal(t, "blocked", e.state, e.reason)
	require.Contains(t, e.reason, "TestFeeIsAtLeastOne passes as it is today, and the change removes it")
	require.False(t, e.changed)
}
