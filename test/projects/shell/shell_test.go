// Package shell checks scripts with the tools that are really there. It needs bash, sh, and shellcheck in the folder bin of
// FORGE_TEST_TOOLS or on PATH.
package shell

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/general"
	"forge/engine/sandbox"
)

type dir string

func (d dir) Dir() string { return string(d) }

func environ() []string {
	env := os.Environ()
	if tools := os.Getenv("FORGE_TEST_TOOLS"); tools != "" {
		env = append(env, "PATH="+filepath.Join(tools, "bin")+string(filepath.ListSeparator)+os.Getenv("PATH"))
	}
	return env
}

func TestShellGates_CheckScripts(t *testing.T) {
	t.Parallel()
	tree := dir(t.TempDir())
	put := func(name, text string) {
		name = filepath.Join(tree.Dir(), name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	l := general.ShellLanguage(sandbox.New(sandbox.Options{Environ: environ()}))
	run := func() (reports []gate.Report) {
		for _, g := range l.Gates {
			report := g.Run(t.Context(), tree)
			require.NotEqual(t, gate.NotRun, report.Verdict, report.Summary)
			reports = append(reports, report)
		}
		return reports
	}
	put("bin/deploy", "#!/usr/bin/env bash\nset -euo pipefail\nfor f in \"$@\"; do\n  cp -- \"$f\" /srv\ndone\n")
	put("lib.sh", "# shellcheck shell=sh\nsay() { printf '%s\\n' \"$1\"; }\n")
	require.Equal(t, []string{"sh -n", "shellcheck"}, l.Select(t.Context(), tree))
	before := run()
	for _, report := range before {
		require.Equal(t, gate.Pass, report.Verdict, report.Output)
		require.Equal(t, 2, report.Executed)
	}

	// A change that a model may make: a variable that splits, after a letter of two bytes.
	put("lib.sh", "# shellcheck shell=sh\nsay() { printf '%s\\n' \"ä\" $1; }\n")
	after := run()
	require.Equal(t, gate.Pass, after[0].Verdict)
	require.Equal(t, gate.Fail, after[1].Verdict)
	require.Equal(t, gate.Finding{
		Path: "lib.sh", Line: 2, Column: 28, Severity: gate.SeverityInfo, Rule: "SC2086", Message: "Double quote to prevent globbing and word splitting.",
	}, after[1].Findings[0])
	require.Equal(t, gate.Pass, gate.Baseline(after, run())[1].Verdict, "earlier findings are not charged")

	put("lib.sh", "# shellcheck shell=sh\nsay() { if true\n")
	for _, report := range run() {
		require.Equal(t, gate.Fail, report.Verdict)
		require.Equal(t, "lib.sh", report.Findings[0].Path)
	}

	// A folder's own settings turn a check off, as they do for its people.
	put("lib.sh", "# shellcheck shell=sh\nsay() { printf '%s\\n' $1; }\n")
	put(".shellcheckrc", "disable=SC2086\n")
	require.Equal(t, gate.Pass, run()[1].Verdict)
}
