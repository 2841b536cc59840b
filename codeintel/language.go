package codeintel

import (
	"path"
	"strings"
)

// Language names the language of a file.
type Language string

// The languages that have an outline. Any other text is searched by its words alone.
const (
	LanguageGo         Language = "go"
	LanguagePython     Language = "python"
	LanguageTypeScript Language = "typescript"
	LanguageTSX        Language = "tsx"
	LanguageJavaScript Language = "javascript" // JSX too
	LanguageRust       Language = "rust"
	LanguageJava       Language = "java"
	LanguageC          Language = "c"
	LanguageCPP        Language = "cpp"
	LanguageCSharp     Language = "csharp"
	LanguageRuby       Language = "ruby"
	LanguagePHP        Language = "php"
	LanguageKotlin     Language = "kotlin"
	LanguageSwift      Language = "swift"
	LanguageScala      Language = "scala"
	LanguageBash       Language = "bash"
	LanguageLua        Language = "lua"
	LanguageSQL        Language = "sql"
	LanguageMarkdown   Language = "markdown" // headings
	LanguageYAML       Language = "yaml"     // keys
	LanguageTOML       Language = "toml"     // keys
)

var languagesByExtension = map[string]Language{
	".go": LanguageGo, ".py": LanguagePython, ".pyi": LanguagePython,
	".ts": LanguageTypeScript, ".mts": LanguageTypeScript, ".cts": LanguageTypeScript, ".tsx": LanguageTSX,
	".js": LanguageJavaScript, ".mjs": LanguageJavaScript, ".cjs": LanguageJavaScript, ".jsx": LanguageJavaScript,
	".rs": LanguageRust, ".java": LanguageJava, ".c": LanguageC, ".h": LanguageC,
	".cc": LanguageCPP, ".cpp": LanguageCPP, ".cxx": LanguageCPP, ".hh": LanguageCPP, ".hpp": LanguageCPP, ".hxx": LanguageCPP,
	".cs": LanguageCSharp, ".rb": LanguageRuby, ".rake": LanguageRuby, ".php": LanguagePHP,
	".kt": LanguageKotlin, ".kts": LanguageKotlin, ".swift": LanguageSwift, ".scala": LanguageScala, ".sc": LanguageScala,
	".sh": LanguageBash, ".bash": LanguageBash, ".lua": LanguageLua, ".sql": LanguageSQL,
	".md": LanguageMarkdown, ".markdown": LanguageMarkdown, ".yaml": LanguageYAML, ".yml": LanguageYAML, ".toml": LanguageTOML,
}

// LanguageOf returns the language by the name of a file; empty if unknown.
func LanguageOf(name string) Language {
	return languagesByExtension[strings.ToLower(path.Ext(name))]
}
