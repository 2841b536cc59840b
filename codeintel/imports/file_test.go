package imports

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"forge/codeintel"
)

func TestFileOf_UsesTheOutline(t *testing.T) {
	t.Parallel()
	needs := []codeintel.Import{{Path: "b", Names: []string{"c"}}}
	outline := codeintel.Outline{Package: "p", Imports: needs, Symbols: []codeintel.Symbol{{Name: "m", Kind: codeintel.Module}}}
	want := File{Path: "a.py", Language: codeintel.LanguagePython, Package: "p", Imports: needs}
	require.Empty(t, cmp.Diff(want, FileOf("a.py", codeintel.LanguagePython, &outline)))
	require.Empty(t, cmp.Diff(File{Path: "a.rs", Language: codeintel.LanguageRust}, FileOf("a.rs", codeintel.LanguageRust, nil)))
}

// TestFileOf_Rust reads a file with modules in it.
func TestFileOf_Rust(t *testing.T) {
	t.Parallel()
	source := `use a::b;
mod declared;
pub mod inline {
	use super::c;
	use self::d;
	use crate::e;
	use super::super::f;
	mod within;
	mod tests { use super::*; use super::super::g; use super::super::super::h; use self; }
	mod empty {}
}
use super::i;
`
	at := func(text string) codeintel.Span {
		start := strings.Index(source, text)
		require.GreaterOrEqual(t, start, 0, text)
		return codeintel.Span{Start: start, End: start + len(text)}
	}
	module := func(name, text string, children ...codeintel.Symbol) codeintel.Symbol {
		span := at(text)
		name, _, _ = strings.Cut(name, " ")
		start := span.Start + strings.Index(text, name)
		return codeintel.Symbol{Name: name, Kind: codeintel.Module, Span: span, NameSpan: codeintel.Span{Start: start, End: start + len(name)}, Children: children}
	}
	inline, _, _ := strings.Cut(source[strings.Index(source, "pub mod"):], "\nuse super::i")
	tests, _, _ := strings.Cut(source[strings.Index(source, "mod tests"):], "\n")
	outline := codeintel.Outline{
		Symbols: []codeintel.Symbol{
			module("declared", "mod declared;"),
			module("inline", inline, module("within", "mod within;"), module("tests", tests), module("empty", "mod empty {}")),
			{Name: "function", Kind: codeintel.Function},
		},
	}
	for _, path := range []string{"a::b", "super::c", "self::d", "crate::e", "super::super::f", "super::*", "super::super::g", "super::super::super::h", "self", "super::i"} {
		outline.Imports = append(outline.Imports, codeintel.Import{Path: path, Span: at("use " + path + ";")})
	}
	var got []string
	for _, need := range FileOf("a.rs", codeintel.LanguageRust, &outline).Imports {
		got = append(got, need.Path)
	}
	require.Equal(t, []string{
		"a::b", "self::declared", "self::c", "self::inline::d", "crate::e", "super::f", "self::inline::within",
		"self::inline::*", "self::g", "super::h", "self::inline::tests", "super::i",
	}, got)
	require.Equal(t, "super::c", outline.Imports[1].Path, "the outline stays as it is")
	outline.Symbols = nil
	require.Empty(t, cmp.Diff(outline.Imports, FileOf("a.rs", codeintel.LanguageRust, &outline).Imports, cmpopts.EquateEmpty()))
}

func TestIsConfiguration_KnowsFilesByName(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"go.mod", "a/go.work", "tsconfig.json", "config/base.json", "a/Cargo.toml", "pnpm-workspace.yaml"} {
		require.True(t, IsConfiguration(name), name)
	}
	for _, name := range []string{"a.go", "go.modules", "a/b.py", "other.toml", "a.yaml", "go.mod/a.go", ""} {
		require.False(t, IsConfiguration(name), name)
	}
}

// TestIsConfiguration_MatchesResolve: no file that is read is missing from the list.
func TestIsConfiguration_MatchesResolve(t *testing.T) {
	t.Parallel()
	read := map[string]bool{}
	contents := reader(map[string][]byte{"tsconfig.json": []byte(`{"extends": "./base"}`), "package.json": []byte(`{"workspaces": ["*"]}`)})
	var files []File
	for _, path := range somePaths {
		files = append(files, File{Path: path, Language: codeintel.LanguageOf(path)})
	}
	Resolve(files, func(path string) ([]byte, error) {
		read[path] = true
		return contents(path)
	})
	require.True(t, read["base.json"])
	for path := range read {
		// "extends" may leave the ending out, so that names without one are tried as well.
		require.True(t, IsConfiguration(path) || path == "base", path)
	}
}
