package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forge validate: nothing runs before the folder is trusted; 0 when all passed, 1 when something failed, 3 when nothing was
// checked or a gate could not run. No model is asked, and the folder stays as it is.
func TestValidateCommand_ReportsWithExitCodes(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: executor, reason: never asked}}}", sumModule())
	code, _, stderr := w.run("validate", "--dir", w.root)
	require.Equal(t, 3, code)
	require.Contains(t, stderr, "forge validate --trust")

	code, stdout, stderr := w.run("validate", "--dir", w.root, "--trust")
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, stdout, "pass     go build: ")
	require.Contains(t, stdout, "not-run  go test: no tests", "a project without tests")

	bad := filepath.Join(w.root, "bad.go")
	require.NoError(t, os.WriteFile(bad, []byte("package sum\n\nvar  X = 1\n"), 0o600))
	code, stdout, _ = w.run("validate", "--dir", w.root, "--json")
	require.Equal(t, 1, code)
	var result struct {
		Verdict string
		Gates   []struct {
			Name, Verdict string
			Findings      []struct {
				Path string
				Line int
			}
		}
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &result))
	require.Equal(t, "fail", result.Verdict)
	require.Equal(t, "gofmt", result.Gates[0].Name)
	require.Equal(t, "bad.go", result.Gates[0].Findings[0].Path)
	require.Equal(t, 3, result.Gates[0].Findings[0].Line)
	text, err := os.ReadFile(bad)
	require.NoError(t, err)
	require.Equal(t, "package sum\n\nvar  X = 1\n", string(text))

	code, stdout, stderr = w.run("validate", "--dir", w.root, "--gate", "go vet")
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, stdout, "pass     go vet: ")
	require.NotContains(t, stdout, "gofmt", "which would not pass")
	code, stdout, _ = w.run("validate", "--dir", w.root, "--gate", "go vet", "--gate", "gofmt")
	require.Equal(t, 1, code)
	require.Regexp(t, `(?s)^fail     gofmt: .*pass     go vet: `, stdout, "in their own order")
	require.NotContains(t, stdout, "go build")
	require.Contains(t, w.refused(2, "validate", "--dir", w.root, "--gate", "go fly"), `no such gate as "go fly": there are gofmt, `)

	code, stdout, _ = w.run("validate", "--trust", "--dir", t.TempDir())
	require.Equal(t, 3, code)
	require.Contains(t, stdout, "rust (Cargo.toml)")
}

// Names that files import from each other must exist, in folders that no compiler knows, and each file must parse.
func TestValidateCommand_ChecksImportsAndSyntax(t *testing.T) {
	t.Parallel()
	w := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: executor, reason: never asked}}}", nil)
	validate := func(files map[string]string, args ...string) (int, string) {
		root := t.TempDir()
		for name, text := range files {
			require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o700))
			require.NoError(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o600))
		}
		code, stdout, stderr := w.run(append([]string{"validate", "--trust", "--dir", root}, args...)...)
		return code, stdout + stderr
	}
	for name, c := range map[string]struct {
		wrong map[string]string
		path  string // of the repaired file
		right string
		want  string // what is said before
	}{
		"javascript": {
			map[string]string{"parser.js": "exports.parseAll = () => [];\nexports.parseOne = () => 1;\n", "handlers.js": "const { parse } = require('./parser');\nparse();\n"},
			"handlers.js", "const { parseOne } = require('./parser');\nparseOne();\n",
			"handlers.js:1: handlers.js imports `parse` from ./parser, which does not export it; it exports parseAll, parseOne [contract]",
		},
		"typescript": {
			map[string]string{"index.ts": "export * from './model';\n", "model.ts": "export interface User { name: string }\n", "view.ts": "import { type Users } from '.';\nexport const v: Users = [];\n"},
			"view.ts", "import { type User } from '.';\nexport const v: User[] = [];\n",
			"view.ts:1: view.ts imports `Users` from ., which does not export it; it exports User [contract]",
		},
		"python": {
			map[string]string{"lib/p/__init__.py": "from .model import load\n", "lib/p/model.py": "def loads(): ...\n"},
			"lib/p/model.py", "def load(): ...\n",
			"lib/p/__init__.py:1: __init__.py imports `load` from .model, which does not define it; it defines loads [contract]",
		},
		"a file": {map[string]string{"a.mjs": "import './b.mjs';\n"}, "b.mjs", "export {};\n", "a.mjs:1: a.mjs imports ./b.mjs, and there is no such file"},
		"syntax": {map[string]string{"a.ts": "export const a = ;\n", "c.ts": "import {a} from './a';\nexport {a};\n"}, "a.ts", "export const a = 1;\n", "a.ts:1: "},
	} {
		code, said := validate(c.wrong)
		require.Equal(t, 1, code, name+said)
		require.Contains(t, said, c.want, name)
		c.wrong[c.path] = c.right
		code, said = validate(c.wrong)
		require.Zero(t, code, name+said)
		require.Contains(t, said, "pass     contract: ", name)
	}
}

