package npm

import (
	"path"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/imports"
	"forge/internal/lazyregexp"
)

var (
	// importWord matches an import with the following name; comments may be between.
	importWord = lazyregexp.New("\\b(?:from|import|require(?:\\.resolve)?)(?:\\s|\\(|/\\*[^*]*\\*/|//[^\\n]*\\n)*['\"`]([^'\"`\\s$]+)['\"`]")
	// relativeName matches a text that may be a path from the folder of the file: mocks, workers and data are named like this, too.
	relativeName = lazyregexp.New("['\"`](\\.{1,2}/[^'\"`\\s$]*)['\"`]")
	// besideFile matches texts that are joined with the folder of the file.
	besideFile = lazyregexp.New("\\b(?:__dirname|import\\.meta\\.dirname)((?:\\s*[,+]\\s*['\"`][^'\"`\\n$]*['\"`])+)")
	quotedText = lazyregexp.New("['\"`]([^'\"`\\n$]*)['\"`]")
)

// references returns the names of all files that a source file may import or read, even in comments: a superfluous file costs a
// test run, but a missing one omits a test. Computed names are unknown.
func references(text string) (names []codeintel.Import) {
	for _, pattern := range []*lazyregexp.Regexp{importWord, relativeName} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			names = append(names, codeintel.Import{Path: m[1]})
		}
	}
	for _, m := range besideFile.FindAllStringSubmatch(text, -1) {
		name := "."
		for _, part := range quotedText.FindAllStringSubmatch(m[1], -1) {
			name = path.Join(name, part[1])
		}
		names = append(names, codeintel.Import{Path: beside(name)})
	}
	return names
}

// beside converts a path from a folder to the form of an import.
func beside(name string) string {
	if name = path.Clean(name); name == "." || name == ".." || strings.HasPrefix(name, "../") {
		return name
	}
	return "./" + name
}

// theScript is the node of a graph for the script that starts a suite: it imports what is loaded before the tests.
const theScript = "the script test"

// importsOf returns the import graph of a project. It also contains files that a change creates or deletes, so that a change
// concerns the same tests on both sides. theScript imports loaded.
func importsOf(p *Project, changed, loaded []string) *imports.Graph {
	files := []imports.File{{Path: theScript, Language: codeintel.LanguageJavaScript}}
	for _, name := range loaded {
		files[0].Imports = append(files[0].Imports, codeintel.Import{Path: name}, codeintel.Import{Path: beside(name)})
	}
	for _, name := range changed {
		files = append(files, imports.File{Path: name, Language: scriptLanguage(name)})
	}
	for _, name := range p.Sources.Below(".", func(string) bool { return true }) {
		file := imports.File{Path: name, Language: scriptLanguage(name)}
		if file.Language != "" {
			file.Imports = references(string(p.Sources.Read(name)))
		}
		files = append(files, file)
	}
	return imports.Resolve(files, func(name string) ([]byte, error) { return p.Read(name, MaxManifest) })
}

// scriptLanguage returns the language whose rules apply to a file's imports; empty if it is not code.
func scriptLanguage(name string) codeintel.Language {
	language := codeintel.LanguageOf(name)
	switch {
	case !IsCode(name):
		return ""
	case language == "": // components that contain code
		return codeintel.LanguageTypeScript
	}
	return language
}

// Importers returns the files of a project that import missing ones, sorted.
func Importers(p *Project, missing []string) (files []string) {
	if len(missing) == 0 {
		return nil
	}
	graph := importsOf(p, missing, nil)
	for _, file := range missing {
		files = append(files, graph.Importers(file)...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}
