package npm

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReferences_AreWhatAFileImportsOrMayRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"const a = require('./a'), b = require( \"../b.js\" )":                   {"./a", "../b.js"},
		"import a, {b} from './a';\nimport './b.css'\nexport * from \"three\"":   {"./a", "./b.css", "three"},
		"import {\n  a,\n  b,\n} from\n  'three/lib'":                            {"three/lib"},
		"await import(/* webpackChunkName: 'x' */ `./a`)":                        {"./a"},
		"await import( // later\n  './a')":                                       {"./a"},
		"require('..'); require.resolve('.')":                                    {"..", "."},
		"// see require('./a') of old":                                           {"./a"}, // a file too many costs a test
		"// don't\nrequire('./a') // it's needed":                                {"./a"},
		"const s = 'no import of x', t = \"from y to z\"":                        nil,
		"jest.mock('../lib/a'); new Worker('./w.js')":                            {"../lib/a", "./w.js"},
		"fs.readFileSync(path.join(__dirname, 'data', \"a.txt\"))":               {"./data/a.txt"},
		"fs.readFileSync(__dirname + '/../data/a.txt'); import.meta.dirname, ''": {"../data/a.txt", "."},
		"require(`./locale/${name}`); require(name)":                             nil,
		"x.split('.'); '/a'; 'a/b'":                                              nil,
	} {
		var names []string
		for _, found := range references(text) {
			if !slices.Contains(names, found.Path) {
				names = append(names, found.Path)
			}
		}
		require.ElementsMatch(t, want, names, text)
	}
}

// tree is a folder.
type tree string

func (t tree) Dir() string { return string(t) }

func TestImportsOf_LeadToFilesOfTheProject(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"package.json": `{"name": "@us/three", "main": "src/index.ts", "exports": {".": "./src/index.ts", "./deep": "./src/deep/index.js"}}`,
		"src/index.ts": "export * from './typed.js'; export { x } from './gone'", "src/typed.ts": "", "src/deep/index.js": "require('../plain')", "src/plain.cjs": "",
		"test/own.js": "require('@us/three'); require('@us/three/deep')", "test/folder.js": "require('../src/deep')", "test/up/all.js": "require('../../')",
		"node_modules/a/index.js": "require('../../src/plain')",
	} {
		full := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
		require.NoError(t, os.WriteFile(full, []byte(text), 0o600))
	}
	p, err := Open(tree(dir))
	require.NoError(t, err)
	graph := importsOf(p, []string{"src/gone.ts"}, []string{"test/folder"})
	for file, want := range map[string][]string{
		"src/typed.ts":      {"src/index.ts"},
		"src/index.ts":      {"test/own.js", "test/up/all.js"},
		"src/deep/index.js": {"test/folder.js", "test/own.js"},
		"src/plain.cjs":     {"src/deep/index.js"},
		"src/gone.ts":       {"src/index.ts"},
		"test/folder.js":    {theScript},
	} {
		require.Equal(t, want, graph.Importers(file), file)
	}
}
