package golang

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
	"forge/internal/testkit"
)

// b is imported by c, and by the tests of d.
func TestCompilable_OmitsTestsOfUncompiledPackages(t *testing.T) {
	t.Parallel()
	tree := module(t)
	tools := toolsFor(machine())
	tools.known, tools.built = &listings{}, &tool.PerTree[compilation]{}
	change := gate.Scope{Changed: []string{"a/a.go"}, Reach: gate.ReachWide}
	suite := newTest(tools, time.Hour)
	hasty := newBuild(tools, time.Hour, time.Nanosecond)
	require.Equal(t, "1 package built: 2 of 2 packages that only import what has changed were not checked, there was no time", hasty.RunIn(t.Context(), tree, change).Summary)
	report := suite.RunIn(t.Context(), tree, change)
	require.Equal(t, []string{"example.com/m/a.Test_a"}, report.PassedTests)
	require.Equal(t, "3 of 3 packages that only import what has changed were not checked, there was no time", report.Notice)

	patient := newBuild(tools, time.Hour, time.Hour)
	require.Equal(t, "3 packages built, of 5: those that the change concerns", patient.RunIn(t.Context(), tree, change).Summary)
	report = suite.RunIn(t.Context(), tree, change)
	require.Len(t, report.PassedTests, 4, "the twin: what was compiled is tested")
	require.Empty(t, report.Notice)

	tools.built.Keep(tree.Dir(), "another", compilation{left: []string{"example.com/m/b"}})
	require.Len(t, suite.RunIn(t.Context(), tree, change).PassedTests, 4, "it was another tree")
}

func TestCompilable_KeepsTheTimeThatCompilingLeft(t *testing.T) {
	t.Parallel()
	tree := module(t)
	tools := toolsFor(machine())
	tools.known, tools.built = &listings{}, &tool.PerTree[compilation]{}
	suite := newTest(tools, time.Hour)
	change := gate.Scope{Changed: []string{"b/b.go"}, Reach: gate.ReachWide}
	require.Len(t, suite.RunIn(t.Context(), tree, change).PassedTests, 3)
	_, state := tools.packages(t.Context(), tree, tools.patterns(t.Context(), tree))
	tools.built.Keep(tree.Dir(), state, compilation{spent: time.Hour})
	report := suite.RunIn(t.Context(), tree, change)
	require.Equal(t, []string{"example.com/m/b.Test_b"}, report.PassedTests)
	require.Equal(t, gate.Pass, report.Verdict)
}

// A suite is run with the packages as the user's own go test has compiled them: only the witness is compiled beside them.
func TestGoTests_UsesWhatTheUserHasCompiled(t *testing.T) {
	t.Parallel()
	tree := write(t, "-- a.go --\npackage a\n\nvar Made = \""+t.TempDir()+"\"\n"+passes+code[len("-- a.go --\npackage a\n"):]) // no earlier test has compiled it
	tools := t.TempDir()
	log, watch := filepath.Join(tools, "log"), filepath.Join(tools, "watch")
	testkit.WriteProgram(t, watch, "#!/bin/sh\necho \"$@\" >>'"+log+"'\nexec \"$@\"\n")
	environ := append(os.Environ(), "GOPROXY=off", "GOFLAGS=-toolexec="+watch)
	compiled := func(what func()) (packages []string) {
		require.NoError(t, os.WriteFile(log, nil, 0o600))
		what()
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		for _, m := range regexp.MustCompile(`(?m)/compile -o .* -p (\S+) `).FindAllStringSubmatch(string(text), -1) {
			packages = append(packages, m[1])
		}
		return packages
	}
	gates := func() {
		report := run(t, sandbox.New(sandbox.Options{Environ: environ}), "go test", tree)
		require.Equal(t, "1 test passed in 1 package", report.Summary)
	}
	require.Contains(t, compiled(func() {
		user := exec.CommandContext(t.Context(), "go", "test", ".")
		user.Dir, user.Env = tree.Dir(), environ
		require.NoError(t, user.Run())
	}), "m")
	require.Equal(t, []string{"m_test", "main"}, compiled(gates))

	text, err := os.ReadFile(filepath.Join(tree.Dir(), "a.go"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(tree.Dir(), "a.go"), []byte(strings.Replace(string(text), "Made", "Remade", 1)), 0o600))
	require.Contains(t, compiled(gates), "m", "the twin: what has changed is compiled")
}
