package index

import (
	"context"

	"go.lsp.dev/protocol"

	"forge/codeintel"
	"forge/lsp/editor"
)

// languages translates what clients call languages.
var languages = map[protocol.LanguageKind]codeintel.Language{
	protocol.LanguageKindGo:              codeintel.LanguageGo,
	protocol.LanguageKindPython:          codeintel.LanguagePython,
	protocol.LanguageKindTypeScript:      codeintel.LanguageTypeScript,
	protocol.LanguageKindTypeScriptReact: codeintel.LanguageTSX,
	protocol.LanguageKindJavaScript:      codeintel.LanguageJavaScript,
	protocol.LanguageKindJavaScriptReact: codeintel.LanguageJavaScript,
	protocol.LanguageKindRust:            codeintel.LanguageRust,
	protocol.LanguageKindJava:            codeintel.LanguageJava,
	protocol.LanguageKindC:               codeintel.LanguageC,
	protocol.LanguageKindCPP:             codeintel.LanguageCPP,
	protocol.LanguageKindCSharp:          codeintel.LanguageCSharp,
	protocol.LanguageKindRuby:            codeintel.LanguageRuby,
	protocol.LanguageKindPHP:             codeintel.LanguagePHP,
	"kotlin":                             codeintel.LanguageKotlin,
	protocol.LanguageKindSwift:           codeintel.LanguageSwift,
	protocol.LanguageKindScala:           codeintel.LanguageScala,
	protocol.LanguageKindShellScript:     codeintel.LanguageBash,
	"bash":                               codeintel.LanguageBash, // what Neovim and Emacs call them
	"sh":                                 codeintel.LanguageBash,
	"cs":                                 codeintel.LanguageCSharp,
	protocol.LanguageKindLua:             codeintel.LanguageLua,
	protocol.LanguageKindSQL:             codeintel.LanguageSQL,
	protocol.LanguageKindMarkdown:        codeintel.LanguageMarkdown,
	protocol.LanguageKindYAML:            codeintel.LanguageYAML,
	"toml":                               codeintel.LanguageTOML,
}

// languageOf is the language of a document: what the client says, or else what its name says; empty where both say
// nothing.
func languageOf(d editor.Document) codeintel.Language {
	if language, known := languages[protocol.LanguageKind(d.LanguageID)]; known {
		return language
	}
	return codeintel.LanguageOf(string(d.URI))
}

// Outliner reads the symbols of a text.
type Outliner = codeintel.Outliner

// GoOutliner reads Go alone.
type GoOutliner struct{}

// Outline implements codeintel.Outliner.
func (GoOutliner) Outline(_ context.Context, language codeintel.Language, source string) (codeintel.Outline, error) {
	if language != codeintel.LanguageGo {
		return codeintel.Outline{Language: language}, nil
	}
	return codeintel.GoOutline(source), nil
}