// Files that are named must be there, and so must the folder in which is checked.
func TestValidateCommand_RejectsMissingPaths(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files["web/a.js"] = "export const a = 1;\n"
	files["other/go.mod"] = "module example.com/other\n\ngo 1.24\n"
	files["other/other.go"] = "// Package other is another one.\npackage other\n"
	w := scripted(t, "\n- {match: {node: orchestrator}, reply: {json: {action: executor, reason: never asked}}}", files)
	code, stdout, stderr := w.run("validate", "--dir", w.root, "--trust", "--file", "sum.go", "--file", "web/a.js")
	require.Zero(t, code, stdout+stderr)
	require.Contains(t, stdout, "pass     file: 2 of 2 files found")

	code, stdout, _ = w.run("validate", "--dir", w.root, "--file", "web/b.js", "--file", "../x")
	require.Equal(t, 1, code, stdout)
	require.Contains(t, stdout, "web/b.js:1: there is no such file [file]")
	require.Contains(t, stdout, "../x")

	code, stdout, stderr = w.run("validate", "--dir", w.root, "--cwd", "other")
	require.Zero(t, code, stdout+stderr)
	require.Contains(t, stdout, "go build (other)")
	require.NotContains(t, stdout, "go build: ", "the project above is not in it")
	code, stdout, _ = w.run("validate", "--dir", w.root, "--cwd", "web")
	require.Zero(t, code)
	require.Contains(t, stdout, "go build: ", "the project that it lies in")

	code, stdout, _ = w.run("validate", "--dir", w.root, "--cwd", "nowhere/at/all")
	require.Equal(t, 3, code, stdout)
	require.Contains(t, stdout, "error    cwd: nothing was checked in nowhere/at/all: there is no such folder")
	require.NotContains(t, stdout, "go build")
}

// Every command that reads the user's settings reports the values it cannot use. Unreadable settings check nothing: they may define a
// gate that the user wants.
func TestSettings_ReportsUnusableValues(t *testing.T) {
	t.Parallel()
	w := scripted(t, decideExecutor+writeTests+writeRight+reviewPass, sumModule())
	settings := filepath.Join(w.home, "config.yaml")
	require.NoError(t, os.WriteFile(settings, []byte("gates: {stopAtFirst: true}\n"), 0o600))
	told := "[forge] " + settings + ":1: give a list here"
	code, stdout, stderr := w.run("run", "--yes", "--trust", "add Add to package sum")
	require.Equal(t, 0, code, stdout+stderr)
	require.Equal(t, 1, strings.Count(stderr, told), stderr)
	w.played()
	code, stdout, stderr = w.run("validate")
	require.Equal(t, 0, code, stdout+stderr)
	require.Equal(t, 1, strings.Count(stderr, told), stderr)

	require.NoError(t, os.WriteFile(settings, []byte("gates: [\n"), 0o600))
	code, stdout, stderr = w.run("validate")
	require.Equal(t, 3, code, stdout+stderr)
	require.Empty(t, stdout)
	require.Contains(t, stderr, settings+" cannot be read: ")

	require.NoError(t, os.WriteFile(settings, []byte("stopAtFirst: true\n"), 0o600))
	code, stdout, stderr = w.run("validate")
	require.Equal(t, 0, code, stdout+stderr)
	require.Empty(t, stderr, "the twin: settings that can be read")
}

// A file that no grammar can judge is not counted as one that can be parsed: garbage in a language without one is no pass.
func TestValidateFiles_CountsOnlyJudgedFiles(t *testing.T) {
	t.Parallel()
	garbage := map[string]string{"a.cs": "]]] not c# (((\n", "b.c": "))) not c {{{\n", "c.yaml": "a: [\n"}
	w := scripted(t, decideExecutor, garbage)
	code, stdout, stderr := w.run("validate", "--trust")
	require.Equal(t, 3, code, stdout+stderr)
	require.Contains(t, stdout, "not-run  syntax: there is nothing to check")
	w.put(map[string]string{"d.py": "x = 1\n"})
	code, stdout, stderr = w.run("validate", "--gate", "syntax")
	require.Equal(t, 0, code, stdout+stderr)
	require.Contains(t, stdout, "pass     syntax: 1 file can be parsed", "the twin")
}
