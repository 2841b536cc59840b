package golang

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/internal/testkit"
)

// Tests that failed are run again alone: themselves, or with their packages. A finding outside of the tree needs all
// tests.
func TestAlone_RunsTheseTestsOnly(t *testing.T) {
	t.Parallel()
	log := filepath.Join(t.TempDir(), "log")
	noted := func(pkg string, names ...string) string {
		var b strings.Builder
		b.WriteString("package " + pkg + "\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n")
		for _, name := range names {
			b.WriteString("\nfunc " + name + "(t *testing.T) {\n\tt.Run(\"in a (b)\", func(t *testing.T) {\n\t\tf, _ := os.OpenFile(\"" + log + "\", os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)\n" +
				"\t\t_, _ = f.WriteString(t.Name() + \" \")\n\t\t_ = f.Close()\n\t})\n}\n")
		}
		return b.String()
	}
	tree := write(t, archive(map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "a/a_test.go": noted("a", "TestA", "TestAB", "TestC"), "a.b/d_test.go": noted("ab", "TestD", "TestE"), "e/e_test.go": noted("e", "TestA"),
	}))
	suite := gateNamed("go test")
	for _, c := range testkit.Sample(3, []struct {
		name     string
		scope    gate.Scope
		ran      string
		executed int
	}{
		{"one test", gate.Scope{Only: []string{"example.com/m/a.TestA"}}, "TestA/in_a_(b)", 2},
		{"a part of a test", gate.Scope{Only: []string{"example.com/m/a.TestA/in_a_(b)"}}, "TestA/in_a_(b)", 2},
		{"of two packages", gate.Scope{Only: []string{"example.com/m/a.TestC", "example.com/m/a.b.TestD"}}, "TestC/in_a_(b) TestD/in_a_(b)", 4},
		{"their packages", gate.Scope{Only: []string{"example.com/m/a.b.TestD"}, Files: true}, "TestD/in_a_(b) TestE/in_a_(b)", 4},
		{"of no package", gate.Scope{Only: []string{"example.com/other.TestD"}}, "TestA/in_a_(b) TestA/in_a_(b) TestAB/in_a_(b) TestC/in_a_(b) TestD/in_a_(b) TestE/in_a_(b)", 12},
	}) {
		report := gate.RunIn(t.Context(), suite, tree, c.scope)
		require.Equal(t, "pass", report.Verdict.String(), "%s: %s\n%s", c.name, report.Summary, report.Output)
		require.Equal(t, c.executed, report.Executed, c.name)
		text, err := os.ReadFile(log)
		require.NoError(t, err)
		require.ElementsMatch(t, strings.Fields(c.ran), strings.Fields(string(text)), c.name)
		require.NoError(t, os.Remove(log))
		for _, arg := range report.Command {
			require.NotRegexp(t, "(Fuzz|Test)Forge", arg, "it is no test of the user's")
		}
		if len(c.scope.Only) == 1 && c.executed < 12 {
			require.True(t, gate.Conclusive(report, c.scope.Only), c.name)
		}
	}
}

// The go command remembers that a test passed, and does not see that a file outside of the module is gone since.
func TestUncached_IgnoresWhatTheGoCommandRemembers(t *testing.T) {
	t.Parallel()
	service := filepath.Join(t.TempDir(), "service")
	require.NoError(t, os.WriteFile(service, nil, 0o600))
	tree := write(t, archive(map[string]string{
		"go.mod":    "module example.com/m\n\ngo 1.24\n",
		"m_test.go": "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestM(t *testing.T) {\n\tif _, err := os.Stat(\"" + service + "\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n",
	}))
	suite := gateNamed("go test")
	verdict := func(scope gate.Scope) string { return gate.RunIn(t.Context(), suite, tree, scope).Verdict.String() }
	require.Equal(t, "pass", verdict(gate.Scope{}))
	require.NoError(t, os.Remove(service))
	require.Equal(t, "pass", verdict(gate.Scope{}), "from the cache")
	require.Equal(t, "fail", verdict(gate.Scope{Uncached: true}))
}

// A test that replaces the flags of the process leaves flags that are not parsed, before which package testing runs no fuzz test.
func TestWitness_RunsAfterTestsThatReplaceTheFlags(t *testing.T) {
	t.Parallel()
	tree := write(t, archive(map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n",
		"m_test.go": "package m\n\nimport (\n\t\"flag\"\n\t\"testing\"\n)\n\nvar witness = flag.ExitOnError\n\n" +
			"func TestM(t *testing.T) {\n\tt.Run(\"in\", func(t *testing.T) { flag.CommandLine = flag.NewFlagSet(\"m\", witness) })\n}\n\nfunc TestForge(t *testing.T) {}\n",
	}))
	for _, scope := range []gate.Scope{{}, {Only: []string{"example.com/m.TestM", "example.com/m.TestForge"}}} {
		report := gate.RunIn(t.Context(), gateNamed("go test"), tree, scope)
		require.Equal(t, "pass", report.Verdict.String(), "%s\n%s", report.Summary, report.Output)
		require.Equal(t, 3, report.Executed)
		require.NotRegexp(t, "(Fuzz|Test)Forge[0-9a-f]", report.Output)
		require.Len(t, report.PassedTests, 3)
	}
}
