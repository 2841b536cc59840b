// Package lines reads outlines line by line, or word by word, of languages that no grammar reads better: Lua, SQL, Markdown, YAML and
// TOML. It finds what is declared outside of functions, takes time linear in the text, whatever that holds, and uses no recursion. It does
// not know what is broken, and gives no references.
package lines

import "forge/codeintel"

var scanners = map[codeintel.Language]func(source string) findings{
	codeintel.LanguageLua:      scanLua,
	codeintel.LanguageSQL:      scanSQL,
	codeintel.LanguageMarkdown: scanMarkdown,
	codeintel.LanguageYAML:     scanYAML,
	codeintel.LanguageTOML:     scanTOML,
}

// Outline reads a text. That of another language has an empty outline.
func Outline(language codeintel.Language, source string) codeintel.Outline {
	outline := codeintel.Outline{Language: language}
	if scanner := scanners[language]; scanner != nil {
		f := scanner(source)
		outline.Symbols, outline.Imports = f.symbols(), f.imports
	}
	return outline
}
