package javascript

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
	"forge/engine/gate/javascript/testrun"
)

func TestRoots_AreTheFoldersOfProjects(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"no project":                           {map[string]string{"a.js": ""}, nil},
		"one":                                  {map[string]string{"package.json": "{}"}, []string{""}},
		"in a folder":                          {map[string]string{"web/package.json": `{"scripts": {"x": "y"}}`}, []string{"web"}},
		"a mark for a format of modules":       {map[string]string{"esm/package.json": `{"type": "module"}`}, nil},
		"what is installed":                    {map[string]string{"package.json": "{}", "node_modules/a/package.json": `{"scripts": {"test": "x"}}`}, []string{""}},
		"what tests read":                      {map[string]string{"test/fixtures/a/package.json": `{"scripts": {"test": "x"}}`}, nil},
		"with types":                           {map[string]string{"web/package.json": "{}", "web/tsconfig.json": "{}"}, []string{"web"}},
		"broken, at the root":                  {map[string]string{"package.json": "{"}, []string{""}},
		"broken, below":                        {map[string]string{"a/package.json": "{"}, nil},
		"of a workspace, without tests":        {map[string]string{"package.json": `{"workspaces": ["p/*"]}`, "p/a/package.json": `{"scripts": {"build": "x"}}`}, []string{""}},
		"of a workspace, with tests":           {map[string]string{"package.json": `{"workspaces": ["p/*"]}`, "p/a/package.json": `{"scripts": {"test": "x"}}`}, []string{"", "p/a"}},
		"of a workspace, with npm's own words": {map[string]string{"package.json": `{"workspaces": ["p/*"]}`, "p/a/package.json": `{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`}, []string{""}},
		"of a workspace, with types":           {map[string]string{"package.json": `{"workspaces": {"packages": ["./p/**"]}}`, "p/a/b/package.json": `{}`, "p/a/b/tsconfig.json": "{}"}, []string{"", "p/a/b"}},
		"taken out of a workspace":             {map[string]string{"package.json": `{"workspaces": ["p/*", "!p/a"]}`, "p/a/package.json": `{"scripts": {"build": "x"}}`}, []string{"", "p/a"}},
		"of a workspace of pnpm":               {map[string]string{"package.json": `{}`, "pnpm-workspace.yaml": "packages:\n  # all\n  - 'p/*'\n  - \"q\"\nother:\n  - z\n", "p/a/package.json": `{"dependencies": {"x": "1"}}`, "q/package.json": `{"scripts": {"test": "x"}}`, "z/package.json": `{"scripts": {"build": "x"}}`}, []string{"", "q", "z"}},
		"a workspace in a folder":              {map[string]string{"web/package.json": `{"workspaces": ["p/*"]}`, "web/p/a/package.json": `{"scripts": {"build": "x"}}`}, []string{"web"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var paths []string
			for p := range test.files {
				paths = append(paths, p)
			}
			slices.Sort(paths)
			got := npm.Roots(paths, func(p string) ([]byte, error) {
				if text, is := test.files[p]; is {
					return []byte(text), nil
				}
				return nil, fs.ErrNotExist
			})
			require.Equal(t, test.want, got)
		})
	}
	require.Empty(t, npm.Roots([]string{"package.json"}, func(string) ([]byte, error) { return nil, errors.New("gone") }))
}

func TestSelect_ListsInstalledOrRequiredTools(t *testing.T) {
	t.Parallel()
	plain := []string{nameSyntax, nameTest}
	for name, test := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"plain":                        {map[string]string{"package.json": "{}"}, plain},
		"no package.json":              {map[string]string{"a.js": ""}, plain},
		"hooks of a project in Go":     {map[string]string{"package.json": `{"scripts": {"prepare": "husky"}, "devDependencies": {"husky": "9"}}`, "main.go": ""}, nil},
		"prettier of a project in Go":  {map[string]string{"package.json": `{"devDependencies": {"prettier": "3"}}`, "cmd/main.go": ""}, []string{nameFormat}},
		"a script in a project in Go":  {map[string]string{"package.json": "{}", "main.go": "", "scripts/a.mjs": ""}, plain},
		"broken":                       {map[string]string{"package.json": "{"}, []string{nameTest}},
		"prettier by a file":           {map[string]string{"package.json": "{}", ".prettierrc.json": "{}"}, []string{nameFormat, nameSyntax, nameTest}},
		"prettier by package.json":     {map[string]string{"package.json": `{"prettier": {}}`}, []string{nameFormat, nameSyntax, nameTest}},
		"prettier by what it asks":     {map[string]string{"package.json": `{"devDependencies": {"prettier": "3"}}`}, []string{nameFormat, nameSyntax, nameTest}},
		"eslint by a file":             {map[string]string{"package.json": "{}", "eslint.config.mjs": ""}, []string{nameSyntax, nameLint, nameTest}},
		"eslint by an old file":        {map[string]string{"package.json": "{}", ".eslintrc.cjs": ""}, []string{nameSyntax, nameLint, nameTest}},
		"eslint by a script":           {map[string]string{"package.json": `{"scripts": {"check": "npm run l", "l": "eslint src"}}`}, []string{nameSyntax, nameLint, nameTest}},
		"eslint only asked for":        {map[string]string{"package.json": `{"devDependencies": {"eslint": "10"}}`}, plain},
		"types":                        {map[string]string{"package.json": `{}`, "tsconfig.json": "{}"}, []string{nameTypes, nameTest}},
		"compiled":                     {map[string]string{"package.json": `{"dependencies": {"react": "19"}}`}, []string{nameTest}},
		"a workspace":                  {map[string]string{"package.json": `{"workspaces": ["a"], "scripts": {"test": "npm test --workspaces"}}`}, []string{nameSyntax}},
		"a workspace that tests":       {map[string]string{"package.json": `{"workspaces": ["a"], "scripts": {"test": "vitest run"}}`}, plain},
		"tests by something not known": {map[string]string{"package.json": `{"scripts": {"test": "ava"}}`}, plain},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, Language(canned{}, t.TempDir()).Select(t.Context(), write(t, test.files)))
		})
	}
}

