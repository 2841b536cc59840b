package golang

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// Packages without tests are compiled by go build: that one of them is broken is none of the tests' business.
func TestTested_LeavesOutPackagesWithoutTests(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"go.mod":      "module example.com/m\n\ngo 1.24\n",
		"a/a.go":      "package a\n",
		"a/a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\n",
		"cmd/main.go": "package main\n\nfunc main() { undefined() }\n",
	}
	suite := gateNamed("go test")
	report := suite.Run(t.Context(), write(t, archive(files)))
	require.Equal(t, gate.Pass, report.Verdict, report.Summary)
	require.Equal(t, []string{"example.com/m/a.TestA"}, report.PassedTests)
	require.Equal(t, "./...", report.Command[len(report.Command)-1], "as a user would start them")
	require.Equal(t, gate.Fail, gateNamed("go build").Run(t.Context(), write(t, archive(files))).Verdict, "the twin")

	files["cmd/main_test.go"] = "package main\n\nimport \"testing\"\n\nfunc TestMain_(t *testing.T) {}\n"
	require.Equal(t, gate.Fail, suite.Run(t.Context(), write(t, archive(files))).Verdict, "its tests cannot be compiled")
	files["cmd/main_test.go"] = "package\n"
	require.NotEqual(t, gate.Pass, suite.Run(t.Context(), write(t, archive(files))).Verdict, "its tests cannot be read")

	delete(files, "cmd/main_test.go")
	delete(files, "a/a_test.go")
	report = suite.Run(t.Context(), write(t, archive(files)))
	require.Equal(t, gate.NotRun, report.Verdict)
	require.True(t, report.Empty)
	require.Equal(t, "no tests", report.Summary)

	files["a/a_test.go"] = "package a\n\nimport (\n\t\"testing\"\n\n\t_ \"example.com/gone\"\n)\n\nfunc BenchmarkA(b *testing.B) {}\n"
	report = suite.Run(t.Context(), write(t, archive(files)))
	require.Equal(t, gate.NotRun, report.Verdict, "benchmarks are not compiled")
	require.Equal(t, "no tests", report.Summary)
}
