package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/patch"
)

const feeAfter = `package pay

func TestFee(t *testing.T) {
	_ = Fee(5)
}

func TestRate(t *testing.T) {
	check(t, Rate(5), 1)
}

func TestShape(t *testing.T) {
	if Round(5, 1) != 4 {
		t.Fatal()
	}
}

func TestPaid(t *testing.T) {
	if pay(t) != 1 {
		t.Fatal()
	}
}

func pay(t *testing.T) int {
	return Charge(5)
}

func TestRefund(t *testing.T) {
	_ = Refund(5)
}
`

// Code that does not compile excuses the tests that contain it, and no other test of the file.
func TestRewritten_BreaksByItsOwnFaultsOnly(t *testing.T) {
	t.Parallel()
	all := Suites{{Gate: "go test", IsTest: func(string) bool { return true }}}
	r := all.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "pay_test.go", Before: "func TestFee() {\n\tRound(5)\n}\n", After: feeAfter}}})
	fault := func(line int, message string) []gate.Finding {
		return []gate.Finding{{Path: "pay_test.go", Line: line, Message: message}}
	}
	for test, faults := range map[string][]gate.Finding{
		"TestRefund": fault(28, "undefined: Refund"),
		"TestPaid":   fault(24, "undefined: Charge"),
		"TestRate":   {{Path: "more_test.go", Line: 3, Message: "undefined: Rate"}},
		"TestShape":  fault(12, "too many arguments in call to Round"),
	} {
		require.True(t, r.Breaks("pay."+test, faults), test)
		require.False(t, r.Breaks("pay.TestFee", faults), test)
	}
	inferred := []gate.Finding{{Path: "pay_test.go", Line: 4, Inferred: true, Message: "package m/gone is not in std"}}
	require.False(t, r.Breaks("pay.TestFee", inferred), "its place is unknown")
}

// Names of what cannot be imported count for the tests that use them.
func TestRewritten_BreaksByMissingImports(t *testing.T) {
	t.Parallel()
	after := "from pay import fee, refund\n\n\ndef test_fee():\n    fee(5)\n\n\ndef test_refund():\n    assert refund(5) == -5\n"
	all := Suites{{Gate: "pytest", IsTest: func(string) bool { return true }}}
	r := all.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: "tests/test_pay.py", Before: "from pay import fee\n\n\ndef test_fee():\n    assert fee(5) == 1\n", After: after}}})
	faults := []gate.Finding{{Path: "tests/test_pay.py", Line: 1, Message: "ImportError: cannot import name 'refund' from 'pay' (/x/pay.py)"}}
	require.True(t, r.Breaks("tests.test_pay.test_refund", faults))
	require.False(t, r.Breaks("tests.test_pay.test_fee", faults))
}

// Two packages may have a test of one name: a change of one of them is none of the other.
func TestRewritten_TestsOfOneNameAreTwo(t *testing.T) {
	t.Parallel()
	all := Suites{{Gate: "test", IsTest: func(string) bool { return true }}}
	for file, names := range map[string][2]string{
		"a/x_test.go":      {"example.com/m/a.TestX/one", "example.com/m/b.TestX/one"},
		"tests/test_a.py":  {"tests.test_a.TestX", "tests.test_b.TestX"},
		"tests/a.test.ts":  {"tests/a.test.ts > TestX", "tests/b.test.ts > TestX"},
		"core/src/a.rs":    {"core::doc src/a.rs - a::TestX", "core::doc src/b.rs - b::TestX"},
		"tests/test_aa.py": {"tests.test_aa.TestX[a.b]", "tests.test_a.TestX[a.b]"},
	} {
		r := all.Rewritten(patch.ChangeSet{Files: []patch.FileChange{{Path: file, Before: "TestX one\n", After: "TestX two\n"}}})
		require.True(t, r.Touched(names[0]) && r.Same(names[0], names[0]), names[0])
		require.False(t, r.Touched(names[1]), names[1])
		require.False(t, r.Same(names[0], names[1]), names[1])
		before := gate.Report{Executed: 2, PassedTests: names[:]}
		require.Equal(t, 1, r.Expected(before).Executed)
		_, found := Promise{Before: before, Rewritten: r}.Held(gate.Report{PassedTests: names[:1]})
		require.Len(t, found, 1, "the other one is not executed any more")
	}
}
