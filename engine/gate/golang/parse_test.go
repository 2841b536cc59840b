package golang

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/tool"
)

var update = flag.Bool("update", false, "write what was found into testdata/output")

// recorded is the tree the outputs in testdata were recorded in; its packages are one folder each.
var recorded = failureReader{root: tool.RootAt("/tree"), dirs: map[string]string{"m/a": "a", "m/g": "g"}}

// parsers are the tools by the name in a recording's first line.
var parsers = map[string]func(stdout, stderr string) []gate.Finding{
	"gofmt": func(stdout, stderr string) []gate.Finding { return parseFormat(stdout, stderr, recorded.root) },
	"vet":   func(stdout, stderr string) []gate.Finding { return parseVet(stdout+"\n"+stderr, recorded.root) },
	"staticcheck": func(stdout, stderr string) []gate.Finding {
		return parseStaticcheck(stdout, stderr, recorded.root)
	},
	"build": func(stdout, stderr string) []gate.Finding { return parseCompiler(stdout+stderr, recorded.root) },
	"test": func(stdout, stderr string) []gate.Finding {
		s := parseEvents(stdout)
		return append(parseCompiler(s.build+s.noise+stderr, recorded.root), s.findings(recorded)...)
	},
}

// Each recording is real output of a tool; "want" is every finding in it.
func TestRecordedOutput(t *testing.T) {
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
			found := parsers[tool](file(archive, "stdout"), file(archive, "stderr"))
			got := show(found)
			if *update {
				i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
				archive.Files[i].Data = []byte(got)
				require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o644))
			}
			require.Empty(t, cmp.Diff(file(archive, "want"), got))
			requireSound(t, found)
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
		at := f.Path
		if f.Path == "" {
			at = "(no place)"
		}
		if f.Line > 0 {
			at += fmt.Sprintf(":%d", f.Line)
		}
		if f.Column > 0 {
			at += fmt.Sprintf(":%d", f.Column)
		}
		fmt.Fprintf(&out, "%s [%s] ", at, f.Rule)
		if f.Test != "" {
			fmt.Fprintf(&out, "{%s} ", f.Test)
		}
		out.WriteString(strings.ReplaceAll(f.Message, "\n", "\n    ") + "\n")
	}
	return out.String()
}

// requireSound checks what holds for every finding.
func requireSound(t *testing.T, findings []gate.Finding) {
	t.Helper()
	for _, f := range findings {
		require.NotEmpty(t, f.Rule)
		require.NotEmpty(t, f.Message)
		require.NotZero(t, f.Severity)
		require.True(t, f.Path == "" || filepath.IsLocal(f.Path), "%q is in the tree", f.Path)
		require.GreaterOrEqual(t, f.Line, 0)
		require.GreaterOrEqual(t, f.Column, 0)
		require.NotContains(t, f.Message, "/tree/", "the scratch tree's place is not shown")
	}
}

// A finding's own place stands beside its message, any other place stays in it.
func TestAMessageDoesNotRepeatItsPlace(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ said, path, message string }{
		"its own":            {"a_test.go:6: no", "a/a_test.go", "no"},
		"its own, absolute":  {"/tree/a/a_test.go:6: no", "a/a_test.go", "no"},
		"of many lines":      {"a_test.go:6: no\n    got 1\na_test.go:7: no", "a/a_test.go", "no\n    got 1\na_test.go:7: no"},
		"with nothing said":  {"a_test.go:6: ", "a/a_test.go", "the test failed and said nothing"},
		"not at its begin":   {"log\na_test.go:6: no", "a/a_test.go", "log\na_test.go:6: no"},
		"of another, before": {"/lib/x_test.go:6: no\na_test.go:6: no", "a/a_test.go", "/lib/x_test.go:6: no\na_test.go:6: no"},
		"outside the tree":   {"/lib/x_test.go:6: no", "", "/lib/x_test.go:6: no"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := recorded.finding("m/a", "TestA", test.said)
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
			for _, finding := range parse(output, output) {
				if finding.Path != "" && !filepath.IsLocal(finding.Path) {
					panic("a finding outside the tree: " + finding.Path)
				}
				if finding.Rule == "" || finding.Line < 0 || finding.Column < 0 || finding.Severity == 0 {
					panic(fmt.Sprintf("a finding that is none: %+v", finding))
				}
			}
		}
	})
}

// Whatever go test prints, a suite counts no more passed tests than executed ones.
func FuzzEvents(f *testing.F) {
	fuzzWith(f, func(output string) {
		s := parseEvents(output)
		executed, passed := s.counts()
		if passed > executed || executed+s.skipped() != len(s.byName) {
			panic(fmt.Sprintf("%d executed, %d passed, %d skipped of %d", executed, passed, s.skipped(), len(s.byName)))
		}
	})
}
