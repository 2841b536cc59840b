package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCountOutput(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		in    string
		want  count
		shown string
	}{
		{"empty", "", count{}, ""},
		{
			"go: output of what passes is left out",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"chatter\n"}
{"Action":"pass","Package":"p","Test":"TestA/one"}
{"Action":"pass","Package":"p","Test":"TestA"}
{"Action":"output","Package":"p","Output":"PASS\n"}
{"Action":"output","Package":"p","Output":"ok  \tp\t0.1s\n"}
{"Action":"pass","Package":"p"}
`, count{passed: 2}, "ok  \tp\t0.1s\n",
		},
		{
			"go: a failed test is shown, its package is not counted again",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"a_test.go:3: wrong\n"}
{"Action":"fail","Package":"p","Test":"TestA"}
{"Action":"pass","Package":"p","Test":"TestB"}
{"Action":"output","Package":"p","Output":"FAIL\tp\n"}
{"Action":"fail","Package":"p"}
`, count{passed: 1, failed: 1}, "a_test.go:3: wrong\nFAIL\tp\n",
		},
		{
			"go: a package that does not build is a failure",
			`{"ImportPath":"p","Action":"build-output","Output":"p.go:1: no\n"}
{"ImportPath":"p","Action":"build-fail"}
{"Action":"output","Package":"p","Output":"FAIL\tp [build failed]\n"}
{"Action":"fail","Package":"p","FailedBuild":"p"}
`, count{failed: 1}, "p.go:1: no\nFAIL\tp [build failed]\n",
		},
		{
			"go: skips are counted and shown, packages without tests are neither",
			`{"Action":"output","Package":"p","Test":"TestA","Output":"--- SKIP: why\n"}
{"Action":"skip","Package":"p","Test":"TestA"}
{"Action":"skip","Package":"q"}
`, count{skipped: 1}, "--- SKIP: why\n",
		},
		{"node: TAP", "# tests 5\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 2", count{3, 2, 2}, "# tests 5\n# pass 3\n# fail 1\n# cancelled 1\n# skipped 2\n"},
		{"node: for people", "ℹ pass 3\nℹ fail 0\n", count{passed: 3}, "ℹ pass 3\nℹ fail 0\n"},
		{"our own scripts", "4 passed, 1 failed\n", count{passed: 4, failed: 1}, "4 passed, 1 failed\n"},
		{"numbers in prose do not count", "see: 4 passed, 1 failed\npass 3\n", count{}, "see: 4 passed, 1 failed\npass 3\n"},
		{"a line that only looks like JSON is text", "{not json\n{\"a\":1}\n", count{}, "{not json\n{\"a\":1}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var shown strings.Builder
			got, err := countOutput(strings.NewReader(tt.in), &shown)
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
			require.Equal(t, tt.shown, shown.String())
		})
	}
}

func TestCountOutputFailsWithItsInput(t *testing.T) {
	t.Parallel()
	_, err := countOutput(broken{}, &strings.Builder{})
	require.ErrorIs(t, err, errBroken)
}

type broken struct{}

var errBroken = errors.New("broken pipe")

func (broken) Read([]byte) (int, error) { return 0, errBroken }

func TestSum(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		in   string
		last string
		ok   bool
	}{
		{"everything passed", "go 0 3 10 0 0\nvscode 0 9 2 0 0\n", "12 passed, 0 failed", true},
		{"a failed test", "go 1 3 10 2 0\n", "10 passed, 2 failed", false},
		{"a failed test that its command forgot", "go 0 3 10 2 0\n", "10 passed, 2 failed", false},
		{"a command that broke", "go 2 3 10 0 0\n", "10 passed, 1 failed", false},
		{"nothing ran", "go 0 3 0 0 5\n", "0 passed, 1 failed", false},
		{"no suite", "", "0 passed, 1 failed", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			err := run([]string{"sum"}, strings.NewReader(tt.in), &out)
			require.Equal(t, tt.ok, err == nil, "%v", err)
			lines := strings.Split(strings.TrimSpace(out.String()), "\n")
			require.Equal(t, tt.last, lines[len(lines)-1])
		})
	}
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	require.ErrorContains(t, run(nil, strings.NewReader(""), &strings.Builder{}), "say count or sum")
	require.ErrorContains(t, run([]string{"sum"}, strings.NewReader("go zero\n"), &strings.Builder{}), `read the result "go zero"`)
}
