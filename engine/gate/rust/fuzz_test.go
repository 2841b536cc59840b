package rust

import (
	"fmt"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// seeds adds the parts of all recordings.
func seeds(f *testing.F) {
	names, err := filepath.Glob("testdata/output/*.txtar")
	require.NoError(f, err)
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		require.NoError(f, err)
		for _, part := range []string{"stdout", "stderr", "build"} {
			f.Add(file(archive, part))
		}
	}
}

func check(f gate.Finding) {
	if !filepath.IsLocal(f.Path) {
		panic("a finding outside the tree: " + f.Path)
	}
	if f.Rule == "" || f.Line < 1 || f.Column < 0 || f.Severity == 0 {
		panic(fmt.Sprintf("a finding that is none: %+v", f))
	}
}

func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(_ *testing.T, output string) {
		p := project{root: tool.RootAt("/tree"), sources: tool.SourcesIn(fstest.MapFS{})}
		formatted, _ := p.parseFormat(output, output)
		for _, found := range [][]gate.Finding{formatted, parsePlain(output, p.root), parseMessages(output, p.root, gate.SeverityWarning).findings} {
			for _, finding := range p.locate(found) {
				check(finding)
			}
		}
	})
}

// Of the output of a test program no more is believed than it announced, and what failed is never a pass.
func FuzzSuite(f *testing.F) {
	seeds(f)
	f.Fuzz(func(_ *testing.T, output string) {
		p := project{root: tool.RootAt("/tree"), sources: tool.SourcesIn(fstest.MapFS{}), packages: map[string]pkg{"i": {name: "m", dir: "."}}}
		programs := []program{{path: "/target/debug/deps/m-8348ca7a80742723", pkg: "i", target: "m", kind: "lib"}}
		head := "     Running unittests src/lib.rs (/target/debug/deps/m-8348ca7a80742723)\n"
		report := gate.Report{Gate: nameTest}
		s := newSuite(p, programs, head+output)
		s.fill(&report)
		tool.Conclude(&report, sandbox.Result{ExitCode: 101}, tool.Words{})
		if report.Verdict == gate.Pass {
			panic("a failing tool is a pass")
		}
		for _, r := range s.runs {
			if len(r.tests) > max(r.announced, 0) {
				panic(fmt.Sprintf("%d tests of %d announced", len(r.tests), r.announced))
			}
		}
		if report.Passed > report.Executed || len(report.PassedTests) != report.Passed {
			panic(fmt.Sprintf("%d held, %d passed of %d", len(report.PassedTests), report.Passed, report.Executed))
		}
		for _, finding := range report.Findings {
			check(finding)
		}
	})
}

func FuzzManifest(f *testing.F) {
	f.Add("[workspace]\nmembers = [\"a\"]\nexclude = [\n  \"b\", # c\n  'd'\n]\n")
	f.Add("[[test]]\nname = \"own\"\nharness = false\n")
	f.Fuzz(func(_ *testing.T, text string) { readManifest([]byte(text)) })
}
