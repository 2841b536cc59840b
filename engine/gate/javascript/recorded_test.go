package javascript

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

var update = flag.Bool("update", false, "write what was found into testdata/output")

// dir is a tree for tests.
type dir string

func (d dir) Dir() string { return string(d) }

// write makes a tree of files; "bin:x" is the program x that is installed for it, and "bin:a/x" for the project in a.
func write(t testing.TB, files map[string]string) dir {
	t.Helper()
	root, outside := t.TempDir(), t.TempDir()
	for name, text := range files {
		full := filepath.Join(root, filepath.FromSlash(name))
		if program, is := strings.CutPrefix(name, "bin:"); is {
			full = filepath.Join(outside, filepath.Base(program))
			there := filepath.Join(root, filepath.Dir(filepath.FromSlash(program)), "node_modules", ".bin", filepath.Base(program))
			require.NoError(t, os.MkdirAll(filepath.Dir(there), 0o755))
			require.NoError(t, os.Symlink(full, there))
		}
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o755))
	}
	return dir(root)
}

// canned is a tool that prints a given text.
type canned struct {
	result sandbox.Result
	err    error
	heard  func(sandbox.Command) // of each command; may be nil
}

func (c canned) Run(_ context.Context, command sandbox.Command) (sandbox.Result, error) {
	if c.heard != nil {
		c.heard(command)
	}
	if command.Stdin != nil {
		c.result.Stdout = sealed(command.Stdin, c.result.Stdout)
	}
	return c.result, c.err
}

// recordings are the outputs of one tool, and the gate that reads them in a project of this kind.
var recordings = map[string]struct {
	gate    string
	project map[string]string
}{
	"prettier": {nameFormat, map[string]string{"package.json": `{"prettier": {}}`, "bin:prettier": ""}},
	"eslint":   {nameLint, map[string]string{"package.json": `{}`, "eslint.config.js": "", "bin:eslint": ""}},
	"tsc":      {nameTypes, map[string]string{"package.json": `{}`, "tsconfig.json": "{}", "bin:tsc": ""}},
	"vitest":   {nameTest, map[string]string{"package.json": `{"scripts": {"test": "vitest"}}`, "bin:vitest": ""}},
	"jest":     {nameTest, map[string]string{"package.json": `{"scripts": {"test": "jest"}}`, "bin:jest": ""}},
	"mocha":    {nameTest, map[string]string{"package.json": `{"scripts": {"test": "mocha"}}`, "bin:mocha": ""}},
	"node": {nameTest, map[string]string{
		"package.json": `{"scripts": {"test": "node --test"}}`, "test/helper.js": "export const x = 1;\n", "test/script.js": "import assert from 'node:assert';\n",
	}},
}

// recorded is one output.
type recorded struct {
	exit           int
	stdout, stderr string
	want           string
	tree           map[string]string // what is kept of the project's files
}

// load reads the recordings of a tool, and their order.
func load(t testing.TB, tool string) (archive *txtar.Archive, names []string, all map[string]*recorded) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.Join("testdata", "output", tool+".txtar"))
	require.NoError(t, err)
	all = map[string]*recorded{}
	for _, f := range archive.Files {
		name, part, _ := strings.Cut(f.Name, "/")
		if all[name] == nil {
			all[name], names = &recorded{tree: map[string]string{}}, append(names, name)
		}
		if file, is := strings.CutPrefix(part, "tree/"); is {
			all[name].tree[file] = string(f.Data)
		}
		switch r := all[name]; part {
		case "exit":
			r.exit, err = strconv.Atoi(strings.TrimSpace(string(f.Data)))
			require.NoError(t, err)
		case "stdout":
			r.stdout = string(f.Data)
		case "stderr":
			r.stderr = string(f.Data)
		case "want":
			r.want = string(f.Data)
		}
	}
	return archive, names, all
}

