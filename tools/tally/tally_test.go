package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTally_CountOutput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		in    string
		want  count
		shown string
	}{
		{"empty", "", count{}, ""},
		{
			"go: output of tests that pass is left out, that of their package is not",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA/one"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"testing: warning: no tests to run\n"}
{"Action":"output","Package":"p","Output":"12 cases\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`, count{Passed: 2}, "12 cases\nok  \tp\t0.1s\n",
		},
		{
			"go: a failed test is shown, its package is not counted again",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"a_test.go:3: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp\n"}
{"Action":"fail","Package":"p"}
`, count{Passed: 1, Failed: 1}, "a_test.go:3: wrong\nFAIL\tp\n",
		},
		{
			"go: a package that does not build is a failure",
			`{"ImportPath":"p","Action":"build-output","Output":"p.go:1: no\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`, count{Failed: 1}, "p.go:1: no\nFAIL\tp [build failed]\n",
		},
		{
			"go: what a test said whose process ended is shown",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"panic: test timed out\n"}
{"Action":"output","Package":"pp","Test":"TestA","Output":"of another package\n"}
{"Action":"output","Package":"p","Output":"FAIL\tp\n"}
{"Action":"fail","Package":"p"}
`, count{Failed: 1}, "panic: test timed out\nFAIL\tp\n",
		},
		{
			"go: skips are counted and shown, packages without tests are neither",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: why\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"q"}
`, count{Skipped: 1}, "--- SKIP: why\n",
		},
		{"node: TAP", "# tests 5\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 2", count{3, 2, 2}, "# tests 5\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 2\n"},
		{"node: for people", "ℹ pass 3\nℹ fail 0\n", count{Passed: 3}, "ℹ pass 3\nℹ fail 0\n"},
		{"our own scripts", "4 passed, 1 failed\n", count{Passed: 4, Failed: 1}, "4 passed, 1 failed\n"},
		{"numbers in prose do not count", "see: 4 passed, 1 failed\npass 3\n", count{}, "see: 4 passed, 1 failed\npass 3\n"},
		{"a line that only looks like JSON is text", "{not json\n{\"a\":1}\n", count{}, "{not json\n{\"a\":1}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var shown strings.Builder
			got, err := countOutput(strings.NewReader(tt.in), &shown)
			require.NoError(t, err)
			require.Equal(t, tt.want, got.count)
			require.Equal(t, tt.shown, shown.String())
		})
	}
}

func TestTally_CountOutputFailsWithItsInput(t *testing.T) {
	t.Parallel()
	_, err := countOutput(broken{}, &strings.Builder{})
	require.ErrorIs(t, err, errBroken)
}

type broken struct{}

var errBroken = errors.New("broken pipe")

func (broken) Read([]byte) (int, error) { return 0, errBroken }

func TestCountOutput_NamesTheSlowest(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	for n := range 12 {
		fmt.Fprintf(&in, "{\"Action\":\"pass\",\"Package\":\"p\",\"Test\":\"TestA/%02d\",\"Elapsed\":%d}\n", n, n)
	}
	in.WriteString(`{"Action":"pass","Package":"p","Test":"TestA","Elapsed":66}
{"Action":"pass","Package":"p","Elapsed":70.5}
ok a step (123456 ms)
`)
	got, err := countOutput(strings.NewReader(in.String()), &strings.Builder{})
	require.NoError(t, err)
	require.Len(t, got.Tests, slowest)
	require.Equal(t, []timing{{"a step", 123.456}, {"p TestA/11", 11}, {"p TestA/10", 10}}, got.Tests[:3], "TestA only waits for its subtests")
	require.Equal(t, []timing{{"p", 70.5}}, got.Packages)
}

func TestCountOutput_KeepsSkippedTests(t *testing.T) {
	t.Parallel()
	got, err := countOutput(strings.NewReader(`{"Action":"output","Package":"p","Test":"TestA","Output":"    a_test.go:3: not run: rust: cargo is missing\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Test":"TestB","Output":"    b_test.go:9: not run: rust: cargo is missing\n"}
{"Action":"skip","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Test":"TestC","Output":"    c_test.go:9: not run: of a test that passes\n"}
{"Action":"pass","Package":"p","Test":"TestC"}
not run: shell: no shellcheck
`), &strings.Builder{})
	require.NoError(t, err)
	require.Equal(t, []string{"rust: cargo is missing", "shell: no shellcheck"}, got.NotRun)
	require.Equal(t, count{Passed: 1, Skipped: 2}, got.count)
}

func TestTally_Sum(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   string
		last string
		ok   bool
	}{
		{"everything passed", "go 0 3 9.5 {\"Passed\":10}\nvscode 0 9 1 {\"Passed\":2}\n", "12 passed, 0 failed", true},
		{"a failed test", "go 1 3 9.5 {\"Passed\":10,\"Failed\":2}\n", "10 passed, 2 failed", false},
		{"a failed test that its command forgot", "go 0 3 9.5 {\"Passed\":10,\"Failed\":2}\n", "10 passed, 2 failed", false},
		{"a command that broke", "go 2 3 9.5 {\"Passed\":10}\n", "10 passed, 1 failed", false},
		{"nothing ran", "go 0 3 9.5 {\"Skipped\":5}\n", "0 passed, 1 failed, 5 skipped", false},
		{"no suite", "", "0 passed, 1 failed", false},
		{"suites that were not run count as skipped", "go 0 3 9.5 {\"Passed\":10,\"Skipped\":1}\nnot-run vscode no chromium\n", "10 passed, 0 failed, 2 skipped", true},
		{"nothing but suites that were not run", "not-run vscode no chromium\n", "0 passed, 1 failed, 1 skipped", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := run([]string{"sum", "5"}, strings.NewReader(tt.in), &out)
			require.Equal(t, tt.ok, err == nil, "%v", err)
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			require.Equal(t, tt.last, lines[len(lines)-1])
		})
	}
}

func TestSum_ReportsTimesAndSkippedTests(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, run([]string{"sum", "5"}, strings.NewReader(`go 0 3 9.5 {"Passed":10,"NotRun":["rust: cargo is missing"],"Tests":[{"Name":"p TestA","Seconds":2}],"Packages":[{"Name":"p","Seconds":3}]}
neovim 0 4 1.4 {"Passed":5,"Tests":[{"Name":"q TestB","Seconds":2.5}]}
not-run vscode install.sh: no chromium
`), &out))
	require.Equal(t, `go              3 s     10 CPU-s    10 passed     0 failed     0 skipped  
neovim          4 s      1 CPU-s     5 passed     0 failed     0 skipped  
vscode       not run
together        5 s     11 CPU-s

slowest packages
     3.0 s  p

slowest tests
     2.5 s  q TestB
     2.0 s  p TestA

not run: go/rust: cargo is missing
not run: vscode: install.sh: no chromium
15 passed, 0 failed, 1 skipped
`, out.String())
}

func TestTally_RunRefuses(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"sum"}, {"count", "5"}} {
		require.ErrorContains(t, run(args, strings.NewReader(""), &strings.Builder{}), "say count, or sum")
	}
	require.ErrorContains(t, run([]string{"sum", "long"}, strings.NewReader(""), &strings.Builder{}), "how many seconds all suites took")
	for _, line := range []string{"go zero", "go 0 x 1.5 {}", "go 0 3 1.5 {", "not-run vscode"} {
		require.ErrorContains(t, run([]string{"sum", "5"}, strings.NewReader(line+"\n"), &strings.Builder{}), `read the result "`+line+`"`)
	}
}
