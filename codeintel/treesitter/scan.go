package treesitter

import "forge/codeintel"

// scanners read languages line by line, without a grammar. They find what is declared outside of functions; they take
// time linear in the text, whatever it holds, and use no recursion.
var scanners = map[codeintel.Language]func(source string) findings{
	codeintel.LanguageLua:      scanLua,
	codeintel.LanguageSQL:      scanSQL,
	codeintel.LanguageMarkdown: scanMarkdown,
	codeintel.LanguageYAML:     scanYAML,
	codeintel.LanguageTOML:     scanTOML,
}

// scan reads the outline of a text without a grammar. It does not know what is broken, and gives no references.
func scan(language codeintel.Language, source string) codeintel.Outline {
	outline := codeintel.Outline{Language: language}
	if scanner := scanners[dialect(language, source)]; scanner != nil {
		f := scanner(source)
		outline.Package, outline.Symbols, outline.Imports = f.pkg, f.symbols(), f.imports
	}
	return outline
}
