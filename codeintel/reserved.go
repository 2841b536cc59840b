package codeintel

import (
	"slices"
	"strings"
)

// reserved are words that are no names, by family of languages. A grammar takes some of them for names where nothing else can stand.
var reserved = map[Language]string{
	LanguageGo: "break case chan const continue default defer else fallthrough for func go goto if import interface map package range " +
		"return select struct switch type var",
	LanguagePython: "False None True and as assert async await break class continue def del elif else except finally for from global if " +
		"import in is lambda nonlocal not or pass raise return try while with yield",
	LanguageTypeScript: "break case catch class const continue debugger default delete do else enum export extends false finally for function " +
		"if import in instanceof new null return super switch this throw true try typeof var void while with yield let static await",
	LanguageRust: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref " +
		"return self Self static struct super trait true type unsafe use where while",
	LanguageJava: "abstract assert boolean break byte case catch char class const continue default do double else enum extends final finally " +
		"float for goto if implements import instanceof int interface long native new null package private protected public return short static " +
		"super switch synchronized this throw throws transient try void volatile while true false",
	LanguageC: "auto break case char const continue default do double else enum extern float for goto if inline int long register restrict " +
		"return short signed sizeof static struct switch typedef union unsigned void volatile while",
	LanguageRuby: "alias and begin break case class def defined do else elsif end ensure false for if in module next nil not or redo rescue " +
		"retry return self super then true undef unless until when while yield",
}

// IsReserved reports whether a word cannot be a name in a language.
func IsReserved(language Language, word string) bool {
	return slices.Contains(strings.Fields(reserved[family(language)]), word)
}
