package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// What has nothing to check, or is red in the same words before and after, keeps no change back: neither files of tools beside a project, nor a script
// that is deleted, nor a check that never passes.
func TestRun_IsNotKeptBackByWhatItDidNotChange(t *testing.T) {
	t.Parallel()
	beside := func(more map[string]string) map[string]string {
		files := sumModule()
		for name, text := range more {
			files[name] = text
		}
		return files
	}
	type work struct {
		files    map[string]string
		settings string
		script   string
		args     []string
		says     []string
	}
	for name, c := range testkit.SampleMap(0, map[string]work{
		"a package.json without a script": {
			files:  beside(map[string]string{"package.json": `{"scripts": {"prepare": "husky"}, "devDependencies": {"husky": "9"}}`, "docs/requirements.txt": "mkdocs\n"}),
			script: whole, args: []string{"add Add"},
		},
		"the only script is deleted": {
			files:  beside(map[string]string{"build.sh": "#!/bin/sh\ngo build ./...\n", "sum_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestNothing(*testing.T) {}\n"}),
			script: reviewPass, args: []string{"--tool", "delete_file", "--args", `{"path": "build.sh"}`},
		},
		"a test that fails as before": {
			files:  beside(map[string]string{"old_test.go": "package sum\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { t.Error(\"no\") }\n\nfunc TestSound(*testing.T) {}\n"}),
			script: decideExecutor + writeTests + writeRight + strings.Replace(reviewPass, "{node: review}", "{node: review, contains: ['from before the change: example.com/sum.TestOld']}", 1), args: []string{"add Add"},
			says: []string{"nothing new; 1 finding from before the change: example.com/sum.TestOld", "[forge] example.com/sum.TestOld failed before this change and still fails\n[forge] applied"},
		},
		"a check that is red in the same words": {
			files:    sumModule(),
			settings: "gates: [{name: spelling, argv: [sh, -c, 'echo old.txt:1: misspelt; exit 1']}]\n",
			script:   whole, args: []string{"add Add"}, says: []string{"✓ spelling  nothing new; 1 finding from before the change"},
		},
	}, "a test that fails as before") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, c.script, c.files)
			w.settings(c.settings)
			code, _, stderr := w.run(append([]string{"run", "--trust", "--yes"}, c.args...)...)
			require.Zero(t, code, stderr)
			require.NotContains(t, stderr, "BLOCKED")
			require.NotRegexp(t, `node syntax|python syntax`, stderr)
			for _, said := range c.says {
				require.Contains(t, stderr, said)
			}
			t.Log(stderr)
			w.played()
			if name == "a test that fails as before" { // what run --json prints is what is kept
				_, stdout, _ := w.run("events", runID(t, w))
				list := strings.Split(strings.TrimSpace(stdout), "\n")
				all, _ := events(t, strings.Join(append(list, "{}"), "\n"))
				said := reports(t, all, "go test")
				require.Equal(t, "pass: nothing new; 1 finding from before the change: example.com/sum.TestOld", said[len(said)-1])
			}
		})
	}
}

// Examples whose tests cannot be loaded are red in the same words before and after, with no test executed: no change is charged with that.
func TestRun_IsNotChargedWithExamplesThatDoNotLoad(t *testing.T) {
	t.Parallel()
	testkit.Tool(t, "python3", "Python")
	const load = "import unittest\nimport nowhere\n\n\nclass OldTest(unittest.TestCase):\n    def test_old(self):\n        nowhere.here()\n"
	files := map[string]string{
		"setup.py": "from setuptools import setup\n\nsetup(name=\"val\", py_modules=[\"val\"])\n", "val.py": "def lt(bound):\n    return lambda value: value < bound\n",
		"examples/old/setup.py": "from setuptools import setup\n\nsetup(name=\"old\")\n", "examples/old/app.py": "import val\n", "examples/old/test_old.py": load,
	}
	tests := written("You write tests", "test_ne.py", "create", "import unittest\n\nimport val\n\n\nclass NeTest(unittest.TestCase):\n    def test_ne(self):\n        self.assertFalse(val.ne(3)(3))\n")
	right := written("You implement a change", "val.py", "write", "def lt(bound):\n    return lambda value: value < bound\n\n\ndef ne(bound):\n    return lambda value: value != bound\n")
	w := scripted(t, decideExecutor+tests+right+reviewPass, files)
	code, _, stderr := w.run("run", "--trust", "--yes", "add ne(bound), which refuses what is equal; examples/old need not change")
	t.Log(stderr)
	require.Zero(t, code, stderr)
	require.NotContains(t, stderr, "BLOCKED")
	w.played()
}

// A formatter that is configured and not installed is named with the command that installs it, and keeps nothing back: tests still decide.
func TestRun_GoesOnWithoutAFormatterThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	testkit.Tool(t, "python3", "Python")
	files := map[string]string{
		"pyproject.toml": "[project]\nname = \"val\"\nversion = \"1\"\n[tool.ruff]\n[tool.mypy]\n", ".pre-commit-config.yaml": "repos:\n- repo: x\n  hooks:\n  - id: ruff-format\n",
		"val.py": "TWO = 2\n", "test_val.py": "import unittest\nfrom val import TWO\n\nclass T(unittest.TestCase):\n    def test_two(self): self.assertEqual(TWO, 2)\n",
	}
	tests := written("You write tests", "test_three.py", "create", "import unittest\nfrom val import THREE\n\nclass T(unittest.TestCase):\n    def test_three(self): self.assertEqual(THREE, 3)\n")
	w := scripted(t, decideExecutor+tests+written("You implement a change", "val.py", "write", "TWO = 2\nTHREE = 3\n")+reviewPass, files)
	w.only("git", "python3", "sh")
	code, _, stderr := w.run("run", "--trust", "--yes", "add THREE")
	t.Log(stderr)
	require.Zero(t, code, stderr)
	for _, want := range []string{"ruff is not installed; `python -m pip install ruff` installs it", "mypy is not installed"} {
		require.Contains(t, stderr, want)
	}
	require.Contains(t, stderr, "python test 2 tests passed")
	require.Equal(t, "TWO = 2\nTHREE = 3\n", texts(t, w.root)["val.py"])
	w.played()
}

