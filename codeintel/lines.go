package codeintel

var scanners = map[Language]func(source string) findings{
	LanguageLua:      scanLua,
	LanguageSQL:      scanSQL,
	LanguageMarkdown: scanMarkdown,
	LanguageYAML:     scanYAML,
	LanguageTOML:     scanTOML,
}

// OutlineByLines reads a text. That of another language has an empty outline.
func OutlineByLines(language Language, source string) Outline {
	outline := Outline{Language: language}
	if scanner := scanners[language]; scanner != nil {
		f := scanner(source)
		outline.Symbols, outline.Imports = f.symbols(), f.imports
	}
	return outline
}
