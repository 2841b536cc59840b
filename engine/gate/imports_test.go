package gate_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
)

func TestImports_OfScriptsAndPython(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text, from string
		names            []gate.Binding
	}{
		{"a.js", "import { test } from 'node:test';", "node:test", []gate.Binding{{Name: "test", As: "test"}}},
		{"a.ts", "import b, {\n  c, // the first\n  type D,\n  e as f,\n} from \"./b\"", "./b", []gate.Binding{{Name: "default", As: "b"}, {Name: "c", As: "c"}, {Name: "e", As: "f"}}},
		{"a.ts", "import * as b from './b.js'", "./b.js", []gate.Binding{{As: "b"}}},
		{"a.js", "const { b, c: d } = require('../b');", "../b", []gate.Binding{{Name: "b", As: "b"}, {Name: "c", As: "d"}}},
		{"a.cjs", "const b = require('../b').c", "../b", []gate.Binding{{Name: "c", As: "b"}}},
		{"a.mjs", "const { b } = await import('../b.js');", "../b.js", []gate.Binding{{Name: "b", As: "b"}}},
		{"a.py", "from .b import c, d as e", ".b", []gate.Binding{{Name: "c", As: "c"}, {Name: "d", As: "e"}}},
		{"a.py", "from b.c import (\n    d,  # the first\n    e,\n)", "b.c", []gate.Binding{{Name: "d", As: "d"}, {Name: "e", As: "e"}}},
		{"a.py", "import b.c", "b.c", []gate.Binding{{As: "b"}}},
		{"a.py", "import b.c as d", "b.c", []gate.Binding{{Name: "", As: "d"}}},
	} {
		all := gate.Imports(c.file, "x = 1\n"+c.text+"\ny = 2\n")
		require.Len(t, all, 1, c.text)
		require.Equal(t, c.from, all[0].From, c.text)
		require.Equal(t, c.names, all[0].Names, c.text)
		require.Equal(t, 6, all[0].Start, c.text)
		require.Equal(t, 6+len(c.text), all[0].End, c.text)
	}
	for file, text := range map[string]string{
		"a.ts": "import type { B } from './b';\nimport './c.js';\n  const { d } = require('d');", "a.py": "from b import *\n  import c\n", "a.go": `import "fmt"`,
	} {
		require.Empty(t, gate.Imports(file, text), file)
	}
}

func TestModule_IsAPathWithoutItsEnding(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{"test/a.test.js", "../src/b.js", "src/b"},
		{"test/a.test.js", "@/src/b", "@/src/b"},
		{"test/a.test.js", "/src/b.ts", "src/b"},
		{"test/a.test.js", "lodash.merge", "lodash.merge"},
		{"tests/test_a.py", "b.c", "b/c"},
		{"tests/test_a.py", ".c", "tests/c"},
		{"tests/unit/test_a.py", "..c", "tests/c"},
	} {
		require.Equal(t, c[2], gate.Module(c[0], c[1]), c)
	}
	require.True(t, gate.IsModule("src/b.ts", "src/b") && gate.IsModule("src/b/index.js", "src/b") && gate.IsModule("lib/b/__init__.py", "b"))
	require.False(t, gate.IsModule("src/b.ts", "b/src") || gate.IsModule("src/ab.ts", "b"))
}
