package python

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/python/testrun"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

var update = flag.Bool("update", false, "write what was found into testdata")

// recording is what a tool really said of a tree; testdata/record.py makes them.
type recording struct {
	name  string
	files map[string]string // of the tree, and what was said: stdout, stderr, code, want
}

func (r recording) file(name string) string { return r.files[name] }

func (r recording) code() int {
	n, _ := strconv.Atoi(strings.TrimSpace(r.files["code"]))
	return n
}

// places are those of the recorded tree, which stood at /pyproj.
func (r recording) places() testrun.Places {
	tree := fstest.MapFS{}
	for name, text := range r.files {
		if file, is := strings.CutPrefix(name, "tree/"); is {
			tree[file] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return testrun.Places{Root: tool.RootAt("/pyproj"), Sources: tool.SourcesIn(tree), Line: func(path string, n int) (string, bool) {
		lines := strings.Split(r.files["tree/"+path], "\n")
		if n < 1 || n > len(lines) {
			return "", false
		}
		return strings.TrimPrefix(lines[n-1], "\ufeff"), true
	}}
}

// result is how the tool ended.
func (r recording) result() sandbox.Result {
	return sandbox.Result{ExitCode: r.code(), Stdout: []byte(r.file("stdout")), Stderr: []byte(r.file("stderr"))}
}

// session is a recorded run of tests.
func (r recording) session() session {
	s := session{
		Witness: testrun.ParseWitness(r.file("witness")), places: r.places(), result: r.result(), output: r.file("stdout") + r.file("stderr"),
	}
	s.tests, s.internal, s.unread = testrun.ParseJunit(r.file("junit.xml"))
	return s
}

// load reads an archive of recordings.
func load(t testing.TB, path string) []recording {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	require.NoError(t, err)
	var all []recording
	for _, f := range archive.Files {
		name, file, _ := strings.Cut(f.Name, "/")
		if len(all) == 0 || all[len(all)-1].name != name {
			all = append(all, recording{name: name, files: map[string]string{}})
		}
		all[len(all)-1].files[file] = string(f.Data)
	}
	return all
}

// parsers are the tools, each by the name of its recordings: findings, and how many things were looked at.
var parsers = map[string]func(recording) ([]gate.Finding, int){
	"ruff-check": func(r recording) ([]gate.Finding, int) {
		found, _ := parseRuff(r.file("stdout"), r.places())
		return append(found, settingsError(r.file("stderr"), r.places())...), 0
	},
	"ruff-format": func(r recording) ([]gate.Finding, int) {
		return parseFormat(r.file("stdout"), r.file("stderr"), ruff, r.places())
	},
	"black": func(r recording) ([]gate.Finding, int) {
		return parseFormat(r.file("stdout"), r.file("stderr"), black, r.places())
	},
	"flake8":     func(r recording) ([]gate.Finding, int) { return parseFlake8(r.file("stdout"), r.places()) },
	"compileall": func(r recording) ([]gate.Finding, int) { return parseCompile(r.file("stdout"), r.places()) },
	"mypy": func(r recording) ([]gate.Finding, int) {
		return parseMypy(r.file("stdout")+r.file("stderr"), r.places())
	},
	"pyright": func(r recording) ([]gate.Finding, int) {
		found, executed, _ := parsePyright(r.file("stdout"), r.places())
		return found, executed
	},
	"bandit": func(r recording) ([]gate.Finding, int) {
		found, executed, _ := parseBandit(r.file("stdout"), r.places())
		return found, executed
	},
	"radon": func(r recording) ([]gate.Finding, int) {
		m, _ := parseRadon(r.file("stdout"), r.places())
		return m.found, m.executed
	},
	"pytest": func(r recording) ([]gate.Finding, int) {
		report := r.session().report(gate.Report{Gate: nameTest, Tests: true})
		return report.Findings, report.Executed
	},
}

// Recorded output of real tools: every finding with its place, and how much they looked at.
func TestGates_ReadRecordedOutput(t *testing.T) {
	t.Parallel()
	for name, parse := range parsers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join("testdata", name+".txtar")
			all := load(t, path)
			require.GreaterOrEqual(t, len(all), 20, "recordings of %s", name)
			got := map[string]string{}
			for _, r := range all {
				found, executed := parse(r)
				got[r.name] = fmt.Sprintf("%d looked at\n", executed) + show(found)
				if name == "pytest" {
					got[r.name] = verdict(r) + show(found)
				}
				if !*update {
					require.Empty(t, cmp.Diff(r.file("want"), got[r.name]), r.name)
				}
				requireSound(t, r, found)
			}
			if *update {
				rewrite(t, path, got)
			}
		})
	}
}

