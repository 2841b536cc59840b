package imports

import (
	"path"
	"slices"
	"strings"

	"forge/codeintel"
)

// File is a file with what it imports, as written. FileOf makes one from an outline.
type File struct {
	Path     string // relative to the root, slash-separated
	Language codeintel.Language
	Package  string
	Imports  []codeintel.Import
}

// FileOf returns the imports of a file by its outline; outline may be nil. Of Rust, "mod a;" is an import too,
// which outlines have among their symbols, and paths in a module that is written within a file are turned into those
// that lead to the same place from the file itself.
func FileOf(name string, language codeintel.Language, outline *codeintel.Outline) File {
	file := File{Path: name, Language: language}
	if outline == nil {
		return file
	}
	file.Package, file.Imports = outline.Package, outline.Imports
	if language == codeintel.LanguageRust {
		file.Imports = rustImports(outline)
	}
	return file
}

// IsConfiguration reports whether Resolve reads a file, by its name, for its content: if it changes, so may the
// imports of any file. That a file is there or not matters of every file.
func IsConfiguration(name string) bool {
	base := path.Base(name)
	switch base {
	case "go.mod", "go.work", "package.json", "lerna.json", "pnpm-workspace.yaml", "pyproject.toml", "setup.cfg", "setup.py", "Cargo.toml":
		return true
	}
	// A tsconfig.json may extend a file of any name.
	return strings.HasSuffix(base, ".json")
}

// rustModule is a module that is declared or written in a file.
type rustModule struct {
	path   []string
	span   codeintel.Span
	inline bool
}

// rustImports returns the imports of an outline as seen from the file, in order of the source.
func rustImports(outline *codeintel.Outline) []codeintel.Import {
	modules := rustModules(nil, nil, outline.Symbols)
	if len(modules) == 0 {
		return outline.Imports
	}
	needs := slices.Clone(outline.Imports)
	for i := range needs {
		for _, module := range slices.Backward(modules) { // the innermost first
			if module.inline && module.span.Start <= needs[i].Span.Start && needs[i].Span.Start < module.span.End {
				needs[i].Path = fromOutside(module.path, needs[i].Path)
				break
			}
		}
	}
	for _, module := range modules {
		if !module.inline {
			needs = append(needs, codeintel.Import{Path: "self::" + strings.Join(module.path, "::"), Span: module.span})
		}
	}
	slices.SortStableFunc(needs, func(a, b codeintel.Import) int { return a.Span.Start - b.Span.Start })
	return needs
}

// rustModules appends the modules among some symbols, each before those in it.
func rustModules(modules []rustModule, path []string, symbols []codeintel.Symbol) []rustModule {
	for _, s := range symbols {
		if s.Kind != codeintel.Module {
			continue
		}
		own := append(slices.Clone(path), s.Name)
		// Behind the name of "mod a;" nothing but the semicolon is left.
		inline := s.Span.End-s.NameSpan.End > 1
		modules = append(modules, rustModule{own, s.Span, inline})
		modules = rustModules(modules, own, s.Children)
	}
	return modules
}

// fromOutside turns a path in a module of a file into one of the file: each "super" leads one module up.
func fromOutside(module []string, path string) string {
	words := strings.Split(path, "::")
	if words[0] != "self" && words[0] != "super" {
		return path
	}
	if words[0] == "self" {
		words = words[1:]
	}
	for len(words) > 0 && words[0] == "super" && len(module) > 0 {
		words, module = words[1:], module[:len(module)-1]
	}
	if len(words) > 0 && words[0] == "super" {
		return strings.Join(words, "::")
	}
	return strings.Join(slices.Concat([]string{"self"}, module, words), "::")
}
