package python_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/python"
	"forge/engine/sandbox"
	"forge/internal/testkit"
)

// only runs some tests of a tree alone.
func only(t *testing.T, tree gate.Tree, files bool, tests ...string) gate.Report {
	t.Helper()
	return inScope(t, tree, gate.Scope{Only: tests, Files: files})
}

// suite is a project with tests of each kind that has a name of its own.
const suite = `-- pyproject.toml --
[tool.pytest.ini_options]
-- tests/__init__.py --
-- tests/test_a.py --
import pytest

@pytest.mark.parametrize('x', ['1', 'a::b', 'c.d [e]'])
def test_x(x): pass

class TestC:
    def test_y(self): pass

def test_z(): assert 0
-- tests/test_b.py --
import unittest

class T(unittest.TestCase):
    def test_u(self): pass
    def test_v(self): pass
`

// Tests are run again alone by the names that a report has of them, or with their files.
func TestPytest_RunsTestsAlone(t *testing.T) {
	t.Parallel()
	tree := write(t, suite)
	whole := run(t, "python test", tree)
	require.Equal(t, [2]int{7, 6}, [2]int{whole.Executed, whole.Passed}, whole.Output)
	for _, test := range testkit.Sample(2, whole.PassedTests) {
		report := only(t, tree, false, test)
		require.Equal(t, []string{test}, report.PassedTests, "%s\n%s", report.Summary, report.Output)
		require.Equal(t, 1, report.Executed)
		require.True(t, gate.Conclusive(report, []string{test}))
	}
	report := only(t, tree, false, "tests.test_a.test_z", "tests.test_b.T.test_u")
	require.Equal(t, [2]int{2, 1}, [2]int{report.Executed, report.Passed}, report.Output)
	require.Equal(t, "tests.test_a.test_z", report.Findings[0].Test)
	report = only(t, tree, true, "tests.test_b.T.test_u")
	require.Equal(t, []string{"tests.test_b.T.test_u", "tests.test_b.T.test_v"}, report.PassedTests)
	report = only(t, tree, false, "tests.test_b.T.test_gone")
	require.False(t, gate.Conclusive(report, []string{"tests.test_b.T.test_gone"}), "%v: %s", report.Verdict, report.Summary)
}

func TestUnittest_RunsTestsAlone(t *testing.T) {
	t.Parallel()
	tree := bare(t, "-- tests/__init__.py --\n-- tests/test_b.py --\nimport unittest\n\nclass T(unittest.TestCase):\n    def test_u(self): pass\n    def test_v(self): self.fail()\n")
	whole := run(t, "python test", tree)
	require.Equal(t, 2, whole.Executed, whole.Output)
	require.Equal(t, []string{"tests.test_b.T.test_u"}, whole.PassedTests)
	report := only(t, tree, false, whole.PassedTests...)
	require.Equal(t, whole.PassedTests, report.PassedTests, "%s\n%s", report.Summary, report.Output)
	require.Equal(t, gate.Pass.String(), report.Verdict.String())
}

// parallel are the settings of a project that runs its tests side by side.
const parallel = "-- pytest.ini --\n[pytest]\naddopts = -n 3 -q\n"

// Tests run in parallel if the project says so, and each is reported as if they ran one by one.
func TestPytest_KeepsWorkersOfTheProject(t *testing.T) {
	t.Parallel()
	pids := filepath.Join(t.TempDir(), "pids")
	require.NoError(t, os.Mkdir(pids, 0o700))
	note := "import os, time\n\ndef note(name):\n    open(os.path.join(" + strconv.Quote(pids) + ", name), 'w').write(str(os.getpid()))\n" +
		"    until = time.monotonic() + 60\n    while len(os.listdir(" + strconv.Quote(pids) + ")) < 3 and time.monotonic() < until: time.sleep(0.01)\n"
	tests := "-- note.py --\n" + note + "-- test_b.py --\nfrom note import note\n\ndef test_a(): note('a')\n\ndef test_b(): note('b')\n\ndef test_c():\n    note('c')\n    assert 0\n"
	report := run(t, "python test", write(t, parallel+tests))
	require.Equal(t, "test_b.py:9 [test] {test_b.test_c} assert 0\n", show(report.Findings), "%s\n%s", report.Summary, report.Output)
	require.Equal(t, []string{"test_b.test_a", "test_b.test_b"}, report.PassedTests)
	require.Equal(t, 3, report.Executed)
	seen := map[string]bool{}
	for _, name := range []string{"a", "b", "c"} { // none of them ends before all have begun
		text, err := os.ReadFile(filepath.Join(pids, name))
		require.NoError(t, err)
		seen[string(text)] = true
	}
	require.Len(t, seen, 3, "three processes")
}

