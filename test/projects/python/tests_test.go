package python_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/python"
	"forge/engine/sandbox"
	"forge/internal/testkit"
)

// The tests, by the pytest that is really there: honest projects, and those that only look as if they had passed.
func TestPytest_JudgesHonestAndForgedProjects(t *testing.T) {
	t.Parallel()
	for name, test := range testkit.SampleMap(4, map[string]struct {
		tree             string
		verdict          gate.Verdict
		executed, passed int
		want             string // the findings, or the summary where there are none
	}{
		"passes":              {code + passes, gate.Pass, 1, 1, "1 test passed"},
		"fails":               {code + strings.Replace(passes, "== 3", "== 4", 1), gate.Fail, 1, 0, "test_calc.py:5 [test] {test_calc.test_add} assert 3 == 4\n"},
		"no tests":            {code, gate.NotRun, 0, 0, "no tests"},
		"all skipped":         {"-- test_a.py --\nimport pytest\n\n@pytest.mark.skip\ndef test_a(): pass\n", gate.NotRun, 0, 0, "no tests were executed: 1 test skipped"},
		"one skipped":         {code + passes + "-- test_b.py --\nimport pytest\n\ndef test_b(): pytest.skip('x')\n", gate.Pass, 1, 1, "1 test passed, 1 skipped"},
		"src layout":          {"-- src/p/__init__.py --\nX = 1\n-- tests/test_p.py --\nimport subprocess, sys\nfrom p import X\n\ndef test_p(): assert X == 1\n\ndef test_child(): subprocess.run([sys.executable, '-c', 'import p'], check=True)\n", gate.Pass, 2, 2, "2 tests passed"},
		"imports what is not": {code + passes + "-- test_new.py --\nfrom calc import sub\n\ndef test_sub(): assert sub(2, 1) == 1\n", gate.Fail, 1, 1, "test_new.py:1 [import] ImportError: cannot import name 'sub' from 'calc' (calc.py)\n"},
		"code does not compile": {
			"-- calc.py --\ndef add(a, b)\n" + passes, gate.Fail, 0, 0, "calc.py:1 [syntax] SyntaxError: expected ':'\n",
		},
		"sys.exit in a module":       {code + passes + "-- test_b.py --\nimport sys\nsys.exit(0)\n", gate.Fail, 0, 0, "test_b.py:2 [session] pytest broke on it: SystemExit: 0\n"},
		"os._exit in a module":       {code + passes + "-- test_b.py --\nimport os\nos._exit(0)\n", gate.Fail, 0, 0, "test_b.py:2 [session] the process ended before its tests had: something ends it, such as os._exit\n"},
		"os._exit in a test":         {code + "-- test_b.py --\nimport os\n\ndef test_b(): os._exit(0)\n", gate.Fail, 0, 0, "test_b.py:3 [test] {test_b.test_b} the test was started and did not end: the process ended before its tests had: something ends it, such as os._exit\n"},
		"os._exit in a conftest":     {code + passes + "-- conftest.py --\nimport os\nos._exit(0)\n", gate.Fail, 0, 0, "conftest.py:2 [session] the process ended before its tests had: something ends it, such as os._exit\n"},
		"sys.exit in a conftest":     {code + passes + "-- conftest.py --\nimport sys\nsys.exit(0)\n", gate.Fail, 0, 0, "conftest.py:2 [session] the run ended with SystemExit: 0 before its tests had\n"},
		"pytest.exit":                {"-- test_b.py --\nimport pytest\n\ndef test_a(): pass\n\ndef test_b(): pytest.exit('x', returncode=0)\n\ndef test_c(): assert 0\n", gate.Fail, 1, 1, "test_b.py:5 [test] {test_b.test_b} the test was started and did not end: the run ended after 1 of 3 tests: something ends it, such as pytest.exit\n"},
		"failures are hidden":        {"-- test_b.py --\ndef test_b(): assert 0\n-- conftest.py --\nimport atexit, os\n\ndef pytest_sessionfinish(session): session.exitstatus = 0\n\natexit.register(os._exit, 0)\n", gate.Fail, 1, 0, "test_b.py:1 [test] {test_b.test_b} assert 0\n"},
		"a pytest.py of the project": {"-- test_b.py --\ndef test_b(): assert 0\n-- pytest.py --\nraise SystemExit(0)\n", gate.Fail, 1, 0, "test_b.py:1 [test] {test_b.test_b} assert 0\n"},
		"a json.py of the project":   {"-- test_b.py --\ndef test_b(): assert 0\n-- json.py --\nraise SystemExit(0)\n", gate.Fail, 1, 0, "test_b.py:1 [test] {test_b.test_b} assert 0\n"},
		"options that leave tests out do not hide failures": {
			"-- pytest.ini --\n[pytest]\naddopts = -q -x --tb=no --junitxml=report.xml\n-- test_b.py --\ndef test_a(): assert 0\n\ndef test_b(): assert 0\n", gate.Fail, 2, 0,
			"test_b.py:1 [test] {test_b.test_a} assert 0\ntest_b.py:3 [test] {test_b.test_b} assert 0\n",
		},
		"hashes do not change": {"-- test_b.py --\ndef test_b(): assert hash('a') == 4644230792151766094 or hash('a') % 2 in (0, 1)\n\ndef test_c():\n    import os\n    assert os.environ['PYTHONHASHSEED'] == '0'\n", gate.Pass, 2, 2, "2 tests passed"},
	}, "passes", "fails") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := run(t, "python test", write(t, test.tree))
			require.Equal(t, test.verdict.String(), report.Verdict.String(), "%s\n%s", report.Summary, report.Output)
			require.Equal(t, [2]int{test.executed, test.passed}, [2]int{report.Executed, report.Passed}, "executed, passed\n%s", report.Output)
			require.Len(t, report.PassedTests, report.Passed)
			require.True(t, report.Tests)
			if test.verdict == gate.Fail {
				require.Equal(t, test.want, show(report.Findings))
			} else {
				require.Equal(t, test.want, report.Summary)
			}
		})
	}
}

