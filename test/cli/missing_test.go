package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// only makes a PATH on which there are some programs and no others.
func (w *world) only(programs ...string) {
	w.t.Helper()
	bin := w.t.TempDir()
	for _, name := range programs {
		found, err := exec.LookPath(name)
		require.NoError(w.t, err)
		if name == "python3" { // which may be a script that looks for others
			out, err := exec.Command(found, "-c", "import sys; print(sys.executable)").Output()
			require.NoError(w.t, err)
			found = strings.TrimSpace(string(out))
			require.NoError(w.t, os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\nexec "+found+" \"$@\"\n"), 0o755)) //nolint:gosec // a program
			continue
		}
		require.NoError(w.t, os.Symlink(found, filepath.Join(bin, name)))
	}
	w.environ = append(w.environ, "PATH="+bin)
}

// forge validate lists all missing programs, and what installs each, before anything starts; doctor prints the same.
func TestMissingPrograms_AreReportedTogetherAndFirst(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, map[string]string{
		"pyproject.toml":          "[tool.mypy]\n[tool.ruff]\n",
		".pre-commit-config.yaml": "repos:\n- repo: x\n  hooks:\n  - id: ruff-format\n",
		"a.py":                    "A = 1\n",
		"test_a.py":               "import unittest\nfrom a import A\n\nclass T(unittest.TestCase):\n    def test_a(self): self.assertEqual(A, 1)\n",
		"web/package.json":        `{"scripts": {"lint": "eslint ."}, "devDependencies": {"eslint": "9", "typescript": "5"}}`,
		"web/pnpm-lock.yaml":      "",
		"web/tsconfig.json":       "{}",
		"web/a.ts":                "export const a = 1;\n",
	})
	w.only("git", "python3", "node", "sh")
	wants := []string{
		"python format: ruff is not installed; `python -m pip install ruff` installs it",
		"python types: mypy is not installed; `python -m pip install mypy` installs it",
		"eslint (web): eslint is not installed; `pnpm install` in web installs it",
		"tsc (web): tsc is not installed; `pnpm install` in web installs it",
	}
	code, stdout, stderr := w.run("validate", "--trust")
	require.Equal(t, 3, code, stdout+stderr)
	first := strings.Index(stdout, "pass     ")
	require.Positive(t, first, stdout)
	for _, want := range wants {
		at := strings.Index(stdout, "not-run  "+want)
		require.GreaterOrEqual(t, at, 0, want+"\n"+stdout)
		require.Less(t, at, first, "before anything runs")
		require.Equal(t, 1, strings.Count(stdout, want))
	}
	require.Contains(t, stdout, "python test: 1 test passed")

	code, stdout, _ = w.run("doctor", "--dir", w.root)
	require.Equal(t, 1, code, stdout)
	for _, want := range wants {
		gate, says, _ := strings.Cut(want, ": ")
		require.Regexp(t, `(?m)^`+strings.NewReplacer("(", `\(`, ")", `\)`).Replace(gate)+` +missing +`+says+`$`, stdout)
	}
	require.Regexp(t, `(?m)^python syntax +ok `, stdout, "the twin: what is there")
}

// A package that files of a JavaScript project import and that is not installed is reported by doctor; the gate runs all the same.
func TestMissingPackages_AreReportedByDoctor(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, map[string]string{
		"package.json":                    `{"workspaces": ["packages/*"], "scripts": {"test": "npm test --workspaces"}}`,
		"package-lock.json":               "{}",
		"packages/cli/package.json":       `{"name": "@a/cli", "type": "module", "dependencies": {"@a/core": "1"}, "scripts": {"test": "node --test"}}`,
		"packages/cli/cli.test.js":        "import '@a/core'\nimport { test } from 'node:test'\ntest('a', () => {})\n",
		"packages/core/package.json":      `{"name": "@a/core", "type": "module", "dependencies": {"chalk": "5"}, "scripts": {"test": "node --test"}}`,
		"packages/core/test/core.test.js": "import { test } from 'node:test'\ntest('a', () => {})\n",
	})
	code, stdout, stderr := w.run("validate", "--trust")
	require.Equal(t, 1, code, stdout+stderr)
	require.Contains(t, stdout, "Cannot find package '@a/core'")
	_, stdout, _ = w.run("doctor", "--dir", w.root)
	require.Regexp(t, `(?m)^javascript test \(packages/cli\) +warning +@a/core is not installed; .npm ci. installs it$`, stdout)
	require.Regexp(t, `(?m)^javascript test \(packages/core\) +ok `, stdout, "no file imports chalk")
}