// A test that ends a worker, or changes what judges tests in it, is no pass.
func TestPytest_WorkerThatDiesIsNoPass(t *testing.T) {
	t.Parallel()
	for name, test := range testkit.SampleMap(0, map[string]struct{ tests, want string }{
		"a worker is ended":    {"import os\n\ndef test_a(): pass\n\ndef test_b(): os._exit(0)\n", "test_b.test_b"},
		"a worker is killed":   {"import os, signal\n\ndef test_a(): pass\n\ndef test_b(): os.kill(os.getpid(), signal.SIGKILL)\n", "test_b.test_b"},
		"pytest.exit":          {"import pytest\n\ndef test_a(): pass\n\ndef test_b(): pytest.exit('x', returncode=0)\n", ""},
		"unittest is replaced": {"import unittest\n\nunittest.TestCase.assertEqual = lambda *a: None\n\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(1, 2)\n", "TestCase.assertEqual"},
	}, "a worker is killed") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := run(t, "python test", write(t, parallel+"-- test_b.py --\n"+test.tests))
			require.NotEqual(t, gate.Pass.String(), report.Verdict.String(), "%s\n%s", report.Summary, report.Output)
			if test.want != "" {
				require.Equal(t, gate.Fail.String(), report.Verdict.String(), report.Summary)
				require.Contains(t, show(report.Findings), test.want)
			}
			require.NotContains(t, report.PassedTests, "test_b.test_b")
		})
	}
}

// Tests that are run again alone are not run side by side.
func TestPytest_RunsTestsAloneWithoutWorkers(t *testing.T) {
	t.Parallel()
	tree := write(t, parallel+"-- test_b.py --\nimport os\n\ndef test_a(): assert 'PYTEST_XDIST_WORKER' not in os.environ\n")
	require.Equal(t, gate.Fail.String(), run(t, "python test", tree).Verdict.String(), "it runs in a worker otherwise")
	report := only(t, tree, false, "test_b.test_a")
	require.Equal(t, gate.Pass.String(), report.Verdict.String(), report.Output)
}

// The chosen tests are a subset of what pytest collects itself: a file that the project ignores stays out, and so does
// one next to it.
func TestPytest_RunsCollectedTestsOfAChange(t *testing.T) {
	t.Parallel()
	tree := write(t, `-- pyproject.toml --
[tool.pytest.ini_options]
addopts = "--ignore=tests/test_old.py"
-- conftest.py --
collect_ignore = ["tests/test_new.py"]
-- m.py --
X = 1
-- tests/test_m.py --
from m import X
def test_m(): assert X == 1
-- tests/test_new.py --
from m import X
def test_new(): assert 0
-- tests/test_old.py --
from m import X
def test_old(): assert 0
-- tests/test_other.py --
def test_other(): pass
`)
	for _, reach := range []gate.Reach{gate.ReachNear, gate.ReachWide} {
		report := inScope(t, tree, gate.Scope{Changed: []string{"m.py"}, Reach: reach})
		require.Equal(t, []string{"tests.test_m.test_m"}, report.PassedTests, "%s\n%s", report.Summary, report.Output)
		require.Equal(t, gate.Pass.String(), report.Verdict.String())
	}
	whole := run(t, "python test", tree)
	require.Equal(t, []string{"tests.test_m.test_m", "tests.test_other.test_other"}, whole.PassedTests)
}

// Examples in the documentation of a module are tests of it.
func TestPytest_RunsExamplesOfChangedFiles(t *testing.T) {
	t.Parallel()
	tree := write(t, `-- pyproject.toml --
[tool.pytest.ini_options]
addopts = "--doctest-modules -n2"
-- m.py --
def f():
    """
    >>> f()
    1
    """
    return 2
-- n.py --
"""
>>> 1
1
"""
-- test_n.py --
def test_n(): pass
`)
	report := inScope(t, tree, gate.Scope{Changed: []string{"m.py"}, Reach: gate.ReachNear})
	require.Equal(t, gate.Fail, report.Verdict, report.Output)
	require.Equal(t, 1, report.Executed, report.Output)
}

