// Package suites drives scripts/test.sh on machines that do not have everything.
package suites

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// forge is the path of the built program.
var forge string

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, &forge)) }

// run runs suites on a machine that has Go, a C compiler and the usual small programs, but neither Node.js nor anything
// else that must be installed, nor a way to install it.
func run(t *testing.T, args ...string) (code int, lines []string) {
	t.Helper()
	path := t.TempDir()
	for _, name := range []string{"bash", "env", "go", "git", "gcc", "cc", "awk", "cat", "dirname", "find", "getconf", "grep", "id", "mkdir", "mktemp", "rm", "sed", "tail", "tee"} {
		found, err := exec.LookPath(name)
		require.NoError(t, err)
		require.NoError(t, os.Symlink(found, filepath.Join(path, name)))
	}
	goEnviron, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT", "GOCACHE", "GOMODCACHE", "GOFLAGS").Output()
	require.NoError(t, err)
	set := strings.Split(string(goEnviron), "\n")
	c := exec.CommandContext(t.Context(), "../../scripts/test.sh", args...)
	c.Env = []string{"HOME=" + t.TempDir(), "PATH=" + path, "GOROOT=" + set[0], "GOCACHE=" + set[1], "GOMODCACHE=" + set[2], "GOFLAGS=" + set[3], testkit.ProgramVariable + "=" + forge}
	out, _ := c.CombinedOutput()
	return c.ProcessState.ExitCode(), strings.Split(strings.TrimSpace(string(out)), "\n")
}

const why = ": Node 20 or newer with npm is needed: https://nodejs.org"

func TestSuites_WithoutTheirToolsAreNotRun(t *testing.T) {
	t.Parallel()
	code, lines := run(t, "extension", "fuzz", "oracle")
	require.Zero(t, code, lines)
	end := lines[len(lines)-3:]
	require.ElementsMatch(t, []string{"not run: extension" + why, "not run: oracle" + why}, end[:2], lines)
	require.Regexp(t, `^[1-9]\d* passed, 0 failed, 2 skipped$`, end[2])
}

// The twin: what ran nothing at all has failed.
func TestSuites_OfWhichNoneRanHaveFailed(t *testing.T) {
	t.Parallel()
	code, lines := run(t, "extension", "oracle")
	require.Equal(t, 1, code, lines)
	require.Contains(t, lines, "0 passed, 1 failed, 2 skipped")
}

func TestSuites_RefuseNamesThatThereAreNot(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"everything", "--quick"} {
		code, lines := run(t, name)
		require.Equal(t, 1, code)
		require.Contains(t, lines[0], name+"; there are: ")
	}
}

// Every test that scripts/long.txt leaves to `make test-all` exists, under that name and no other, and each line names
// its substitute in `make test`.
func TestSuites_OmitOnlyTestsCoveredElsewhere(t *testing.T) {
	t.Parallel()
	declared := map[string]int{}
	require.NoError(t, filepath.WalkDir("../..", func(path string, entry os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllSubmatch(text, -1) {
			declared[string(m[1])]++
		}
		return err
	}))
	list, err := os.ReadFile("../../scripts/long.txt")
	require.NoError(t, err)
	left := map[string]bool{}
	for line := range strings.Lines(string(list)) {
		if name, instead, _ := strings.Cut(line, " "); strings.HasPrefix(name, "Test") {
			require.Equal(t, 1, declared[name], "%s must be the name of one test", name)
			require.NotEmpty(t, strings.TrimSpace(instead), "%s: which test is run instead?", name)
			require.False(t, left[name], "%s is there twice", name)
			left[name] = true
		}
	}
	require.NotEmpty(t, left)
	for line := range strings.Lines(string(list)) {
		name, instead, _ := strings.Cut(line, " ")
		if !left[name] {
			continue
		}
		for _, other := range regexp.MustCompile(`Test\w+`).FindAllString(instead, -1) {
			require.True(t, declared[other] > 0 && !left[other], "%s: %s is not run instead", name, other)
		}
	}
}

// A folder of tests that no suite names would never run.
func TestSuites_NameEveryFolderOfTests(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("../../scripts/test.sh")
	require.NoError(t, err)
	named := strings.FieldsFunc(string(script), func(r rune) bool { return strings.ContainsRune(" ();\n", r) })
	require.NoError(t, filepath.WalkDir("..", func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil || entry.Name() == "node_modules" || entry.Name() == "testdata" {
			return filepath.SkipDir // fixtures
		}
		if strings.HasSuffix(path, "_test.go") {
			folder := "./test/" + filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), "../"))
			require.True(t, slices.Contains(named, folder), "no suite of scripts/test.sh runs %s", folder)
		}
		return nil
	}))
}