func TestIsTest_KnowsFilesByTheirPaths(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{
		"a.test.js": true, "src/a.spec.tsx": true, "a-test.mjs": true, "a_test.cjs": true, "test.js": true, "test-a.js": true, "test/helper.js": true,
		"src/__tests__/a.js": true, "tests/data.json": true, "src/__snapshots__/a.snap": true,
		"a.js": false, "src/testing.js": false, "contest.js": false, "latest/a.js": false, "a.test.md": false, "package.json": false,
	} {
		require.Equal(t, want, testrun.IsTest(path), path)
	}
}

// Programs are those of the project, or of a folder above it within the tree, and never above that.
func TestBinary_LiesOutsideOfTheTree(t *testing.T) {
	t.Parallel()
	tree := write(t, map[string]string{
		"bin:above": "", "in/package.json": "{}", "in/a/package.json": "{}", "bin:in/a/own": "", "in/a/node_modules/.bin/forged": "",
	})
	open := func(t *testing.T, tree gate.Tree) *npm.Project {
		p, err := npm.Open(tree)
		require.NoError(t, err)
		return p
	}
	a := open(t, gate.InDir(tree, "in/a"))
	require.Equal(t, "./node_modules/.bin/own", a.Binary("own"))
	require.Equal(t, "./../../node_modules/.bin/above", a.Binary("above"))
	require.Empty(t, a.Binary("none"))
	require.Empty(t, a.Binary("forged"), "a file of the tree may be what a model wrote")
	require.Empty(t, open(t, dir(tree.Dir()+"/in/a")).Binary("above"), "the tree ends here")
	require.Empty(t, open(t, gate.InDir(dir(tree.Dir()+"/in"), "a")).Binary("above"), "the tree ends in the folder above")
}

