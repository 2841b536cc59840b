package general

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
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
	"forge/engine/sandbox"
)

var update = flag.Bool("update", false, "write what was found into testdata/output")

type dir string

func (d dir) Dir() string { return string(d) }

func write(t *testing.T, archive string) dir {
	t.Helper()
	root := t.TempDir()
	for _, f := range txtar.Parse([]byte(archive)).Files {
		name := filepath.Join(root, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	return dir(root)
}

func part(archive *txtar.Archive, name string) string {
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return ""
	}
	return string(archive.Files[i].Data)
}

var readers = map[string]func(a *txtar.Archive) []gate.Finding{
	"bash": func(a *txtar.Archive) []gate.Finding { return parseSyntax(part(a, "stderr"), tool.RootAt("/tree")) },
	"sh":   func(a *txtar.Archive) []gate.Finding { return parseSyntax(part(a, "stderr"), tool.RootAt("/tree")) },
	"shellcheck": func(a *txtar.Archive) []gate.Finding {
		found, _ := parseCheck([]byte(part(a, "stdout")), tool.RootAt("/tree"), func(p string) []byte { return []byte(part(a, p)) })
		return found
	},
}

// Each recording is real output: of ShellCheck 0.11.0, bash 5.2.15 and dash. "want" is every finding in it.
func TestGates_ReadRecordedOutput(t *testing.T) {
	t.Parallel()
	for name, read := range readers {
		paths, err := filepath.Glob("testdata/output/" + name + "-*.txtar")
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(paths), 20)
		for _, path := range paths {
			t.Run(filepath.Base(path), func(t *testing.T) {
				t.Parallel()
				archive, err := txtar.ParseFile(path)
				require.NoError(t, err)
				found := read(archive)
				var got strings.Builder
				for _, f := range found {
					fmt.Fprintf(&got, "%s:%d:%d [%d %s] %s\n", f.Path, f.Line, f.Column, f.Severity, f.Rule, f.Message)
					require.Equal(t, "x.sh", f.Path)
					require.NotZero(t, f.Line)
				}
				if *update {
					archive.Files[len(archive.Files)-1].Data = []byte(got.String())
					require.NoError(t, os.WriteFile(path, txtar.Format(archive), 0o644))
				}
				require.Empty(t, cmp.Diff(part(archive, "want"), got.String()))
				if !strings.Contains(string(archive.Comment), "(exit code 0;") {
					require.NotEmpty(t, found)
				}
			})
		}
	}
}

// canned says the same whatever it is asked.
type canned struct {
	result sandbox.Result
	err    error
}

func (c canned) Run(context.Context, sandbox.Command) (sandbox.Result, error) { return c.result, c.err }

// Output that cannot be understood is not a pass.
func TestGates_DoNotPassWhereAToolMisbehaves(t *testing.T) {
	t.Parallel()
	says := func(code int, stdout, stderr string) canned {
		return canned{result: sandbox.Result{ExitCode: code, Stdout: []byte(stdout), Stderr: []byte(stderr)}}
	}
	for _, tt := range []struct {
		name          string
		tool          canned
		syntax, check gate.Verdict
	}{
		{"nothing is said", says(0, "", ""), gate.Pass, gate.Error},
		{"no comments", says(0, `{"comments":[]}`, ""), gate.Pass, gate.Pass},
		{"a comment", says(1, `{"comments":[{"file":"x.sh","line":1,"column":1,"level":"error","code":1,"message":"m"}]}`, "./x.sh: line 1: bad"), gate.Fail, gate.Fail},
		{"nonsense", says(2, "what", "what"), gate.Error, gate.Error},
		{"no, and nothing else", says(1, `{"comments":[]}`, ""), gate.Error, gate.Error},
		{"a file it could not read, beside comments", says(2, `{"comments":[{"file":"x.sh","line":1,"level":"error","code":1,"message":"m"}]}`, ""), gate.Error, gate.Error},
		{"killed", says(-1, "", ""), gate.Error, gate.Error},
		{"cut", canned{result: sandbox.Result{Truncated: true, Stdout: []byte(`{"comments":[]}`)}}, gate.Error, gate.Error},
		{"no end", canned{result: sandbox.Result{TimedOut: true}}, gate.Error, gate.Error},
		{"not there", canned{err: &sandbox.NotStartedError{Name: "x", Reason: "no"}}, gate.NotRun, gate.NotRun},
		{"broken", canned{err: errors.New("broken")}, gate.Error, gate.Error},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tree := write(t, "-- x.sh --\necho\n")
			gates := ShellLanguage(tt.tool).Gates
			require.Equal(t, tt.syntax.String(), gates[0].Run(t.Context(), tree).Verdict.String())
			require.Equal(t, tt.check.String(), gates[1].Run(t.Context(), tree).Verdict.String())
		})
	}
}

