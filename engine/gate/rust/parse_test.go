package rust

import (
	"flag"
	"fmt"
	"os"
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

// recordings are real outputs, of cargo 1.95.0 with rustfmt and clippy: where each comes from stands at its head.
func recordings(t testing.TB, tool string) map[string]*txtar.Archive {
	t.Helper()
	names, err := filepath.Glob("testdata/output/" + tool + "-*.txtar")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(names), 20, tool)
	all := map[string]*txtar.Archive{}
	for _, name := range names {
		all[name], err = txtar.ParseFile(name)
		require.NoError(t, err)
	}
	return all
}

// file gives a part of a recording.
func file(archive *txtar.Archive, name string) string {
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return ""
	}
	return string(archive.Files[i].Data)
}

// failedThen reports whether the recorded command ended with another code than 0.
func failedThen(archive *txtar.Archive) bool {
	return !strings.Contains(string(archive.Comment), "(exit code 0;")
}

// recorded is the project of a recording.
func recorded(archive *txtar.Archive) project {
	p := project{root: tool.RootAt("/tree"), sources: tool.SourcesIn(treeOf(archive))}
	p.packages = p.parse([]byte(file(archive, "metadata")))
	return p
}

// treeOf is what a recording keeps of its project.
func treeOf(archive *txtar.Archive) fstest.MapFS {
	files := fstest.MapFS{}
	for _, f := range archive.Files {
		if name, is := strings.CutPrefix(f.Name, "tree/"); is {
			files[name] = &fstest.MapFile{Data: f.Data}
		}
	}
	return files
}

// readers are what reads each tool's output.
var readers = map[string]func(archive *txtar.Archive) (found []gate.Finding, more string){
	"check":  compiled(gate.SeverityError),
	"clippy": compiled(gate.SeverityWarning),
	"fmt": func(archive *txtar.Archive) ([]gate.Finding, string) {
		found, files := recorded(archive).parseFormat(file(archive, "stdout"), file(archive, "stderr"))
		return found, fmt.Sprintf("%d files\n", len(files))
	},
	"test": func(archive *txtar.Archive) ([]gate.Finding, string) {
		p := recorded(archive)
		b := parseMessages(file(archive, "build"), p.root, gate.SeverityError)
		if !b.finished {
			return p.locate(append(b.findings, parsePlain(file(archive, "stderr"), p.root)...)), "not built\n"
		}
		s := newSuite(p, b.programs, file(archive, "stdout"))
		var report gate.Report
		s.fill(&report)
		return report.Findings, fmt.Sprintf("executed %d, passed %d, ignored %d\nheld: %s\n",
			report.Executed, report.Passed, s.ignored(), strings.Join(report.PassedTests, ", "))
	},
}

func compiled(worst gate.Severity) func(*txtar.Archive) ([]gate.Finding, string) {
	return func(archive *txtar.Archive) ([]gate.Finding, string) {
		p := recorded(archive)
		b := parseMessages(file(archive, "stdout"), p.root, worst)
		if len(b.findings) == 0 && failedThen(archive) {
			b.findings = parsePlain(file(archive, "stderr"), p.root)
		}
		return p.locate(b.findings), fmt.Sprintf("finished %t\n", b.finished)
	}
}

// Each recording is real output of a tool; "want" is every finding in it, and what else was read.
func TestGates_ReadRecordedOutput(t *testing.T) {
	t.Parallel()
	for name, read := range readers {
		for path, archive := range recordings(t, name) {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				found, more := read(archive)
				got := show(found) + more
				if *update {
					archive.Files[len(archive.Files)-1].Data = []byte(got)
					require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
				}
				require.Empty(t, cmp.Diff(file(archive, "want"), got))
				if failedThen(archive) {
					require.NotEmpty(t, found, "a failure has findings")
				}
				for _, f := range found {
					requireSound(t, f, treeOf(archive))
				}
			})
		}
	}
}

// show writes findings as lines; the lines of a message below its first are indented.
func show(findings []gate.Finding) string {
	var out strings.Builder
	for _, f := range findings {
		at := fmt.Sprintf("%s:%d", f.Path, f.Line)
		if f.Column > 0 {
			at += fmt.Sprintf(":%d", f.Column)
		}
		severity := ""
		if f.Severity != gate.SeverityError {
			severity = "warning "
		}
		fmt.Fprintf(&out, "%s [%s%s] ", at, severity, f.Rule)
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
func requireSound(t *testing.T, f gate.Finding, tree fstest.MapFS) {
	t.Helper()
	require.NotEmpty(t, f.Rule)
	require.NotEmpty(t, f.Message)
	require.NotZero(t, f.Severity)
	require.True(t, filepath.IsLocal(f.Path), "%q is in the tree", f.Path)
	require.Positive(t, f.Line, f.Path)
	if len(tree) > 0 {
		require.Contains(t, tree, f.Path)
		require.LessOrEqual(t, f.Line, 1+strings.Count(string(tree[f.Path].Data), "\n"), f.Path)
	}
	require.NotContains(t, f.Message, "/tree/", "the scratch tree's place is not shown")
}
