package general_test

import (
	"fmt"
	"io/fs"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel/treesitter"
	"forge/engine/gate/general"
)

// check says what is wrong in a folder of some files.
func check(t *testing.T, files map[string]string) (said []string) {
	t.Helper()
	f := general.Texts{Binder: new(treesitter.Outliner), Read: func(path string) ([]byte, error) {
		if text, is := files[path]; is {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}}
	for path := range files {
		f.Paths = append(f.Paths, path)
	}
	slices.Sort(f.Paths)
	result, err := general.CheckContracts(t.Context(), f)
	require.NoError(t, err)
	for _, b := range result.Breaches {
		said = append(said, fmt.Sprintf("%s:%d:%d %s", b.Path, b.Line, b.Column, b.Message))
	}
	return said
}

// Each folder has one breach, and want is its message.
func TestCheck_FindsMissingNamesAndFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a name": {
			map[string]string{"handlers.js": "import { parse } from './parser';\n", "parser.js": "export const parseAll = 1;\nexport function parseOne() {}\nexport default 1;\n"},
			"handlers.js:1:10 handlers.js imports `parse` from ./parser, which does not export it; it exports parseAll, parseOne",
		},
		"the nearest name comes first": {
			map[string]string{"a.ts": "import { pars as p } from './b';\n", "b.ts": "export type A = 1; export enum B { C } export class parse {}\n"},
			"a.ts:1:10 a.ts imports `pars` from ./b, which does not export it; it exports parse, A, B",
		},
		"a default": {
			map[string]string{"a.ts": "import b from './b';\n", "b.ts": "export const c = 1;\n"},
			"a.ts:1:8 a.ts imports `default` from ./b, which does not export it; it exports c",
		},
		"a file":          {map[string]string{"a.js": "import './handler';\n", "handlers.js": ""}, "a.js:1:8 a.js imports ./handler, and there is no such file; there is handlers.js"},
		"a required file": {map[string]string{"a.js": "const b = require('./b');\n", "c.js": ""}, "a.js:1:19 a.js imports ./b, and there is no such file"},
		"a member of a namespace": {
			map[string]string{"a.js": "import * as b from './b';\nb.one();\nb.two();\n", "b.js": "export function one() {}\n"},
			"a.js:3:3 a.js imports `two` from ./b, which does not export it; it exports one",
		},
		"a name that is required": {
			map[string]string{"a.js": "const { one, two: three } = require('./b');\n", "b.js": "module.exports = { one };\nexports.four = 1;\n"},
			"a.js:1:14 a.js imports `two` from ./b, which does not export it; it exports one, four",
		},
		"a name behind stars": {
			map[string]string{"a.ts": "import { x } from './b';\n", "b.ts": "export * from './c';\nexport { y } from './c';\n", "c.ts": "export const y = 1;\n"},
			"a.ts:1:10 a.ts imports `x` from ./b, which does not export it; it exports y",
		},
		"a name that is given on": {
			map[string]string{"b.ts": "export { z } from './c';\n", "c.ts": "export const y = 1;\n"},
			"b.ts:1:10 b.ts imports `z` from ./c, which does not export it; it exports y",
		},
		"a name of a module": {
			map[string]string{"p/__init__.py": "", "p/a.py": "from .m import load, parse\n", "p/m.py": "def loads(): pass\ndef parse(): pass\n"},
			"p/a.py:1:16 a.py imports `load` from .m, which does not define it; it defines loads, parse",
		},
		"a module":                   {map[string]string{"p/__init__.py": "", "p/a.py": "from .n import x\n", "p/m.py": ""}, "p/a.py:1:6 a.py imports .n, and there is no such module"},
		"a module of the package":    {map[string]string{"src/p/__init__.py": "", "tests/a.py": "import p.model\n", "src/p/models.py": ""}, "tests/a.py:1:8 a.py imports p.model, and there is no such module; there is models.py"},
		"a name of the package":      {map[string]string{"p/__init__.py": "from .m import a\n", "p/m.py": "a = 1\n", "t.py": "from p import b\n"}, "t.py:1:15 t.py imports `b` from p, which does not define it; it defines a"},
		"a name in a function":       {map[string]string{"p/__init__.py": "", "p/a.py": "def f():\n    from p.m import x\n", "p/m.py": "class X: pass\n"}, "p/a.py:2:21 a.py imports `x` from p.m, which does not define it; it defines X"},
		"a name behind star imports": {map[string]string{"p/__init__.py": "from .m import *\n", "p/m.py": "a = 1\n", "t.py": "from p import b\n"}, "t.py:1:15 t.py imports `b` from p, which does not define it; it defines a"},
	} {
		require.Equal(t, []string{c.want}, check(t, c.files), name)
	}
}