// The syntax gate with the shells of this machine: each script is read by its own.
func TestSyntax_IsReadByTheScriptsOwnShell(t *testing.T) {
	t.Parallel()
	const archive = "-- a.sh --\n#!/bin/sh\ntouch made\n-- tool --\n#!/usr/bin/env bash\na=(1 2)\n-- README --\nif\n-- vendor/x.sh --\nif\n-- .git/hooks/y.sh --\nif\n-- z --\n#!/usr/bin/python3\n"
	run := func(archive string) (gate.Report, dir) {
		tree := write(t, archive)
		return ShellLanguage(sandbox.New(sandbox.Options{Environ: os.Environ()})).Gates[0].Run(t.Context(), tree), tree
	}
	report, tree := run(archive)
	require.Equal(t, gate.Pass, report.Verdict, report.Summary)
	require.Equal(t, []int{2, 2}, []int{report.Executed, report.Passed})
	require.NoFileExists(t, filepath.Join(tree.Dir(), "made"), "nothing is executed")
	report, _ = run(archive + "-- b.sh --\na=(1 2)\nif\n")
	require.Equal(t, gate.Fail, report.Verdict)
	require.Equal(t, []int{3, 2}, []int{report.Executed, report.Passed})
	require.Equal(t, "b.sh", report.Findings[0].Path)
	const sourced = "a=(1 2)\nfor x in \"${a[@]}\"; do echo \"$x\"; done\n"
	report, _ = run("-- lib.sh --\n# shellcheck shell=bash\n" + sourced)
	require.Equal(t, gate.Pass, report.Verdict, report.Summary)
	report, _ = run("-- lib.sh --\n# shellcheck shell=dash\n" + sourced)
	require.Equal(t, gate.Fail, report.Verdict, "the twin")
	report, _ = run("-- README --\n")
	require.Equal(t, gate.NotRun, report.Verdict)
	require.True(t, report.Empty)
}

func TestLanguage_SelectsInstalledTools(t *testing.T) {
	t.Parallel()
	l := ShellLanguage(canned{err: fs.ErrNotExist})
	texts := map[string]string{"run": "#!/bin/bash\n", "Makefile": "all:\n", "a/b.sh": "", "x.py": "#!/bin/sh\n", "vendor/y.sh": "", "LICENSE": ""}
	read := func(p string) ([]byte, error) { return []byte(texts[p]), nil }
	for path, want := range map[string][]string{"run": {""}, "a/b.sh": {""}, "Makefile": nil, "x.py": nil, "vendor/y.sh": nil, "LICENSE": nil} {
		require.Equal(t, want, l.Roots([]string{path}, read), path)
	}
	require.Equal(t, []string{nameSyntax}, l.Select(t.Context(), write(t, "-- a.sh --\n")))
	require.Equal(t, []string{nameSyntax, nameCheck}, l.Select(t.Context(), write(t, "-- .shellcheckrc --\n")), "wanted, and missing: it will say so")
	require.Equal(t, []string{nameSyntax, nameCheck}, ShellLanguage(canned{}).Select(t.Context(), write(t, "-- a.sh --\n")))
	red, why := l.Red(gate.Report{}, gate.Report{})
	require.False(t, red)
	require.NotEmpty(t, why)
}

func TestShellOf_ReadsTheFirstLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"#!/bin/sh": "sh", "#! /bin/bash -e\n": "bash", "#!/usr/bin/env -S A=1 dash": "dash", "#!/usr/bin/env": "", "#!": "", "#!/bin/zsh": "", "": "",
	} {
		require.Equal(t, want, shellOf("x", []byte(text)), text)
	}
	require.Equal(t, "sh", shellOf("x.sh", nil))
	for text, want := range map[string]string{
		"# shellcheck shell=bash\n": "bash", "# Copyright\n\n#shellcheck disable=SC2034 shell=dash\nx=1\n": "dash", "# shellcheck shell=ksh\n": "", "x=1\n# shellcheck shell=bash\n": "sh",
		"# see shellcheck shell=bash\n": "sh", "#!/bin/sh\n# shellcheck shell=bash\n": "sh", "# shellcheck disable=SC2034\n": "sh", strings.Repeat("# licence\n", 100) + "# shellcheck shell=bash\n": "bash",
	} {
		require.Equal(t, want, shellOf("x.sh", []byte(text)), text)
	}
	require.Equal(t, "bash", shellOf("lib", []byte("# shellcheck shell=bash\n")))
	require.Empty(t, shellOf("Makefile", []byte("# all\n")))
	require.Empty(t, shellOf("x.sh", []byte("#!/bin/zsh\n")), "what it names counts")
}

func FuzzParse(f *testing.F) {
	names, err := filepath.Glob("testdata/output/*.txtar")
	require.NoError(f, err)
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		require.NoError(f, err)
		f.Add(part(archive, "stdout")+part(archive, "stderr"), part(archive, "x.sh"))
	}
	f.Fuzz(func(_ *testing.T, output, text string) {
		r := tool.RootAt("/tree")
		found, _ := parseCheck([]byte(output), r, func(string) []byte { return []byte(text) })
		found = append(found, parseSyntax(output, r)...)
		tool.Locate(found, "x.sh", nil)
		for _, f := range found {
			if !filepath.IsLocal(f.Path) || f.Rule == "" || f.Line < 1 || f.Column < 0 || f.Severity == 0 || f.Message == "" {
				panic(fmt.Sprintf("a finding that is none: %+v", f))
			}
		}
		shellOf("x", []byte(text))
	})
}

func TestConcerned_IsAboutScripts(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "run"), []byte("#!/bin/sh\n"), 0o600))
	for file, want := range map[string]bool{"a.sh": true, "run": true, "gone": false, "main.go": false, "README.md": false} {
		require.Equal(t, want, concerned(dir(root), []string{file}), file)
	}
}
