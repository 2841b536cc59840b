package fit

import (
	"forge/codeintel"
	"forge/internal/lazyregexp"
)

// onlyCPP matches what a header of C++ has and one of C does not.
var onlyCPP = lazyregexp.New(`(?m)^[ \t]*(?:template[ \t]*<|namespace[ \t]+[\w:]*[ \t\r]*\{?[ \t\r]*$|using[ \t]+namespace|class[ \t]+\w+[^;\n]*$|(?:public|private|protected)[ \t]*:)`)

// Dialect returns the language that a text is read as. The name of a header does not distinguish C from C++.
func Dialect(language codeintel.Language, source string) codeintel.Language {
	if language == codeintel.LanguageC && onlyCPP.MatchString(source) {
		return codeintel.LanguageCPP
	}
	return language
}