// gateNamed is a gate of the language.
func gateNamed(t testing.TB, runner sandbox.Runner, name string) gate.Gate {
	t.Helper()
	for _, g := range Language(runner, t.TempDir()).Gates {
		if g.Name() == name {
			return g
		}
	}
	t.Fatalf("no gate %q", name)
	return nil
}

// Each recording is real output of a tool; "want" is the report that a gate makes of it, every finding in it.
func TestGates_ReadRecordedOutput(t *testing.T) {
	t.Parallel()
	for tool, how := range recordings {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			archive, names, all := load(t, tool)
			require.GreaterOrEqual(t, len(names), 20)
			for _, name := range names {
				r := all[name]
				files := maps.Clone(how.project)
				maps.Copy(files, r.tree)
				tree := write(t, files)
				result := sandbox.Result{
					ExitCode: r.exit, Stdout: []byte(strings.ReplaceAll(r.stdout, "/tree", tree.Dir())), Stderr: []byte(strings.ReplaceAll(r.stderr, "/tree", tree.Dir())),
				}
				report := gateNamed(t, canned{result: result}, how.gate).Run(t.Context(), tree)
				got := show(report)
				if *update {
					r.want = got
				}
				require.Empty(t, cmp.Diff(r.want, got), name)
				requireSound(t, report, name)
				requireThere(t, report, name, tree, len(r.tree) > 0)
				require.NotContains(t, got, tree.Dir(), name)
			}
			if *update {
				for i, f := range archive.Files {
					if name, is := strings.CutSuffix(f.Name, "/want"); is {
						archive.Files[i].Data = []byte(all[name].want)
					}
				}
				require.NoError(t, os.WriteFile(filepath.Join("testdata", "output", tool+".txtar"), txtar.Format(archive), 0o644))
			}
		})
	}
}

// requireSound checks what holds for every report of a tool that failed or passed.
func requireSound(t *testing.T, report gate.Report, name string) {
	t.Helper()
	require.LessOrEqual(t, report.Passed, report.Executed, name)
	require.NotEmpty(t, report.Summary, name)
	require.LessOrEqual(t, len([]rune(report.Summary)), 200, name)
	if report.Verdict == gate.Pass {
		require.Positive(t, report.Executed, name)
	}
	for _, f := range report.Findings {
		require.NotEmpty(t, f.Rule, name)
		require.NotEmpty(t, f.Message, name)
		require.NotZero(t, f.Severity, name)
		require.True(t, filepath.IsLocal(f.Path), "%s: %q is in the tree", name, f.Path)
		require.Positive(t, f.Line, "%s: %s", name, f.Path)
		require.GreaterOrEqual(t, f.Column, 0, name)
	}
}

// requireThere checks that findings are at lines of files, where the files of a recording are kept.
func requireThere(t *testing.T, report gate.Report, name string, tree dir, kept bool) {
	t.Helper()
	for _, f := range report.Findings {
		if kept {
			text, err := os.ReadFile(filepath.Join(tree.Dir(), filepath.FromSlash(f.Path)))
			require.NoError(t, err, name)
			require.LessOrEqual(t, f.Line, 1+strings.Count(string(text), "\n"), name)
		}
	}
}

// show writes a report as lines; the lines of a message below its first are indented.
func show(report gate.Report) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%v %d/%d %s\n", report.Verdict, report.Passed, report.Executed, report.Summary)
	for _, f := range report.Findings {
		at := fmt.Sprintf("%s:%d", f.Path, f.Line)
		if f.Column > 0 {
			at += fmt.Sprintf(":%d", f.Column)
		}
		fmt.Fprintf(&out, "%s [%s] ", at, f.Rule)
		if f.Severity == gate.SeverityWarning {
			out.WriteString("(warning) ")
		}
		if f.Inferred {
			out.WriteString("(inferred) ")
		}
		if f.Test != "" {
			fmt.Fprintf(&out, "{%s} ", f.Test)
		}
		out.WriteString(strings.ReplaceAll(f.Message, "\n", "\n    ") + "\n")
	}
	for _, name := range report.PassedTests {
		out.WriteString("held " + name + "\n")
	}
	return out.String()
}
