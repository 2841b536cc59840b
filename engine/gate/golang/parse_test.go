package golang

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

var update = flag.Bool("update", false, "write what was found into testdata/output")

// recorded is a tree that outputs in testdata were recorded in: module m, with its packages in one folder each. Of most recordings
// the files are not kept.
func recorded(files fstest.MapFS) places {
	dirs := map[string]string{"m/a": "a", "m/g": "g"}
	for name := range files {
		if path.Ext(name) == ".go" {
			dirs[path.Join("m", path.Dir(name))] = path.Dir(name)
		}
	}
	return places{Root: tool.RootAt("/tree"), dirs: dirs, sources: tool.SourcesIn(files)}
}

// treeOf is what a recording keeps of its tree.
func treeOf(archive *txtar.Archive) fstest.MapFS {
	files := fstest.MapFS{}
	for _, f := range archive.Files {
		if name, is := strings.CutPrefix(f.Name, "tree/"); is {
			files[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	return files
}

// parsers are the tools by the name in a recording's first line.
var parsers = map[string]func(stdout, stderr string, r places) []gate.Finding{
	"gofmt":       parseFormat,
	"vet":         func(stdout, stderr string, r places) []gate.Finding { return parseVet(stdout+"\n"+stderr, r) },
	"staticcheck": parseStaticcheck,
	"build":       func(stdout, stderr string, r places) []gate.Finding { return parseCompiler(stdout+stderr, r) },
	"test": func(stdout, stderr string, r places) []gate.Finding {
		s := parseEvents(stdout)
		return r.locate(append(parseCompiler(s.build+s.noise+stderr, r), s.findings(r)...))
	},
}

// Each recording is real output of a tool; "want" is every finding in it.
func TestGates_ReadRecordedOutput(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/output/*.txtar")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	for _, name := range names {
		t.Run(filepath.Base(name), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			tool, _, _ := strings.Cut(string(archive.Comment), "\n")
			require.Contains(t, parsers, tool)
			tree := treeOf(archive)
			found := parsers[tool](file(archive, "stdout"), file(archive, "stderr"), recorded(tree))
			got := show(found)
			if *update {
				i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
				archive.Files[i].Data = []byte(got)
				require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o644))
			}
			require.Empty(t, cmp.Diff(file(archive, "want"), got))
			requireSound(t, found, tree)
		})
	}
}

func file(archive *txtar.Archive, name string) string {
	for _, f := range archive.Files {
		if f.Name == name {
			return string(f.Data)
		}
	}
	return ""
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

// requireSound checks what holds for every finding. Each is at a line of a file, one of the tree as far as that is known.
func requireSound(t *testing.T, findings []gate.Finding, tree fs.FS) {
	t.Helper()
	for _, f := range findings {
		require.NotEmpty(t, f.Rule)
		require.NotEmpty(t, f.Message)
		require.NotZero(t, f.Severity)
		require.True(t, filepath.IsLocal(f.Path), "%q is in the tree", f.Path)
		require.Positive(t, f.Line, f.Path)
		if known, err := fs.ReadDir(tree, "."); err == nil && len(known) > 0 {
			text, err := fs.ReadFile(tree, f.Path)
			require.NoError(t, err, "%q is a file", f.Path)
			require.LessOrEqual(t, f.Line, 1+strings.Count(string(text), "\n"), f.Path)
		}
		require.GreaterOrEqual(t, f.Column, 0)
		require.NotContains(t, f.Message, "/tree/", "the scratch tree's place is not shown")
	}
}

// A finding's own place stands beside its message, any other place stays in it.
func TestFinding_DoesNotRepeatItsPlace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ said, path, message string }{
		"its own":            {"a_test.go:6: no", "a/a_test.go", "no"},
		"its own, absolute":  {"/tree/a/a_test.go:6: no", "a/a_test.go", "no"},
		"of many lines":      {"a_test.go:6: no\n    got 1\na_test.go:7: no", "a/a_test.go", "no\n    got 1\na_test.go:7: no"},
		"with nothing said":  {"a_test.go:6: ", "a/a_test.go", "the test failed without a message"},
		"not at its begin":   {"log\na_test.go:6: no", "a/a_test.go", "log\na_test.go:6: no"},
		"of another, before": {"/lib/x_test.go:6: no\na_test.go:6: no", "a/a_test.go", "/lib/x_test.go:6: no\na_test.go:6: no"},
		"outside the tree":   {"/lib/x_test.go:6: no", "", "/lib/x_test.go:6: no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := recorded(nil).finding("m/a", "TestA", test.said)
			require.Equal(t, test.path, got.Path)
			require.Equal(t, test.message, got.Message)
			require.Equal(t, "m/a.TestA", got.Test)
		})
	}
}

func fuzzWith(f *testing.F, parse func(output string)) {
	names, err := filepath.Glob("testdata/output/*.txtar")
	require.NoError(f, err)
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		require.NoError(f, err)
		f.Add(file(archive, "stdout"))
		f.Add(file(archive, "stderr"))
	}
	f.Fuzz(func(_ *testing.T, output string) { parse(output) })
}

func FuzzParse(f *testing.F) {
	fuzzWith(f, func(output string) {
		for _, parse := range parsers {
			for _, finding := range parse(output, output, recorded(nil)) {
				if !filepath.IsLocal(finding.Path) {
					panic("a finding outside the tree: " + finding.Path)
				}
				if finding.Rule == "" || finding.Line < 1 || finding.Column < 0 || finding.Severity == 0 {
					panic(fmt.Sprintf("a finding that is none: %+v", finding))
				}
			}
		}
	})
}

// A suite counts no more passed tests than executed ones.
func FuzzEvents(f *testing.F) {
	fuzzWith(f, func(output string) {
		s := parseEvents(output)
		executed, passed, skipped := s.counts()
		if passed > executed || executed+skipped != len(s.byName) {
			panic(fmt.Sprintf("%d executed, %d passed, %d skipped of %d", executed, passed, skipped, len(s.byName)))
		}
	})
}
