package python

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/sandbox"
)

// replay says what was recorded; asked for the files that it would look at, it names those of the tree.
type replay struct{ recording }

func (r replay) Run(_ context.Context, c sandbox.Command) (sandbox.Result, error) {
	if !slices.Contains(c.Argv, "--show-files") {
		return r.result(), nil
	}
	var files strings.Builder
	for name := range r.files {
		if path, is := strings.CutPrefix(name, "tree/"); is && strings.HasSuffix(path, ".py") {
			files.WriteString(filepath.Join(c.Dir, path) + "\n")
		}
	}
	return sandbox.Result{Stdout: []byte(files.String())}, nil
}

// Through whole gates: a tool that ended with a failure never passes, but for bandit, which calls its warnings one; and the tree that
// is clean does.
func TestGates_DoNotPassAToolThatFails(t *testing.T) {
	t.Parallel()
	for archive, with := range map[string]struct{ gate, settings string }{
		"compileall":  {nameSyntax, ""},
		"ruff-format": {nameFormat, "-- .pre-commit-config.yaml --\n- id: ruff-format\n"},
		"black":       {nameFormat, "-- .pre-commit-config.yaml --\n- id: black\n"},
		"ruff-check":  {nameLint, "-- requirements.txt --\nruff\n"},
		"flake8":      {nameLint, "-- .flake8 --\n"},
		"mypy":        {nameTypes, "-- .mypy.ini --\n"},
		"pyright":     {nameTypes, "-- .pre-commit-config.yaml --\n- id: pyright\n"},
		"bandit":      {nameSecurity, ""},
		"radon":       {nameComplexity, ""},
	} {
		t.Run(archive, func(t *testing.T) {
			t.Parallel()
			verdicts := map[gate.Verdict]int{}
			for _, r := range load(t, filepath.Join("testdata", archive+".txtar")) {
				report := runRecorded(t, with.gate, with.settings, r)
				verdicts[report.Verdict]++
				high := slices.ContainsFunc(report.Findings, gate.Finding.Blocks)
				switch {
				case r.name == "clean":
					require.Equal(t, gate.Pass, report.Verdict, report.Summary)
				case r.name == "nothing":
					require.Equal(t, gate.NotRun, report.Verdict, report.Summary)
					require.True(t, report.Empty)
				case high:
					require.Equal(t, gate.Fail, report.Verdict, r.name)
				case r.code() != 0 && archive != "bandit":
					require.NotEqual(t, gate.Pass, report.Verdict, "%s: %s", r.name, report.Summary)
				}
			}
			require.Greater(t, verdicts[gate.Fail], 3)
			require.Positive(t, verdicts[gate.Pass])
		})
	}
}

// runRecorded runs a gate on the tree of a recording.
func runRecorded(t *testing.T, name, settings string, r recording) gate.Report {
	t.Helper()
	tree := write(t, settings)
	for file, text := range r.files {
		if path, is := strings.CutPrefix(file, "tree/"); is {
			full := filepath.Join(tree.Dir(), filepath.FromSlash(path))
			require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
			require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
		}
	}
	for _, g := range Language(replay{r}).Gates {
		if g.Name() == name {
			return g.Run(t.Context(), tree)
		}
	}
	t.Fatalf("no gate %s", name)
	return gate.Report{}
}