// Settings may name what pytest keeps from run to run. Here it keeps nothing, leaves no test out for it, and runs on after a failure.
func TestPytest_UnderstandsSettingsOfItsCache(t *testing.T) {
	t.Parallel()
	for name, settings := range testkit.SampleMap(0, map[string]string{
		"order":           "addopts = --ff --nf --cache-clear",
		"the last ones":   "addopts = --lf --lfnf=none",
		"stepwise":        "addopts = --sw",
		"side by side":    "addopts = -n 2 --sw --lf",
		"a folder":        "addopts = --strict-config\ncache_dir = kept\nfilterwarnings = error",
		"no cache":        "addopts = -p no:cacheprovider --strict-config\nfilterwarnings = error",
		"no other plugin": "addopts = -p no:xdist",
	}, "stepwise", "a folder") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tree := write(t, "-- pytest.ini --\n[pytest]\n"+settings+"\n-- test_b.py --\ndef test_a(): assert 0\n\ndef test_b(request):\n    cache = getattr(request.config, 'cache', None)\n    assert cache is None or not cache.set('a/b', 1) and cache.get('a/b', 0)\n")
			for range 2 {
				report := run(t, "python test", tree)
				require.Equal(t, gate.Fail.String(), report.Verdict.String(), "%s\n%s", report.Summary, report.Output)
				require.Equal(t, "test_b.py:1 [test] {test_b.test_a} assert 0\n", show(report.Findings))
				require.Equal(t, []string{"test_b.test_b"}, report.PassedTests)
			}
			alone := only(t, tree, false, "test_b.test_b")
			require.Equal(t, gate.Pass.String(), alone.Verdict.String(), "%s\n%s", alone.Summary, alone.Output)
			require.NoDirExists(t, filepath.Join(tree.Dir(), "kept"))
			require.NoDirExists(t, filepath.Join(tree.Dir(), ".pytest_cache"))
		})
	}
}

// without is an environment with Python and nothing else.
func without(t *testing.T, d dir) dir {
	t.Helper()
	home := t.TempDir()
	env := sandbox.New(sandbox.Options{Environ: os.Environ()})
	result, err := env.Run(t.Context(), sandbox.Command{
		Argv: []string{filepath.Join(environment, "bin", "python3"), "-m", "venv", "--without-pip", filepath.Join(home, "env")}, Dir: home,
	})
	require.NoError(t, err)
	require.Zero(t, result.ExitCode, string(result.Stderr))
	require.NoError(t, os.Symlink(filepath.Join(home, "env"), filepath.Join(d.Dir(), ".venv")))
	return d
}