func inScope(t *testing.T, tree gate.Tree, scope gate.Scope) gate.Report {
	t.Helper()
	for _, g := range python.Language(machine()).Gates {
		if g.Name() == "python test" {
			return gate.RunIn(t.Context(), g, tree, scope)
		}
	}
	t.Fatal("no gate of tests")
	return gate.Report{}
}

// chain is a project in which tests use a module at different distances.
const chain = `-- pyproject.toml --
[tool.pytest.ini_options]
-- core.py --
X = 1
-- api.py --
from core import X
-- tests/test_app.py --
from api import X
import pytest

@pytest.fixture(scope='module')
def opened():
    yield
    print('closed')

def test_app(opened): pass
def test_app_again(opened): pass
-- tests/test_core.py --
from core import X
def test_core(): assert X == 1
-- tests/test_other.py --
def test_other(): pass
`

func TestPytest_RunsTestsThatUseAChangeThroughOthersLast(t *testing.T) {
	t.Parallel()
	tree := write(t, chain)
	report := inScope(t, tree, gate.Scope{Changed: []string{"core.py"}, Reach: gate.ReachWide})
	require.Equal(t, []string{"tests.test_app.test_app", "tests.test_app.test_app_again", "tests.test_core.test_core"}, report.PassedTests, report.Output)
	require.Equal(t, []string{"tests.test_app.test_app", "tests.test_app.test_app_again"}, report.PassedBeyond)
	require.True(t, report.Part)
	require.Zero(t, report.Unreached)
	require.Regexp(t, `(?s)test_core\.py .*test_app\.py `, report.Output, "the nearest first")
}

// Where the time is up, no further test of them is begun; those that were begun end, and what they share is closed.
func TestPytest_LeavesOutWhatThereIsNoTimeFor(t *testing.T) {
	t.Parallel()
	tree := write(t, chain)
	guard, err := filepath.Abs("../../../engine/gate/python/guard.py")
	require.NoError(t, err)
	const script = `import importlib.util, itertools, sys, pytest
spec = importlib.util.spec_from_file_location("guard", sys.argv[1])
guard = importlib.util.module_from_spec(spec)
spec.loader.exec_module(guard)
class Slow(guard.Later):
    clock = itertools.count()
    def pytest_runtest_protocol(self, item, nextitem):
        return super().pytest_runtest_protocol(item, nextitem, now=lambda: next(self.clock))
later = Slow([sys.argv[2]], 2)
code = pytest.main(["-q", "-s", "--no-header", "-rA"], plugins=[later])
print("code %d, left %d" % (code, later.left))
`
	result, err := machine().Run(t.Context(), sandbox.Command{Dir: tree.Dir(), Argv: []string{
		filepath.Join(environment, "bin", "python"), "-B", "-c", script, guard, filepath.Join(tree.Dir(), "tests", "test_app.py"),
	}})
	require.NoError(t, err)
	output := string(result.Stdout)
	require.Contains(t, output, "code 0, left 1", string(result.Stderr))
	require.Contains(t, output, "3 passed")
	require.Contains(t, output, "closed")
	require.NotContains(t, output, "test_app_again")
}

// The run states how many tests it left out, also where xdist is installed and the project starts no workers: else it would count as one that
// something has ended.
func TestPytest_CountsWhatThereIsNoTimeFor(t *testing.T) {
	t.Parallel()
	gates, err := filepath.Abs("../../../engine/gate/python")
	require.NoError(t, err)
	guard, err := os.ReadFile(filepath.Join(gates, "guard.py"))
	require.NoError(t, err)
	for name, settings := range map[string]string{"no workers": "", "workers": "addopts = '-n1'\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := write(t, strings.Replace(chain, "[tool.pytest.ini_options]\n", "[tool.pytest.ini_options]\n"+settings, 1))
			later := filepath.Join(tree.Dir(), "tests", "test_app.py")
			outside := write(t, "-- files --\n-- names --\n-- witness --\n-- later --\n0\n"+later+"\n-- guard/forge_guard.py --\n"+string(guard)).Dir()
			result, err := machine().Run(t.Context(), sandbox.Command{Dir: tree.Dir(), Argv: []string{
				filepath.Join(environment, "bin", "python"), "-B", filepath.Join(gates, "run.py"), outside, "pytest", tree.Dir(), tree.Dir(), "",
			}})
			require.NoError(t, err)
			witness, err := os.ReadFile(filepath.Join(outside, "witness"))
			require.NoError(t, err)
			require.Contains(t, string(witness), `{"count": 2, "what": "left"}`, "%s%s", result.Stdout, result.Stderr)
		})
	}
}