// verdict is what the gate makes of a run of tests.
func verdict(r recording) string {
	report := r.session().report(gate.Report{Gate: nameTest, Tests: true, Output: r.file("stdout") + r.file("stderr")})
	return fmt.Sprintf("%v, %d of %d, held %q: %s\n", report.Verdict, report.Passed, report.Executed, report.PassedTests, report.Summary)
}

// rewrite replaces what is wanted of each recording.
func rewrite(t *testing.T, path string, got map[string]string) {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	require.NoError(t, err)
	for i, f := range archive.Files {
		if name, is := strings.CutSuffix(f.Name, "/want"); is {
			archive.Files[i].Data = []byte(got[name])
		}
	}
	require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o600))
}

// show writes findings as lines; the lines of a message below its first are indented.
func show(findings []gate.Finding) string {
	var out strings.Builder
	for _, f := range findings {
		at := fmt.Sprintf("%s:%d", f.Path, f.Line)
		if f.Column > 0 {
			at += fmt.Sprintf(":%d", f.Column)
		}
		fmt.Fprintf(&out, "%s [%s] ", at, f.Rule)
		if f.Severity != gate.SeverityError {
			fmt.Fprintf(&out, "(%d) ", f.Severity)
		}
		if f.Inferred {
			out.WriteString("(inferred) ")
		}
		if f.Test != "" {
			fmt.Fprintf(&out, "{%s} ", f.Test)
		}
		out.WriteString(strings.ReplaceAll(f.Message, "\n", "\n    ") + "\n")
	}
	return out.String()
}

// requireSound checks what holds for every finding. Each is at a line of a file of the recording's tree.
func requireSound(t testing.TB, r recording, findings []gate.Finding) {
	t.Helper()
	name := r.name
	for _, f := range findings {
		require.NotEmpty(t, f.Rule, name)
		require.NotEmpty(t, f.Message, name)
		require.NotZero(t, f.Severity, name)
		require.True(t, filepath.IsLocal(f.Path), "%s: %q is in the tree", name, f.Path)
		require.Positive(t, f.Line, name)
		require.Contains(t, r.files, "tree/"+f.Path, name)
		require.LessOrEqual(t, f.Line, 1+strings.Count(r.files["tree/"+f.Path], "\n"), name)
		require.GreaterOrEqual(t, f.Column, 0, name)
		require.NotContains(t, f.Message, "/pyproj/", "%s: the scratch tree's place is not shown", name)
	}
}

// Columns are counted in bytes, whatever a tool counts in: the character there is the one that the tool meant.
func TestPlaces_CountColumnsInBytes(t *testing.T) {
	t.Parallel()
	seen := 0
	for _, name := range []string{"ruff-check", "flake8", "pyright"} {
		for _, r := range load(t, filepath.Join("testdata", name+".txtar")) {
			if r.name != "columns" {
				continue
			}
			found, _ := parsers[name](r)
			for _, f := range found {
				line, known := r.places().Line(f.Path, f.Line)
				require.True(t, known)
				for _, word := range []string{"undefined_é", "missing"} {
					if strings.Contains(f.Message, word) {
						require.True(t, strings.HasPrefix(line[f.Column-1:], word), "%s: %v at %d", name, f, f.Column)
						seen++
					}
				}
				if name == pyright {
					require.Equal(t, "s", line[f.Column-1:f.Column], "%s: %v", name, f)
					seen++
				}
			}
		}
	}
	require.GreaterOrEqual(t, seen, 5)
}

// Of nearly all findings the tool has said itself where they are.
func TestFindings_HaveAPlace(t *testing.T) {
	t.Parallel()
	for _, name := range slices.Sorted(maps.Keys(parsers)) {
		placed, inferred := 0, 0
		for _, r := range load(t, filepath.Join("testdata", name+".txtar")) {
			found, _ := parsers[name](r)
			for _, f := range found {
				if f.Inferred {
					inferred++
				} else {
					placed++
				}
			}
		}
		require.Greater(t, placed, 10, name)
		require.LessOrEqual(t, inferred, 2, name)
	}
}