// Without pytest, unittest runs its own tests, and a report says that plain functions need pytest.
func TestUnittest_RunsWithoutPytest(t *testing.T) {
	t.Parallel()
	class := func(body string) string {
		return "-- tests/__init__.py --\n-- tests/test_t.py --\nimport os\nimport sys\nimport unittest\n\nfrom calc import add\n\n\nclass T(unittest.TestCase):\n" + body
	}
	good := "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n"
	for name, test := range testkit.SampleMap(3, map[string]struct {
		tree             string
		verdict          gate.Verdict
		executed, passed int
		want             string
	}{
		"passes":             {code + class(good), gate.Pass, 1, 1, "1 test passed"},
		"fails":              {code + class(good+"\n    def test_bad(self):\n        self.assertEqual(add(1, 2), 4)\n"), gate.Fail, 2, 1, "tests/test_t.py:13 [test] {tests.test_t.T.test_bad} AssertionError: 3 != 4\n"},
		"raises in the code": {strings.Replace(code, "return a + b", "raise KeyError(a)", 1) + class(good), gate.Fail, 1, 0, "tests/test_t.py:10 [test] {tests.test_t.T.test_add} KeyError: 1\n"},
		"subtests":           {code + class("    def test_s(self):\n        for i in range(3):\n            with self.subTest(i=i):\n                self.assertNotEqual(i, 1)\n"), gate.Fail, 1, 0, "tests/test_t.py:12 [test] {tests.test_t.T.test_s} AssertionError: 1 == 1\n"},
		"skips":              {code + class("    @unittest.skip('x')\n    def test_s(self):\n        pass\n"), gate.NotRun, 0, 0, "no tests were executed: 1 test skipped"},
		"expects failures":   {code + class("    @unittest.expectedFailure\n    def test_s(self):\n        self.fail()\n"+good), gate.Pass, 1, 1, "1 test passed, 1 skipped"},
		"without a package":  {code + strings.Replace(class(good), "-- tests/__init__.py --\n", "", 1), gate.Pass, 1, 1, "1 test passed"},
		"imports what is not, without a package": {
			strings.Replace(code, "def add", "def sub", 1) + strings.Replace(class(good), "-- tests/__init__.py --\n", "", 1),
			gate.Fail, 0, 0, "tests/test_t.py:5 [import] ImportError: cannot import name 'add' from 'calc' (calc.py)\n",
		},
		"skips a class":          {code + class("    @classmethod\n    def setUpClass(cls):\n        raise unittest.SkipTest('x')\n\n"+good), gate.NotRun, 0, 0, "no tests were executed: 1 test skipped"},
		"setUpClass":             {code + class("    @classmethod\n    def setUpClass(cls):\n        raise RuntimeError('x')\n\n"+good), gate.Fail, 0, 0, "tests/test_t.py:11 [test] {setUpClass (tests.test_t.T)} RuntimeError: x\n"},
		"imports what is not":    {strings.Replace(code, "def add", "def sub", 1) + class(good), gate.Fail, 0, 0, "tests/test_t.py:5 [import] ImportError: cannot import name 'add' from 'calc' (calc.py)\n"},
		"code does not compile":  {"-- calc.py --\ndef add(a, b)\n" + class(good), gate.Fail, 0, 0, "calc.py:1 [syntax] SyntaxError: expected ':'\n"},
		"os._exit":               {code + class("    def test_e(self):\n        os._exit(0)\n"), gate.Fail, 0, 0, "tests/test_t.py:9 [test] {tests.test_t.T.test_e} the test was started and did not end: the process ended before its tests had: something ends it, such as os._exit\n"},
		"sys.exit in a module":   {code + class(good) + "-- tests/test_u.py --\nimport sys\nsys.exit(0)\n", gate.Fail, 1, 1, "tests/test_u.py:2 [collect] SystemExit: 0\n"},
		"functions need pytest":  {code + passes, gate.NotRun, 0, 0, "no tests; those that are plain functions need pytest: uv pip install pytest"},
		"tests that want pytest": {code + passes + "-- test_b.py --\nimport pytest\n", gate.NotRun, 0, 0, "pytest is not installed; `uv pip install pytest` installs it"},
		"a project that does":    {code + class(good) + "-- pytest.ini --\n[pytest]\n", gate.NotRun, 0, 0, "pytest is not installed; `uv pip install pytest` installs it"},
	}, "passes", "fails") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := run(t, "python test", without(t, bare(t, test.tree)))
			require.Equal(t, test.verdict.String(), report.Verdict.String(), "%s\n%s", report.Summary, report.Output)
			require.Equal(t, [2]int{test.executed, test.passed}, [2]int{report.Executed, report.Passed}, "executed, passed\n%s", report.Output)
			if test.verdict == gate.Fail {
				require.Equal(t, test.want, show(report.Findings))
			} else {
				require.Equal(t, test.want, report.Summary)
				require.Equal(t, strings.HasPrefix(name, "tests that") || strings.HasPrefix(name, "a project"), !report.Empty && report.Verdict == gate.NotRun)
			}
		})
	}
}