func TestSuites_AreThoseOfTheScript(t *testing.T) {
	t.Parallel()
	const vitest = "--no-coverage --reporter=json --no-color --reporter=forge-seal.cjs"
	const jest = "--coverage=false --json --testLocationInResults --ci --no-color --reporters=forge-seal.cjs"
	const mocha = "--no-color --reporter=forge-seal.cjs"
	for name, test := range map[string]struct {
		manifest string
		want     []string // arguments, and the environment before them
	}{
		"vitest":                       {`{"scripts": {"test": "vitest"}}`, []string{"vitest run " + vitest}},
		"vitest run with arguments":    {`{"scripts": {"test": "vitest run --config a.ts --coverage --reporter verbose src"}}`, []string{"vitest run --config a.ts src " + vitest}},
		"jest":                         {`{"scripts": {"test": "NODE_ENV=test jest --coverage --watchAll=false -i"}}`, []string{"NODE_ENV=test jest -i " + jest}},
		"jest behind cross-env":        {`{"scripts": {"test": "cross-env TZ=UTC jest"}}`, []string{"TZ=UTC jest " + jest}},
		"jest as a program of node":    {`{"scripts": {"test": "node --experimental-vm-modules node_modules/jest/bin/jest.js src"}}`, []string{"NODE_OPTIONS=--experimental-vm-modules jest src " + jest}},
		"mocha through a wrapper":      {`{"scripts": {"test": "c8 -r text mocha -r ts-node/register --reporter dot 'test/**/*.ts'"}}`, []string{"mocha -r ts-node/register test/**/*.ts " + mocha}},
		"mocha by its own path":        {`{"scripts": {"test": "./node_modules/mocha/bin/_mocha --bail test"}}`, []string{"mocha test " + mocha}},
		"node":                         {`{"scripts": {"test": "node --import tsx --test --watch 'src/*.test.ts'"}}`, []string{"node --test REPORTER --import tsx src/*.test.ts"}},
		"node, what a shell expands":   {`{"scripts": {"test": "node --test test/*.js none/*.js"}}`, []string{"node --test REPORTER ./test/a.js ./test/b.js none/*.js"}},
		"two, one after the other":     {`{"scripts": {"test": "npm run build && npm run test:a && yarn test:b", "build": "tsc", "test:a": "node --test", "test:b": "jest b"}}`, []string{"node --test REPORTER", "jest b " + jest}},
		"scripts that call each other": {`{"scripts": {"test": "npm run a", "a": "npm test"}, "devDependencies": {"mocha": "1"}}`, []string{"mocha " + mocha}},
		"no script":                    {`{"devDependencies": {"jest": "30", "vitest": "4"}}`, []string{"vitest run " + vitest}},
		"npm's own words":              {`{"scripts": {"test": "echo \"Error: no test specified\" && exit 1"}}`, []string{"node --test REPORTER"}},
		"nothing at all":               {`{}`, []string{"node --test REPORTER"}},
		"a shell is needed":            {`{"scripts": {"test": "jest $(cat list)"}, "devDependencies": {"jest": "30"}}`, []string{"jest " + jest}},
		"a pipe":                       {`{"scripts": {"test": "mocha | tap-spec"}}`, []string{"mocha " + mocha}},
		"a pipe to what it may be":     {`{"scripts": {"test": "mocha | sort"}}`, []string{"npm run --silent test"}},
		"ava":                          {`{"scripts": {"test": "xo && NODE_OPTIONS=--import=tsx c8 ava --serial -v"}}`, []string{"NODE_OPTIONS=--import=tsx ava --serial --tap"}},
		"tap":                          {`{"scripts": {"test": "tap --show-full-coverage --timeout=30"}}`, []string{"tap --reporter=tap --no-coverage --timeout=30"}},
		"tape":                         {`{"scripts": {"test": "tape 'test/**/*.js' | faucet"}}`, []string{"tape test/**/*.js"}},
		"uvu":                          {`{"scripts": {"test": "uvu -r esm test"}}`, []string{"uvu -r esm test"}},
		"not known":                    {`{"scripts": {"test": "xo && NODE_ENV=test karma start"}}`, []string{"NODE_ENV=test karma start"}},
		"an unknown runner":            {`{"scripts": {"test": "cd lib && karma start"}}`, []string{"npm run --silent test"}},
		"another program's word":       {`{"scripts": {"test": "eslint test/mocha"}}`, nil},
		"node runs something":          {`{"scripts": {"test": "node test/a.js none.js"}}`, []string{"node test/a.js none.js"}},
		"node runs tests for its own": {`{"scripts": {"test": "npm run lint && c8 -- npm run api", "api": "node --conditions development ./test/node/a.js"}}`,
			[]string{"node --test REPORTER --conditions development ./test/node/a.js"}},
		"what stands behind --":         {`{"scripts": {"test": "jest -- a.test.js"}}`, []string{"jest " + jest + " -- a.test.js"}},
		"what updates what is compared": {`{"scripts": {"test": "jest -u"}}`, []string{"jest " + jest}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := npm.Open(write(t, map[string]string{
				"package.json": test.manifest, "test/a.js": "", "test/b.js": "", "test/node/a.js": "import test from 'node:test'", "bin:vitest": "", "bin:jest": "", "bin:mocha": "",
				"bin:ava": "", "bin:tap": "", "bin:tape": "", "bin:uvu": "", "bin:karma": "", "bin:xo": "",
			}))
			require.NoError(t, err)
			var got []string
			for _, s := range readScript(p).suites() {
				require.False(t, s.missing)
				s.env = slices.DeleteFunc(slices.Clone(s.env), func(e string) bool { return strings.HasPrefix(e, "npm_") || strings.HasPrefix(e, "INIT_CWD=") })
				words := append(slices.Clone(s.env), strings.TrimPrefix(s.argv[0], "./node_modules/.bin/"))
				require.Equal(t, s.program == "mocha" || s.program == "node --test" || s.program == "tsx", slices.Contains(s.argv, "--require="+testrun.OurKeeper), "before tests are loaded")
				for _, w := range s.argv[1:] {
					if w == "--require="+testrun.OurKeeper {
						continue
					}
					if w == "--test-reporter="+testrun.ReporterURL() {
						w = "REPORTER"
					}
					words = append(words, w)
				}
				got = append(got, strings.Join(words, " "))
			}
			require.Equal(t, test.want, got)
		})
	}
}

// An option is for the versions that know it: an older runner would not start.
func TestSuites_KnowOptionsOfVersions(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		version string // what is in the package.json of vitest; empty: there is none
		knows   bool
	}{
		"4": {`{"version": "4.1.12"}`, true}, "3": {`{"version": "3.0.0-beta.1"}`, true}, "2": {`{"version": "2.1.9"}`, false}, "0": {`{"version": "0.34.6"}`, false},
		"no version": {`{}`, false}, "nonsense": {`{"version": 3}`, false}, "no package": {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"package.json": `{"scripts": {"test": "vitest"}}`, "a/package.json": `{"scripts": {"test": "vitest"}}`, "bin:vitest": ""}
			if test.version != "" {
				files["node_modules/vitest/package.json"] = test.version
			}
			tree := write(t, files)
			for _, in := range []gate.Tree{tree, gate.InDir(tree, "a")} {
				p, err := npm.Open(in)
				require.NoError(t, err)
				require.Equal(t, test.knows, slices.Contains(readScript(p).suites()[0].argv, "--includeTaskLocation"))
			}
		})
	}
}
