package imports

import (
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
	"strings"

	"forge/codeintel"
)

// scan reads what a source of a fixture imports, written as outliners write it. It knows the plain forms alone: one
// import on a line of its own.
func scan(path, source string) File {
	file := File{Path: path, Language: codeintel.LanguageOf(path)}
	switch file.Language {
	case codeintel.LanguageGo:
		scanGo(&file, source)
	case codeintel.LanguagePython:
		scanLines(&file, source, pythonImports)
	case codeintel.LanguageTypeScript, codeintel.LanguageTSX, codeintel.LanguageJavaScript:
		scanLines(&file, source, scriptImports)
	case codeintel.LanguageRust:
		scanLines(&file, source, matches(rustImport))
	case codeintel.LanguageC, codeintel.LanguageCPP:
		scanLines(&file, source, matches(cInclude))
	case codeintel.LanguageJava:
		scanLines(&file, source, matches(javaImport))
		if match := javaPackageLine.FindStringSubmatch(source); match != nil {
			file.Package = match[1]
		}
	}
	return file
}

func scanGo(file *File, source string) {
	tree, _ := parser.ParseFile(token.NewFileSet(), "", source, parser.ImportsOnly)
	if tree == nil {
		return
	}
	file.Package = tree.Name.Name
	for _, spec := range tree.Imports {
		path, _ := strconv.Unquote(spec.Path.Value)
		file.Imports = append(file.Imports, codeintel.Import{Path: path})
	}
}

func scanLines(file *File, source string, of func(line string) []codeintel.Import) {
	for line := range strings.Lines(source) {
		file.Imports = append(file.Imports, of(strings.TrimSpace(line))...)
	}
}

var pythonFrom = regexp.MustCompile(`^from\s+(\S+)\s+import\s+\(?([^#()]*)\)?`)

func pythonImports(line string) []codeintel.Import {
	if match := pythonFrom.FindStringSubmatch(line); match != nil {
		return []codeintel.Import{{Path: match[1], Names: pythonNames(match[2])}}
	}
	var needs []codeintel.Import
	if rest, ok := strings.CutPrefix(line, "import "); ok {
		for _, name := range pythonNames(rest) {
			needs = append(needs, codeintel.Import{Path: name})
		}
	}
	return needs
}

func pythonNames(list string) []string {
	var names []string
	for name := range strings.SplitSeq(list, ",") {
		if words := strings.Fields(name); len(words) > 0 {
			names = append(names, words[0])
		}
	}
	return names
}

var scriptImport = regexp.MustCompile(`(?:\bfrom|\bimport|\brequire\(|\bimport\()\s*['"]([^'"]+)['"]`)

func scriptImports(line string) []codeintel.Import {
	var needs []codeintel.Import
	for _, match := range scriptImport.FindAllStringSubmatch(line, -1) {
		needs = append(needs, codeintel.Import{Path: match[1]})
	}
	return needs
}

var (
	rustImport      = regexp.MustCompile(`^(?:pub )?(?:use |extern crate )?((?:mod )?[^;]+);`)
	javaImport      = regexp.MustCompile(`^import (?:static )?([^;]+);`)
	javaPackageLine = regexp.MustCompile(`(?m)^package ([^;]+);`)
	cInclude        = regexp.MustCompile(`^#\s*include\s*"?([^"]+)"?`)
)

// matches reads one import a line: what the group of a pattern matches.
func matches(pattern *regexp.Regexp) func(line string) []codeintel.Import {
	return func(line string) []codeintel.Import {
		if match := pattern.FindStringSubmatch(line); match != nil {
			return []codeintel.Import{{Path: match[1]}}
		}
		return nil
	}
}
