package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// ProgramVariable names the variable that holds the absolute path of a built program. scripts/test.sh builds it once for all suites; without
// the variable, the tests of a package build it themselves, so that `go test ./test/cli` works as it is.
const ProgramVariable = "FORGE_TEST_BINARY"

// tests is what Main runs: a *testing.M.
type tests interface{ Run() int }

// Main runs the tests of a package that start the built program, with *program set to the path of the built program, and returns their exit
// code. It panics when there is no program: no test of the package could mean anything.
func Main(m tests, program *string) int {
	path, remove, err := findProgram(os.Getenv(ProgramVariable))
	if err != nil {
		panic(err)
	}
	defer remove()
	*program = path
	return m.Run()
}

// BuildProgram builds a variant of the program at a path, with flags of `go build`.
func BuildProgram(path string, flags ...string) error {
	args := append(append([]string{"build"}, flags...), "-o", path, "forge/cmd/forge")
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil { //nolint:noctx // the time-out of the tests ends it
		return fmt.Errorf("build the program under test: %w\n%s", err, out)
	}
	return nil
}

// Tool returns the path of a tool that not every machine has. Without it the test is skipped, in words that the suites
// count and repeat at their end: "not run: NAME: reason".
func Tool(t testing.TB, name, from string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("not run: %s: it is not installed; it comes with %s", name, from)
	}
	return path
}

// findProgram returns the program that is given, or builds one, which remove deletes.
func findProgram(given string) (path string, remove func(), err error) {
	if given != "" {
		return given, func() {}, checkProgram(given)
	}
	dir, err := os.MkdirTemp("", "forge-test-*")
	if err != nil {
		return "", nil, fmt.Errorf("make a folder for the program under test: %w", err)
	}
	path = filepath.Join(dir, "forge")
	remove = func() { _ = os.RemoveAll(dir) }
	if err := BuildProgram(path); err != nil {
		remove()
		return "", nil, err
	}
	return path, remove, nil
}

// checkProgram refuses what tests could not start: they run in folders of their own, where a relative path names something else.
func checkProgram(program string) error {
	if !filepath.IsAbs(program) {
		return fmt.Errorf("%s=%s is not an absolute path", ProgramVariable, program)
	}
	info, err := os.Stat(program)
	if err != nil {
		return fmt.Errorf("%s names no program: %w", ProgramVariable, err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
		return fmt.Errorf("%s=%s is not a program", ProgramVariable, program)
	}
	return nil
}
