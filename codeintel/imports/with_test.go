package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"forge/codeintel"
)

// dump writes a graph down as users see it.
func dump(g *Graph) string {
	var b strings.Builder
	for _, file := range g.tree.files {
		fmt.Fprintf(&b, "%s (%s %s): %v imports %q, imported by %q, below %q, above %q\n", file.Path, file.Language, file.Package,
			file.Imports, g.Direct(file.Path), g.Importers(file.Path),
			g.Transitive(file.Path, DefaultDepth), g.Downstream(file.Path, DefaultDepth))
	}
	return b.String()
}

// The parts that random trees are made of: few enough that files find each other, in all kinds of ways.
var (
	somePaths = []string{
		"go.mod", "a/a.go", "a/b.go", "a/a_test.go", "b/b.go", "b/c/c.go", "b/go.mod", "vendor/x/x.go", "src/a/a.go",
		"a/__init__.py", "a/m.py", "b/m.py", "m.py", "src/m.py", "src/p/__init__.py", "src/p/q.py", "pyproject.toml",
		"i.ts", "a/i.ts", "a/index.tsx", "b/i.js", "tsconfig.json", "a/tsconfig.json", "package.json", "a/package.json",
		"Cargo.toml", "src/lib.rs", "src/a.rs", "src/a/b.rs", "a/mod.rs", "tests/t.rs", "build.rs",
		"src/main/java/a/A.java", "src/test/java/a/A.java", "b/A.java", "a/main.c", "a/x.h", "include/x.h", "b/a/x.h",
		"../out.go", "/etc/passwd", "", ".",
	}
	someImports = []string{
		"m/a", "m/b", "m/b/c", "other/c", "x", "fmt", "./a", "../b", "example.com/m/a", "example.com/m/b", "example.com/a",
		"a", "a.m", "b.m", "m", "p.q", "p", ".", "..", ".m", "..a.m", "...", "./i", "../i", "../a", "../a/index.js", "@/i", "@w/a", "i",
		"crate::a::b", "mod a", "super::a", "a::{b, self}", "app::a", "a.A", "main.A", "a.*", "a.A.x", "x.h", "<x.h>", "a/x.h",
	}
	someConfigs = map[string][]string{
		"go.mod":         {"module m", "module example.com/m\nreplace other => ./b", "garbage"},
		"b/go.mod":       {"module other", "module m/b", "replace m => .."},
		"pyproject.toml": {"", "[tool.pytest.ini_options]\npythonpath=['b']"},
		"Cargo.toml":     {"[package]\nname = 'app'", "[package]\nname = 'app'\nedition = '2021'\n[lib]\npath = 'src/a.rs'"},
		"tsconfig.json":  {`{"compilerOptions":{"paths":{"@/*":["a/*"]}}}`, `{"extends":"./a/tsconfig","compilerOptions":{"baseUrl":"a"}}`},
		"package.json":   {`{"workspaces":["*"]}`, `{"name":"x"`},
		"a/package.json": {`{"name":"@w/a"}`, `{"name":"@w/a","main":"i.js"}`},
	}
)

func drawFile(t *rapid.T) File {
	path := rapid.SampledFrom(somePaths).Draw(t, "path")
	file := File{Path: path, Language: codeintel.LanguageOf(path)}
	file.Package = rapid.SampledFrom([]string{"", "a", "main"}).Draw(t, "package")
	for range rapid.IntRange(0, 4).Draw(t, "imports") {
		need := codeintel.Import{Path: rapid.SampledFrom(someImports).Draw(t, "import")}
		need.Names = rapid.SliceOfN(rapid.SampledFrom([]string{"m", "q", "X", "*"}), 0, 2).Draw(t, "names")
		file.Imports = append(file.Imports, need)
	}
	return file
}

func drawConfigs(t *rapid.T) map[string][]byte {
	contents := map[string][]byte{}
	for _, path := range slices.Sorted(maps.Keys(someConfigs)) {
		if rapid.Bool().Draw(t, "has "+path) {
			contents[path] = []byte(rapid.SampledFrom(someConfigs[path]).Draw(t, path))
		}
	}
	return contents
}

// TestWith_IsResolve: a graph that was changed file by file is the one that is made from all files at once, and the
// graphs on the way stay as they were.
func TestWith_IsResolve(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		read := reader(drawConfigs(t))
		files := rapid.SliceOfN(rapid.Custom(drawFile), 0, 20).Draw(t, "files")
		graph := Resolve(files, read)
		for range rapid.IntRange(1, 8).Draw(t, "edits") {
			before := dump(graph)
			file := drawFile(t)
			files = append(files, file)
			with := graph.With(file)
			require.Empty(t, cmp.Diff(dump(Resolve(files, read)), dump(with)))
			require.Equal(t, before, dump(graph))
			graph = with
		}
	})
}

// TestWith_OrderDoesNotMatter shuffles the files.
func TestWith_OrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		read := reader(drawConfigs(t))
		files := rapid.SliceOfNDistinct(rapid.Custom(drawFile), 0, 20, func(f File) string { return f.Path }).Draw(t, "files")
		shuffled := rapid.Permutation(files).Draw(t, "shuffled")
		require.Empty(t, cmp.Diff(dump(Resolve(files, read)), dump(Resolve(shuffled, read))))
	})
}
