package testkit

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// ran is a package's tests: they note the program that they were given.
type ran struct{ do func() int }

func (r ran) Run() int { return r.do() }

func TestRun_UsesTheProgramOfTheEnvironment(t *testing.T) {
	given := filepath.Join(t.TempDir(), "forge")
	require.NoError(t, os.WriteFile(given, nil, 0o700))
	t.Setenv(ProgramVariable, given)
	program, seen := "", ""
	code := Main(ran{func() int { seen = program; return 3 }}, &program)
	require.Equal(t, given, seen)
	require.Equal(t, 3, code, "the code of the tests")
	require.FileExists(t, given, "the program belongs to the caller")
}

func TestRun_RejectsAMissingProgram(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	require.NoError(t, os.WriteFile(plain, nil, 0o600))
	for given, says := range map[string]string{
		"bin/forge":                        "not an absolute path",
		filepath.Join(t.TempDir(), "none"): "names no program",
		t.TempDir():                        "is not a program",
		plain:                              "is not a program",
	} {
		t.Setenv(ProgramVariable, given)
		program := ""
		require.PanicsWithError(t, checkProgram(given).Error(), func() { Main(ran{func() int { t.Error("the tests ran"); return 0 }}, &program) })
		require.ErrorContains(t, checkProgram(given), says)
	}
}

func TestFind_BuildsWhereNothingIsGiven(t *testing.T) {
	if testing.Short() {
		t.Log("short: the build itself is what plain `go test ./test/cli` tries")
		return
	}
	t.Setenv("GOFLAGS", "-buildvcs=false")
	path, remove, err := findProgram("")
	require.NoError(t, err)
	require.NoError(t, checkProgram(path))
	remove()
	require.NoFileExists(t, path)
}