// linted is a project whose script tests with a linter of its own first, which refuses var.
func linted() map[string]string {
	return map[string]string{
		"package.json": `{"type": "module", "scripts": {"test": "xo && node --test"}}`,
		"two.js":       "export const two = 2;\n",
		"two.test.js":  "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { two } from './two.js';\n\ntest('two', () => assert.equal(two, 2));\n",
	}
}

// A step of the script test that is green before and red with a change refuses the change, and is named; tests alone do not decide.
func TestRun_RefusesWhatALinterOfTheScriptFinds(t *testing.T) {
	t.Parallel()
	testkit.Tool(t, "node", "Node.js")
	const (
		linter = "#!/usr/bin/env node\nconst { readFileSync } = require('fs');\nif (/^export var/m.test(readFileSync('two.js', 'utf8'))) {\n  console.error('two.js:2:8: Unexpected var, use const instead.');\n  process.exit(1);\n}\n"
		tests  = "import assert from 'node:assert/strict';\nimport { test } from 'node:test';\nimport { three } from './two.js';\n\ntest('three', () => assert.equal(three, 3));\n"
	)
	type step struct {
		code string
		exit int
	}
	for name, c := range testkit.SampleMap(0, map[string]step{
		"red":             {"export const two = 2;\nexport var three = 3;\n", 3},
		"green, the twin": {"export const two = 2;\nexport const three = 3;\n", 0},
	}, "red") {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, decideExecutor+written("You write tests", "three.test.js", "create", tests)+written("You implement a change", "two.js", "write", c.code)+map[bool]string{true: reviewPass}[c.exit == 0], linted())
			bin := filepath.Join(w.root, "node_modules", ".bin")
			require.NoError(t, os.MkdirAll(bin, 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(bin, "xo"), []byte(strings.ReplaceAll(linter, "\t", "")), 0o755)) //nolint:gosec // a program
			before := fingerprint(t, w.root)
			code, _, stderr := w.run("run", "--trust", "--yes", "--max-attempts", "1", "add three")
			t.Log(stderr)
			if c.exit == 0 {
				require.Zero(t, code, stderr)
				require.Equal(t, c.code, texts(t, w.root)["two.js"])
				return
			}
			require.NotZero(t, code, stderr)
			require.Contains(t, stderr, "✗ javascript script")
			require.Contains(t, stderr, "Unexpected var, use const instead.")
			require.Equal(t, before, fingerprint(t, w.root))
		})
	}
}

// A suite that the settings waive is named, and asks for no test that fails first: what is left decides.
func TestRun_WorksWithAWaivedSuite(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["old_test.go"] = "package sum\n\nimport \"testing\"\n\nfunc TestOld(t *testing.T) { t.Fatal(\"since last year\") }\n"
	w := scripted(t, decideExecutor+writeRight+reviewPass, files)
	w.settings("waive: [go test]\n")
	code, _, stderr := w.run("run", "--trust", "--yes", "add Add")
	t.Log(stderr)
	require.Zero(t, code, stderr)
	require.Contains(t, stderr, "go test")
	require.Contains(t, stderr, "✓ go build")
	require.NotContains(t, stderr, "TestOld")
	require.Equal(t, fineAdd, texts(t, w.root)["add.go"])
	w.played()
}

// What the user waives for one project runs in another.
func TestValidate_WaivesInOneFolder(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor, map[string]string{"go.mod": sumModule()["go.mod"], "sum.go": "package sum\nvar  Spaces int\n"})
	other := t.TempDir()
	for name, text := range texts(t, w.root) {
		require.NoError(t, os.WriteFile(filepath.Join(other, name), []byte(text), 0o600))
	}
	w.settings("folders: {" + w.root + ": {waive: [gofmt]}}\n")
	for folder, says := range map[string]string{w.root: "gofmt: disabled in your settings", other: "sum.go:2"} {
		_, stdout, stderr := w.run("validate", "--trust", "--dir", folder)
		t.Log(stdout, stderr)
		require.Contains(t, stdout+stderr, says, folder)
	}
}

// Settings move what a verdict decides: a check of the user's own, which a change turns red, refuses it, and where it is advisory it is only shown.
func TestRun_SettingsMoveWhatAGateDecides(t *testing.T) {
	t.Parallel()
	const header = "gates: [{name: header, argv: [test, '!', -e, add.go], checks: 1}]\n"
	for name, c := range map[string]struct {
		settings, says string
		exit           int
	}{
		"required": {header, "✗ header", 3},
		"advisory": {header + "advisory: [header]\n", "· header    1 finding: ended with code 1 and said: nothing [advisory]", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := scripted(t, whole, sumModule())
			w.settings(c.settings)
			code, _, stderr := w.run("run", "--trust", "--yes", "--max-attempts", "1", "add Add")
			require.Equal(t, c.exit, code, stderr)
			require.Contains(t, stderr, c.says)
		})
	}
}