// The whole way of tests first: red, and then green.
func TestPytest_FailingTestThenPassing(t *testing.T) {
	t.Parallel()
	added := "-- test_sub.py --\nfrom calc import sub\n\n\ndef test_sub() -> None:\n    assert sub(2, 1) == 1\n"
	before := run(t, "python test", write(t, code+passes))
	require.Equal(t, gate.Pass, before.Verdict, before.Summary)

	red := run(t, "python test", write(t, code+passes+added))
	ok, reason := python.Red(before, red)
	require.True(t, ok, reason)

	broken := run(t, "python test", write(t, strings.Replace(code, "return", "return (", 1)+passes+added))
	ok, reason = python.Red(before, broken)
	require.False(t, ok)
	require.Contains(t, reason, "the code outside of the tests does not compile: calc.py:6")

	green := run(t, "python test", write(t, code+"\n\ndef sub(a: int, b: int) -> int:\n    return a - b\n"+passes+added))
	require.Equal(t, gate.Pass, green.Verdict, green.Summary)
	require.Equal(t, []string{"test_calc.test_add", "test_sub.test_sub"}, green.PassedTests)
	ok, _ = python.Red(before, green)
	require.False(t, ok, "green is not red")
	require.True(t, gate.Open(gate.Baseline([]gate.Report{before}, []gate.Report{green})))
}

// A test that is skipped or deleted, or that an exit leaves out, is missed.
func TestPytest_DetectsMissingTests(t *testing.T) {
	t.Parallel()
	second := "-- test_b.py --\nimport pytest\n\ndef test_b(): assert 0\n"
	before := []gate.Report{run(t, "python test", write(t, code+passes+second))}
	for name, after := range testkit.SampleMap(2, map[string]string{
		"skipped":   strings.Replace(second, "def", "@pytest.mark.skip\ndef", 1),
		"xfail":     strings.Replace(second, "def", "@pytest.mark.xfail\ndef", 1),
		"deleted":   "",
		"hidden":    second + "-- conftest.py --\ncollect_ignore = ['test_b.py']\n",
		"not found": strings.Replace(second, "def test_b", "def check_b", 1),
	}) {
		charged := gate.Baseline(before, []gate.Report{run(t, "python test", write(t, code+passes+after))})
		require.Equal(t, gate.Fail, charged[0].Verdict, name)
		require.Contains(t, charged[0].Summary, "1 test fewer executed", name)
	}
	same := gate.Baseline(before, []gate.Report{run(t, "python test", write(t, code+passes+second))})
	require.Equal(t, gate.Pass, same[0].Verdict, "what failed before is not charged")
}

// Code under test that writes what Forge's own runner would, and ends the process well: what it says is not believed.
func TestPythonReports_ForgedPassIsRejected(t *testing.T) {
	t.Parallel()
	const (
		tests = "-- test_calc.py --\nfrom calc import add\n\ndef test_add(): assert add(1, 2) == 3\n"
		// folder finds where the runner writes, in any way there is.
		folder = "import json, os, sys\nwords = open('/proc/self/cmdline').read().split('\\0') + sys.argv\noutside = [w for w in words if os.path.isfile(os.path.join(w, 'run.py'))][0]\n"
		lines  = "for line in [dict(what='runner', name='pytest'), dict(what='collected', count=1), dict(what='start', id='test_calc.py::test_add'), dict(what='end', id='test_calc.py::test_add'), dict(what='exit', code=0)]:\n" +
			"    open(os.path.join(outside, 'witness'), 'a').write(json.dumps(line) + '\\n')\n"
		report = "open(os.path.join(outside, 'junit.xml'), 'w').write('<testsuites><testsuite><testcase classname=\"test_calc\" name=\"test_add\" file=\"test_calc.py\" line=\"2\"/></testsuite></testsuites>')\n"
	)
	for name, code := range map[string]string{
		"written":             folder + lines + report + "os._exit(0)\n",
		"written by its name": folder + "import __main__\n__main__.say('exit', code=0)\n" + lines + report + "os._exit(0)\n",
		"the report alone":    folder + "import atexit\n" + "def forge():\n    " + report + "    os._exit(0)\natexit.register(forge)\ndef add(a, b): return 0\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := run(t, "python test", write(t, "-- calc.py --\n"+code+tests))
			require.NotEqual(t, gate.Pass, got.Verdict, got.Output)
			require.Empty(t, got.PassedTests)
		})
	}
}
