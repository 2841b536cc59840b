package run

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// changed runs a scripted model that writes tests, and then code, and gives what the run says.
func (w *world) changed(tests [2]string, code ...[2]string) (exit int, stderr string) {
	w.t.Helper()
	entry := func(about string, files ...[2]string) string {
		var written []string
		for _, file := range files {
			text, err := json.Marshal(file[1])
			require.NoError(w.t, err)
			written = append(written, "{path: "+file[0]+", action: write, content: "+string(text)+"}")
		}
		return "- {match: {node: executor, contains: [" + about + "]}, times: -1, reply: {json: {explanation: " + files[0][0] + " calls it by its new name., patch: \"\", blocked: \"\", files: [" +
			strings.Join(written, ", ") + "]}}}\n"
	}
	script := filepath.Join(w.t.TempDir(), "script.yaml")
	require.NoError(w.t, os.WriteFile(script, []byte("entries:\n- {match: {node: orchestrator}, times: -1, reply: {json: {action: executor, reason: It is clear.}}}\n"+
		entry("You write tests", tests)+entry("You implement a change", code...)+
		"- {match: {node: debugger}, times: -1, reply: {json: {rootCause: r, hypotheses: [], fix: f, mustRead: [], strategy: s}}}\n"+
		"- {match: {node: review}, times: -1, reply: {json: {pass: true, reason: It is renamed., issues: []}}}\n"), 0o600))
	url, _ := model(w.t, script)
	c := exec.CommandContext(w.t.Context(), forge, "run", "--yes", "--trust", "greet is called hello from now on")
	c.Dir, c.Env = w.root, append(os.Environ(), "FORGE_HOME="+w.home, "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1", "FORGE_BASE_URL="+url)
	var said bytes.Buffer
	c.Stderr = &said
	err := c.Run()
	if stopped := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(w.t, err, &stopped)
	}
	return c.ProcessState.ExitCode(), said.String()
}

// A test file that imports a name which the change takes away cannot be loaded as it was. The tests in it that do not use the name pass as they were,
// and those that do are named, for they ask for something else now.
func TestRun_TakesARenameThatAFileOfTestsImports(t *testing.T) {
	t.Parallel()
	tests := func(name string) string {
		return "import m\nfrom m import " + name + "\n\n\ndef test_greets():\n    assert " + name + "() == 'hello'\n\n\ndef test_one():\n    assert m.ONE == 1\n\n\ndef test_two():\n    assert m.ONE + m.ONE == 2\n"
	}
	code := func(name string) string { return "ONE = 1\n\n\ndef " + name + "():\n    return 'hello'\n" }
	start := func(t *testing.T) *world {
		t.Helper()
		w := folder(t, map[string]string{"pyproject.toml": "[project]\nname = \"m\"\n[tool.pytest.ini_options]\n", "m.py": code("greet"), "tests/test_m.py": tests("greet")})
		w.environment(".venv")
		return w
	}
	w := start(t)
	exit, stderr := w.changed([2]string{"tests/test_m.py", tests("hello")}, [2]string{"m.py", code("hello")})
	require.Zero(t, exit, stderr)
	require.Contains(t, stderr, "1 existing test changed: tests.test_m.test_greets", "test_one and test_two were seen to pass as they were")

	if testing.Short() {
		return // TestAlters_IsWhatDoesNotStandApart and TestRun_AsksAboutAReplacedTest refuse a test that is weakened
	}
	w = start(t) // the twin: a test beside it is weakened
	weak := strings.Replace(tests("hello"), "m.ONE + m.ONE == 2", "m.ONE", 1)
	exit, stderr = w.changed([2]string{"tests/test_m.py", weak}, [2]string{"m.py", strings.Replace(code("hello"), "ONE = 1", "ONE = 3", 1)})
	require.Equal(t, 3, exit, stderr)
	require.Equal(t, tests("greet"), texts(t, w.root)["tests/test_m.py"])
}

// pytest that ends with an exception once all tests have ended, here for a file that a failing test leaves open, has seen them fail.
func TestRun_SeesTestsFailThatLeaveFilesOpen(t *testing.T) {
	t.Parallel()
	const leaves = "from m import %\n\n\ndef test_%():\n    opened = [open(__file__)]\n    opened.append(opened)\n    assert %() == 'hello'\n    opened[0].close()\n"
	w := folder(t, map[string]string{
		"pyproject.toml": "[project]\nname = \"m\"\n[tool.pytest.ini_options]\nfilterwarnings = [\"error\"]\n",
		"m.py":           "def greet():\n    return 'hello'\n\n\ndef hello():\n    return ''\n", "tests/test_m.py": strings.ReplaceAll(leaves, "%", "greet"),
	})
	w.environment(".venv")
	exit, stderr := w.changed([2]string{"tests/test_hello.py", strings.ReplaceAll(leaves, "%", "hello")},
		[2]string{"m.py", "def greet():\n    return 'hello'\n\n\ndef hello():\n    return 'hello'\n"})
	require.Zero(t, exit, stderr)
}

// A crate whose tests do not compile as they were, because one uses a name that the change takes away: the others are run without it.
func TestRun_TakesARenameThatTestsOfACrateUse(t *testing.T) {
	t.Parallel()
	tests := func(name string) string {
		return "use m::" + name + ";\nuse m::ONE;\n\n#[test]\nfn greets() {\n    assert_eq!(" + name + "(), \"hello\");\n}\n\n#[test]\nfn one() {\n    assert_eq!(ONE, 1);\n}\n"
	}
	code := func(name string) string {
		return "pub const ONE: i32 = 1;\n\npub fn " + name + "() -> &'static str {\n    \"hello\"\n}\n"
	}
	w := folder(t, map[string]string{
		"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\nedition = \"2021\"\n", "src/lib.rs": code("greet"), "tests/m.rs": tests("greet"),
		"tests/other.rs": "#[test]\nfn two() {\n    assert_eq!(m::ONE + m::ONE, 2);\n}\n",
	})
	exit, stderr := w.changed([2]string{"tests/m.rs", tests("hello")}, [2]string{"src/lib.rs", code("hello")})
	require.Zero(t, exit, stderr)
	require.Contains(t, stderr, "1 existing test changed: m::m greets")
}

// Cases whose names contain an address have another name each time, and are none that got lost or are new.
func TestRun_KeepsCasesWithRandomNames(t *testing.T) {
	t.Parallel()
	tests := "package m\n\nimport (\n\t\"fmt\"\n\t\"testing\"\n\t\"time\"\n)\n\nfunc TestOne(t *testing.T) {\n\tt.Run(fmt.Sprintf(\"0x%012x\", time.Now().UnixNano()), func(t *testing.T) {\n\t\tif One != 1 {\n\t\t\tt.Fatal(One)\n\t\t}\n\t})\n}\n"
	w := folder(t, map[string]string{"go.mod": "module m\n\ngo 1.24\n", "m.go": "package m\n\nconst One = 1\n\nfunc Greet() string { return \"\" }\n", "m_test.go": tests})
	exit, stderr := w.changed([2]string{"greet_test.go", "package m\n\nimport \"testing\"\n\nfunc TestGreet(t *testing.T) {\n\tif Greet() != \"hello\" {\n\t\tt.Fatal(Greet())\n\t}\n}\n"},
		[2]string{"m.go", "package m\n\nconst One = 1\n\nfunc Greet() string { return \"hello\" }\n"})
	require.Zero(t, exit, stderr)
}