// Texts that hold, and texts that cannot be judged.
func TestCheck_IsSilentWhereItCannotKnow(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"all kinds of exports": {
			"a.ts": "import d, { a, b, c, e, f, g as h, I, J, k, l, m, type N } from './b';\nimport * as b2 from './b';\nb2.a();\n",
			"b.ts": "export const a = 1, { b, x: [c] } = y;\nexport async function e() {}\nexport abstract class f {}\nexport { z as g };\nexport interface I {}\nexport enum J {}\nexport * as k from './c';\nexport * from './c';\nexport namespace m {}\nexport declare const N: 1;\nexport default 1;\n",
			"c.ts": "export let l = 1;\n",
		},
		"a circle of stars":               {"a.ts": "import { x } from './b';\n", "b.ts": "export * from './c';\n", "c.ts": "export * from './b';\nexport const x = 1;\n"},
		"stars of what is installed":      {"a.ts": "import { x } from './b';\n", "b.ts": "export * from 'react';\n"},
		"exports that are computed":       {"a.js": "const { x } = require('./b');\n", "b.js": "module.exports = make();\n"},
		"exports that are handed on":      {"a.js": "const { x } = require('./b');\n", "b.js": "Object.assign(exports, all);\n"},
		"exports of another file":         {"a.js": "const { x } = require('./b');\n", "b.js": "module.exports = require('./c');\n", "c.js": "exports.x = 1;\n"},
		"what may be missing":             {"a.js": "let b;\ntry { b = require('./b'); } catch {}\nif (c) require('./d');\nimport('./e').catch(f);\n"},
		"a default that stands in":        {"a.js": "const { x: y = 1 } = require('./b');\n", "b.js": "exports.z = 1;\n"},
		"a question for a member":         {"a.js": "import * as b from './b';\nif (b.two) b.two();\nb.three?.();\n", "b.js": "export const one = 1;\n"},
		"a namespace that is bound again": {"a.js": "import * as b from './b';\nfunction f(b) { b.two(); }\n", "b.js": "export const one = 1;\n"},
		"what a test puts in its place":   {"a.test.js": "vi.mock('./b', f);\nimport { two } from './b';\n", "b.js": "export const one = 1;\n"},
		"a file that cannot be parsed":    {"a.js": "import { x } from './b';\n", "b.js": "export const = ;\n"},
		"what git ignores":                {".gitignore": "/api.gen.ts\n*_pb.js\n", "a.ts": "import './api.gen';\nimport './x_pb';\n", "b.ts": ""},
		"what is built":                   {"a.js": "import '../dist/b';\nimport './dist/b';\n", "b.js": ""},
		"a path alias":                    {"tsconfig.json": "{}", "a.ts": "import { x } from '@/b';\n", "b.ts": ""},
		"files of other kinds":            {"a.ts": "import './a.css';\nimport d from './d.json';\nimport V from './v';\n", "a.css": "", "d.json": "{}", "v.vue": ""},
		"names that others add":           {"a.ts": "import { X } from './b';\n", "b.ts": "export const y = 1;\n", "c.ts": "import './b';\ndeclare module './b' { interface X {} }\n"},
		"samples":                         {"test/fixtures/a.js": "import './nowhere';\n", "test/fixtures/b.js": "", "tests/data/a.py": "from .n import x\n"},
		"python, all that binds": {
			"p/__init__.py": "from . import m, q\n", "p/q/r.py": "",
			"p/m.py": "import os.path, sys as s\na, (b, *c) = d = 1, (2, 3)\ne: int = 1\nfor f in []: pass\nwith x as g: pass\ntry:\n    import h\nexcept E as i:\n    j = None\nif (k := 1): pass\ndef fn():\n    global l\n    l = 1\n@deco\nclass C: pass\n",
			"t.py":   "from p.m import a, b, c, d, e, f, g, h, i, j, k, l, fn, C, os, s\nfrom p import m as n, q\n",
		},
		"python, what may be missing":       {"p/__init__.py": "", "p/a.py": "try:\n    from .x import y\nexcept ImportError:\n    y = 1\nif TYPE_CHECKING:\n    from .m import Z\n", "p/m.py": ""},
		"python, a module that makes names": {"p/__init__.py": "", "p/a.py": "from .m import x\n", "p/m.py": "def __getattr__(name): return 1\n"},
		"python, stars of others":           {"p/__init__.py": "", "p/a.py": "from .m import x\n", "p/m.py": "from os import *\n"},
		"python, an extension":              {"p/__init__.py": "", "p/a.py": "from ._fast import x\n", "p/_fast.c": ""},
		"python, a version that is made":    {"pyproject.toml": "[tool.hatch]\nversion-file = \"p/_version.py\"\n", "p/__init__.py": "from ._version import v\n"},
		"python, two that may be meant":     {"a/util.py": "x = 1\n", "b/util.py": "y = 1\n", "c/t.py": "from util import z\n"},
		"python, the standard library":      {"types.py": "", "t.py": "from types import ModuleType\n"},
	} {
		require.Empty(t, check(t, files), name)
	}
}
