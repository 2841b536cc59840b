package run

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// counting is a transformer of a package, as of TypeScript or Babel. It notes each file that it transforms, in jest's cache.
const counting = `const fs = require('fs');
const path = require('path');
module.exports = {
  process(code, file, options) {
    fs.appendFileSync(path.join(options.config.cacheDirectory, 'noted'), path.basename(file) + '\n');
    return { code };
  },
};
`

// transformed returns what jest has transformed in gates so far.
func (w *world) transformed() (files []string) {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.home, "build", "jest", "*", "noted"))
	require.NoError(w.t, err)
	for _, name := range found {
		text, err := os.ReadFile(name)
		require.NoError(w.t, err)
		files = append(files, strings.Fields(string(text))...)
	}
	return files
}

// jest transforms a file once, whatever scratch tree its gates run in; where settings change, everything is transformed again.
func TestValidate_JestKeepsWhatItHasTransformed(t *testing.T) {
	t.Parallel()
	const manifest = `{"scripts": {"test": "jest"}, "jest": {"transform": {"\\.js$": "counting"}}}`
	w := folder(t, map[string]string{
		".gitignore": "node_modules\n", "package.json": manifest, "node_modules/counting/index.js": counting,
		"code.js": "module.exports = (a) => a + 1;\n", "code.test.js": "test('in ' + __dirname, () => expect(require('./code')(1)).toBe(2));\n",
	})
	modules, err := filepath.Abs(filepath.Join("..", "javascript", "node_modules"))
	require.NoError(t, err)
	link(t, filepath.Join(modules, "jest"), filepath.Join(w.root, "node_modules", "jest"))
	link(t, filepath.Join("..", "jest", "bin", "jest.js"), filepath.Join(w.root, "node_modules", ".bin", "jest"))
	validate := func() {
		code, stdout, stderr := w.run("validate", "--trust", "--gate", "javascript test")
		require.Zero(t, code, stdout+stderr)
		pools, err := filepath.Glob(filepath.Join(w.home, "shadow", "*", "pool"))
		require.NoError(t, err)
		require.NotEmpty(t, pools)
		for _, pool := range pools {
			require.NoError(t, os.RemoveAll(pool)) // the next tree is another one
		}
	}
	validate()
	require.ElementsMatch(t, []string{"code.js", "code.test.js"}, w.transformed())
	validate()
	require.Len(t, w.transformed(), 2)
	if testing.Short() {
		return // TestTransformed_IsKeptForTheSettingsOfAFolder has other settings
	}
	w.put(map[string]string{"code.js": "module.exports = (a) => 1 + a;\n"})
	validate()
	require.Len(t, w.transformed(), 3)
	w.put(map[string]string{"package.json": strings.Replace(manifest, `\\.js$`, `\\.[j]s$`, 1)})
	validate()
	require.Len(t, w.transformed(), 5)
}
