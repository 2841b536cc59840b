package tool

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

// at is a folder as a tree.
type at string

func (dir at) Dir() string { return string(dir) }

func TestKeepingTests_FailsWhereTestsWereWritten(t *testing.T) {
	t.Parallel()
	long := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	write := func(t *testing.T, file, text string) {
		t.Helper()
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		require.NoError(t, os.Chtimes(file, long, long))
	}
	for name, test := range map[string]struct {
		run   func(t *testing.T, dir string)
		found string
	}{
		"nothing":           {func(*testing.T, string) {}, ""},
		"what tests write":  {func(t *testing.T, dir string) { t.Helper(); write(t, filepath.Join(dir, "out.txt"), "b") }, ""},
		"a new test":        {func(t *testing.T, dir string) { t.Helper(); write(t, filepath.Join(dir, "b_test.x"), "b") }, ""},
		"a test":            {func(t *testing.T, dir string) { t.Helper(); write(t, filepath.Join(dir, "a_test.x"), "b") }, "a_test.x"},
		"a test, as it was": {func(t *testing.T, dir string) { t.Helper(); write(t, filepath.Join(dir, "a_test.x"), "a") }, "a_test.x"},
		"a test that is gone": {func(t *testing.T, dir string) {
			t.Helper()
			require.NoError(t, os.Remove(filepath.Join(dir, "a_test.x")))
		}, "a_test.x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if name == "a test, as it was" && runtime.GOOS != "linux" {
				t.Skip("when anything of a file was changed is read on Linux only")
			}
			dir := t.TempDir()
			write(t, filepath.Join(dir, "a_test.x"), "a")
			write(t, filepath.Join(dir, "out.txt"), "a")
			isTest := func(_ *Sources, file string) bool { return strings.HasSuffix(file, "_test.x") }
			report := KeepingTests(at(dir), isTest, func() gate.Report {
				test.run(t, dir)
				return gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1, PassedTests: []string{"a"}}
			})
			if test.found == "" {
				require.Equal(t, gate.Report{Verdict: gate.Pass, Executed: 1, Passed: 1, PassedTests: []string{"a"}}, report)
				return
			}
			require.Equal(t, gate.Fail, report.Verdict)
			require.Len(t, report.Findings, 1)
			require.Equal(t, test.found, report.Findings[0].Path)
			require.Empty(t, report.PassedTests)
		})
	}
}
