package javascript

import (
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
)

// A module that does not exist is reported at the import of it, over whose lines it may be written.
func TestLocate_AMissingModuleIsAtItsImport(t *testing.T) {
	t.Parallel()
	tree := write(t, map[string]string{
		"package.json":   "{}",
		"test/a.test.js": "import { test } from 'node:test'\nimport {\n  b,\n} from '../src/b.js'\nimport { c } from './c.js'\n\ntest('b', () => b(c))\n",
	})
	p, err := npm.Open(tree)
	require.NoError(t, err)
	for message, line := range map[string]int{
		"Error [ERR_MODULE_NOT_FOUND]: Cannot find module '/src/b.js' imported from /test/a.test.js": 2,
		"Cannot find module 'test/c.js' imported from test/a.test.js":                                5,
		"Cannot find module 'src/d.js' imported from test/a.test.js":                                 1,
	} {
		found := []gate.Finding{{Path: "test/a.test.js", Rule: testrun.RuleLoad, Message: message}}
		locate(p, found)
		require.Equal(t, line, found[0].Line, message)
		require.False(t, found[0].Inferred)
	}
}
