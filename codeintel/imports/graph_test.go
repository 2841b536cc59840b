package imports

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

// chain is a graph of Python modules that import each other as written: "a" to "b c" is a.py that imports b and c.
func chain(needs map[string][]string) *Graph {
	var files []File
	for module, modules := range needs {
		files = append(files, pythonFile(module, modules))
	}
	return Resolve(files, nil)
}

func pythonFile(module string, needs []string) File {
	file := File{Path: module + ".py", Language: codeintel.LanguagePython}
	for _, needed := range needs {
		file.Imports = append(file.Imports, codeintel.Import{Path: needed})
	}
	return file
}

func TestGraph_GoesBothWays(t *testing.T) {
	t.Parallel()
	g := chain(map[string][]string{"a": {"c", "b", "a", "c"}, "b": {"d"}, "c": {"a"}, "d": {"e", "b"}, "e": nil, "f": {"b"}})
	require.Equal(t, []string{"b.py", "c.py"}, g.Direct("a.py"), "sorted, once each, not itself")
	require.Equal(t, []string{"a.py", "d.py", "f.py"}, g.Importers("b.py"))
	require.Empty(t, g.Direct("e.py"))
	require.Empty(t, g.Importers("f.py"))
	require.Empty(t, g.Direct("unknown.py"))
}

func TestGraph_WalksBreadthFirst(t *testing.T) {
	t.Parallel()
	g := chain(map[string][]string{"a": {"z", "b"}, "z": {"c"}, "b": {"y", "z"}, "c": {"a", "d"}, "y": {"c"}, "d": nil})
	for depth, want := range [][]string{
		nil,
		{"b.py", "z.py"},
		{"b.py", "z.py", "c.py", "y.py"},
		{"b.py", "z.py", "c.py", "y.py", "d.py"},
		{"b.py", "z.py", "c.py", "y.py", "d.py"},
	} {
		require.Equal(t, want, g.Transitive("a.py", depth), depth)
	}
	require.Equal(t, []string{"c.py", "y.py", "z.py"}, g.Downstream("d.py", DefaultDepth))
	require.Equal(t, g.Importers("d.py"), g.Downstream("d.py", 1))
	require.Nil(t, g.Transitive("a.py", -1))
}

func TestGraph_ZeroHasNothing(t *testing.T) {
	t.Parallel()
	var g Graph
	require.Empty(t, g.Direct("a.py"))
	require.Empty(t, g.Importers("a.py"))
	require.Empty(t, g.Downstream("a.py", DefaultDepth))
	require.Equal(t, []string{"b.py"}, g.With(pythonFile("b", nil)).With(pythonFile("a", []string{"b"})).Direct("a.py"))
}

func TestResolve_LeavesUncleanPathsOut(t *testing.T) {
	t.Parallel()
	file := func(path string) File {
		return File{Path: path, Language: codeintel.LanguagePython, Imports: []codeintel.Import{{Path: "b"}}}
	}
	g := Resolve([]File{file("../a.py"), file("/a.py"), file("./b.py"), file("x//b.py"), file(""), file("."), file("b.py"), file("a.py")}, nil)
	require.Equal(t, []string{"a.py"}, g.Importers("b.py"))
	require.Empty(t, g.Direct("../a.py"))
}

// TestRead_StaysInside: whatever configurations say, nothing outside of the root is asked for.
func TestRead_StaysInside(t *testing.T) {
	t.Parallel()
	contents := map[string][]byte{
		"go.mod":         []byte("module m\nreplace x => ../../x"),
		"tsconfig.json":  []byte(`{"extends": ["../up", "/etc/tsconfig.json", "./a/../../up.json"], "references": [{"path": ".."}, {"path": "/"}]}`),
		"package.json":   []byte(`{"workspaces": ["../*", "/*"], "main": "../../x", "dependencies": {"x": "file:../../x"}}`),
		"pyproject.toml": []byte(`tool.pytest.ini_options.pythonpath = ["../..", "/"]`),
	}
	read := func(path string) ([]byte, error) {
		require.NotContains(t, path, "..")
		require.NotEqual(t, byte('/'), path[0])
		return reader(contents)(path)
	}
	var files []File
	for _, path := range []string{"a/a.go", "a/a.py", "a/a.ts"} {
		files = append(files, File{Path: path, Language: codeintel.LanguageOf(path), Imports: []codeintel.Import{{Path: "x"}, {Path: "../../x"}}})
	}
	require.Empty(t, Resolve(files, read).Direct("a/a.ts"))
}

// TestResolve_ConfigurationsThatAskForEverything end: circles, and what fans out without end.
func TestResolve_ConfigurationsThatAskForEverything(t *testing.T) {
	t.Parallel()
	wide := `{"extends": [` + strings.Repeat(`"./a/tsconfig", "./b/tsconfig", `, 8) + `], "references": [{"path": "."}, {"path": "./c"}], "compilerOptions": {"paths": {"@/*": ["./*"]}}}`
	deep := strings.Repeat("[", 100_000)
	stars := `{"name": "a", "workspaces": ["` + strings.Repeat("**/a/", 1000) + `b"]}`
	for _, config := range []string{wide, deep, stars, strings.Repeat("a = {b = [", 100_000)} {
		reads := 0
		read := func(string) ([]byte, error) {
			reads++
			return []byte(config), nil
		}
		folder := strings.Repeat("a/", 8)
		file := File{Path: folder + "main.ts", Language: codeintel.LanguageTypeScript, Imports: []codeintel.Import{{Path: "@/x"}}}
		Resolve([]File{file, {Path: folder + "main.rs", Language: codeintel.LanguageRust}, {Path: "x.ts"}}, read)
		require.Less(t, reads, 100_000)
	}
}
