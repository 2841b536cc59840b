package contracts

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A folder with a name that is taken and one that is missing: the measurement can see both.
func TestMeasure_FindsDuplicateAndMissingNames(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "small")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "node_modules", "x"), 0o755))
	for name, text := range map[string]string{
		"taker.js":              "import { parse, load } from './giver.js';\n",
		"giver.js":              "export function parse() {}\n",
		"node_modules/x/one.js": "import { y } from './two';\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	var out strings.Builder
	require.NoError(t, measure(t.Context(), &out, []string{dir}))
	require.Contains(t, out.String(), "taker.js:1: taker.js imports `load` from ./giver.js, which does not export it")
	require.Contains(t, out.String(), figures{files: 2, takings: 3, alarms: 1, renamed: 1, found: 1}.row("TOTAL"))
	require.Error(t, measure(t.Context(), &out, nil))
}
