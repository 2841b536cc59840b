package integrity

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBase_NameInTheFile(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{
		"m/stat.TestSum":                          "TestSum",
		"m/stat.TestSum/of_1.5/x":                 "TestSum",
		"tests.test_stat.test_sum":                "test_sum",
		"tests.test_stat.TestSum.test_sum[a.b-1]": "test_sum",
		"tests/test_stat.py::TestSum::test_sum":   "test_sum",
		"stat.test.ts > Sum > adds 1.5 to [2]":    "adds 1.5 to [2]",
		"semver tests::parses":                    "parses",
		"ExampleSum":                              "ExampleSum",
	} {
		require.Equal(t, want, Base(test), test)
	}
}

const statBefore = `package stat

func TestSum(t *testing.T) {
	if Sum(1, 2) != 3 {
		t.Fatal("sum of two")
	}
}

func TestMean(t *testing.T) {
	check(t, Mean(1, 2), 1.5)
}
`

func TestRewritten_TellsGoneFromRenamed(t *testing.T) {
	t.Parallel()
	after := `package stat

func TestTotal(t *testing.T) {
	if Total(1, 2) != 3 {
		t.Fatal("sum of two")
	}
}

func TestOther(t *testing.T) {}
`
	r := rewritten(statBefore, after)
	require.True(t, r.Touched("m.TestSum") && r.Touched("m.TestMean/one"))
	require.False(t, r.Touched("m.TestTotal"), "it is new")
	require.True(t, r.Gone("m.TestSum") && r.Gone("m.TestMean"))
	require.True(t, r.Written("m.TestTotal"))
	require.Equal(t, "m.TestTotal", r.Renamed("m.TestSum", []string{"m.TestOther", "m.TestTotal"}))
	require.Empty(t, r.Renamed("m.TestMean", []string{"m.TestOther", "m.TestTotal"}), "its text is in neither")
}
