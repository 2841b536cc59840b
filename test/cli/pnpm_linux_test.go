package cli

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// Packages that pnpm installed, as links into node_modules/.pnpm, are used by tests and are no part of a run, also where git does not ignore them.
func TestRun_UsesPackagesOfPnpmThatGitDoesNotIgnore(t *testing.T) {
	t.Parallel()
	testkit.Tool(t, "node", "Node.js")
	files := sumModule()
	files["package.json"] = `{"name": "x", "private": true, "type": "commonjs", "scripts": {"test": "node --test"}, "dependencies": {"dep": "1.0.0"}}`
	files["pnpm-lock.yaml"] = "lockfileVersion: '9.0'\n"
	files["dep.test.js"] = "const test = require('node:test'), assert = require('node:assert');\ntest('adds', () => assert.equal(require('dep'), 42));\n"
	files["node_modules/.pnpm/dep@1.0.0/node_modules/dep/index.js"] = "module.exports = require('inner') + 1;\n"
	files["node_modules/.pnpm/dep@1.0.0/node_modules/dep/package.json"] = `{"name": "dep", "version": "1.0.0"}`
	files["node_modules/.pnpm/inner@1.0.0/node_modules/inner/index.js"] = "module.exports = 41;\n"
	w := scripted(t, whole, files)
	for link, to := range map[string]string{
		"node_modules/dep": ".pnpm/dep@1.0.0/node_modules/dep",
		"node_modules/.pnpm/dep@1.0.0/node_modules/inner": "../../inner@1.0.0/node_modules/inner",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(w.root, filepath.FromSlash(link))))
	}
	w.git("init", "-q")
	before := fingerprint(t, filepath.Join(w.root, "node_modules"))
	code, stdout, stderr := w.run("run", "--yes", "--trust", "add Add")
	require.Zero(t, code, stdout+stderr)
	require.Contains(t, stderr, "✓ javascript test 1 test passed in 1 file")
	require.Equal(t, before, fingerprint(t, filepath.Join(w.root, "node_modules")))
	require.NotContains(t, stdout, "node_modules")
	require.NotContains(t, w.said(0, "files"), "node_modules")
}
