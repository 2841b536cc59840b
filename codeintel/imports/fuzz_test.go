package imports

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/tidwall/jsonc"

	"forge/codeintel"
)

// FuzzConfigurations puts a text in the place of every file of configuration.
func FuzzConfigurations(f *testing.F) {
	for _, seed := range []string{
		"module m\nreplace a => ./b\n", "module (\n\"", "[package]\nname = \"x\"\n[[bin]]\npath = \"a.rs\"",
		"[lib]\npath = '../../x'", "[a]\nb = [[[[{c = 1, d = {", "[options]\npackage_dir =\n\t=src", "packages:\n- '**/**/**'\n- '!['",
		`{"extends": ["./tsconfig.json", "..", "a"], "references": [{"path": "."}], "compilerOptions": {"baseUrl": "../..", "paths": {"*": ["*"]}}}`,
		`{"name": "a", "workspaces": ["**"], "exports": {".": {"import": ["./a.ts"]}, "./*": "../*"}, "imports": {"#*": "./*"}}`,
		"{/*", "{//", `{"a`, "\uFEFF{}", strings.Repeat("[", 50), strings.Repeat("{a=", 50), "a = \"\\", "a = '''", "=", "\x00",
	} {
		f.Add(seed)
	}
	var files []File
	for _, path := range []string{"a/a.go", "a/b/c.go", "a/m.py", "a/p/__init__.py", "a/i.ts", "b/i.js", "src/lib.rs", "a/src/a.rs"} {
		file := File{Path: path, Language: codeintel.LanguageOf(path)}
		for _, need := range []string{"m/a", "a", "m", "./i", "@w/a", "#a", "crate::a"} {
			file.Imports = append(file.Imports, codeintel.Import{Path: need})
		}
		files = append(files, file)
	}
	f.Fuzz(func(t *testing.T, config string) {
		read := func(path string) ([]byte, error) {
			require.True(t, fs.ValidPath(path), path)
			return []byte(config), nil
		}
		once, again := Resolve(files, read), Resolve(files, read)
		require.Equal(t, dump(once), dump(again))
	})
}

// FuzzImports writes any text as an import of every language.
func FuzzImports(f *testing.F) {
	for _, need := range someImports {
		f.Add(need, "m")
	}
	for _, seed := range []string{"a::{b, {c}, d::{", "{", "}", "../../..", "...", "a..b", "@/", "@w/a/../..", "<", "<>", "/", "//", "#", "?", "*", "mod ", "\xff"} {
		f.Add(seed, seed)
	}
	read := reader(map[string][]byte{
		"go.mod": []byte("module m"), "package.json": []byte(`{"name": "w", "imports": {"#*": "./*"}}`), "Cargo.toml": []byte("[package]\nname = 'app'"),
		"tsconfig.json": []byte(`{"compilerOptions": {"baseUrl": "a", "paths": {"@/*": ["*"]}}}`),
	})
	f.Fuzz(func(t *testing.T, need, name string) {
		known := map[string]bool{}
		var files []File
		for _, path := range somePaths {
			known[path] = true
			files = append(files, File{Path: path, Language: codeintel.LanguageOf(path), Imports: []codeintel.Import{{Path: need}, {Path: need, Names: []string{name}}}})
		}
		g := Resolve(files, read)
		for _, path := range somePaths {
			for _, target := range g.Direct(path) {
				require.True(t, known[target], target)
				require.NotEqual(t, path, target)
				require.Contains(t, g.Importers(target), path)
			}
		}
	})
}

// FuzzJSON: JSON stays what it is, and comments between its lines change nothing.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{`{"a": [1, "//", "/*", ",]"]}`, `"\""`, `[1,]`, `{"a": 1,}`, "[1, // x\n]", "[/*,*/]", "[,]", `"\`, "/", "/*/"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		plain := jsonc.ToJSON([]byte(text))
		require.LessOrEqual(t, len(plain), len(text))
		var lines bytes.Buffer
		if json.Indent(&lines, []byte(text), "", " ") != nil {
			return
		}
		require.Equal(t, text, string(plain))
		commented := strings.ReplaceAll(lines.String(), "\n", "/* \"*/ // ,]}\n")
		require.JSONEq(t, text, string(jsonc.ToJSON([]byte(commented))))
	})
}

// FuzzTOML reads any text to its end.
func FuzzTOML(f *testing.F) {
	for _, seed := range []string{
		"[a]\nb = 'c'\n[[d.e]]\n\"f\" = [\"g\", 1, { h = \"i\", j = true }] # k\nl.m = \"\"\"n\no\"\"\"", "a = [", "a = {", "a = {b", "a =", "[", "a = \"\\u12", "a = ]", "a = }x",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		all := readTOML([]byte(text))
		for _, key := range all.keys() {
			require.Empty(t, all.in(key).in("x", "y").word("z"))
			require.LessOrEqual(t, len(all.word(key)), len(text))
		}
	})
}
