package related

import (
	"path"
	"slices"
	"strings"

	"forge/codeintel"
	"forge/codeintel/imports"
	"forge/engine/gate/javascript/npm"
	"forge/internal/lazyregexp"
)

var (
	// importWord is a word that imports, with the name behind it; comments may stand between.
	importWord = lazyregexp.New("\\b(?:from|import|require(?:\\.resolve)?)(?:\\s|\\(|/\\*[^*]*\\*/|//[^\\n]*\\n)*['\"`]([^'\"`\\s$]+)['\"`]")
	// relativeName is a text that may be a path from the folder of the file: mocks, workers and data are named so, too.
	relativeName = lazyregexp.New("['\"`](\\.{1,2}/[^'\"`\\s$]*)['\"`]")
	// besideFile are texts that are joined with the folder of the file.
	besideFile = lazyregexp.New("\\b(?:__dirname|import\\.meta\\.dirname)((?:\\s*[,+]\\s*['\"`][^'\"`\\n$]*['\"`])+)")
	quotedText = lazyregexp.New("['\"`]([^'\"`\\n$]*)['\"`]")
)

// references are the names of all that a file of code imports, or may read. Those in comments are among them: a file too many costs a test, and one
// too few a test that is not run. A name that is computed is not known.
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

// beside is a path from a folder as an import has it.
func beside(name string) string {
	if name = path.Clean(name); name == "." || name == ".." || strings.HasPrefix(name, "../") {
		return name
	}
	return "./" + name
}

// theScript is what stands in a graph for the script that starts a suite: it imports what is loaded before the tests.
const theScript = "the script test"

// importsOf is which file of a project imports which. Those that a change makes or deletes are in it, wherever they are missing: what a change concerns
// is the same on both sides of it then. loaded is imported by theScript.
func importsOf(p *npm.Project, changed, loaded []string) *imports.Graph {
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
	return imports.Resolve(files, func(name string) ([]byte, error) { return p.Read(name, npm.MaxManifest) })
}

// scriptLanguage is the language by whose rules a file imports; empty where it is no code.
func scriptLanguage(name string) codeintel.Language {
	language := codeintel.LanguageOf(name)
	switch {
	case !npm.IsCode(name):
		return ""
	case language == "": // components with a part that is code
		return codeintel.LanguageTypeScript
	}
	return language
}

// Importers are the files of a project that import missing ones, sorted.
func Importers(p *npm.Project, missing []string) (files []string) {
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
