package testrun

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate/tool"
)

func TestWithout_LetsMissingNamesBeUndefined(t *testing.T) {
	t.Parallel()
	const text = "import { test } from 'node:test'\nimport a, {\n  b as c,\n  d,\n} from '../a.js'\nimport * as e from '../e.js'\n\ntest('one', () => { c(e.f) })\n"
	rest, ok := Without(text, []int{6, 3})
	require.True(t, ok)
	require.Equal(t, "import { test } from 'node:test'\n"+
		"const { default: a, b: c, d } = await import(\"../a.js\").catch(() => ({}));\n\n\n\n"+
		"const e = await import(\"../e.js\").catch(() => ({}));\n\ntest('one', () => { c(e.f) })\n", rest)

	rest, ok = Without("const { a } = require('../a');\ntest('one', () => a())\n", []int{1})
	require.True(t, ok)
	require.Equal(t, "const { a } = (() => { try { return require(\"../a\"); } catch { return {}; } })();\ntest('one', () => a())\n", rest)

	_, ok = Without(text, []int{6, 8})
	require.False(t, ok, "a line is in no import")
	_, ok = Without(text, nil)
	require.False(t, ok)
}

// Node.js names the file whose import of a missing module failed, which may be another one than that which it loads.
func TestLoadFailure_IsInTheFileThatImports(t *testing.T) {
	t.Parallel()
	const said = "Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/tree/src/b.js' imported from "
	for from, want := range map[string]string{"/tree/test/a.test.js": "test/a.test.js", "/tree/src/index.js": "src/index.js", "/elsewhere/a.js": "test/a.test.js"} {
		found := loadFailure("test/a.test.js", said+from+"\n    at resolve (node:internal/modules/esm/resolve:1:2)", tool.RootAt("/tree"))
		require.Equal(t, want, found.Path, from)
		require.Equal(t, RuleLoad, found.Rule)
		require.Zero(t, found.Line, "it is located by the text of the file")
	}
}
