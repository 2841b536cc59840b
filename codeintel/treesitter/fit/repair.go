package fit

import (
	"strings"

	"forge/internal/lazyregexp"
)

// A grammar can be older than its language. Repairs rewrite what the grammar of TypeScript does not know into something
// of the same length that it does know, and that means the same to an outline. They are tried on texts that did not
// parse, and kept if that makes them better.
var (
	variance      = lazyregexp.New(`[<,]\s*(?:(?:in|out)\s+){1,2}[\pL_$]`)
	varianceWords = lazyregexp.New(`\b(?:in|out)\b`)
	importType    = lazyregexp.New(`(typeof\s+|[:<|&]\s*)(import\(\s*(?:'[^'\n]*'|"[^"\n]*")\s*\))`)
	lineOfGeneric = lazyregexp.New(`\n[ \t]+<`)
	commentLines  = lazyregexp.New(`(?s:/\*.*?\*/)|(?m:^[ \t]*//.*$)`)
)

// TypeScript rewrites what the grammar of TypeScript does not know into something of the same length that it does know.
func TypeScript(source string) string {
	source = variance.ReplaceAllStringFunc(source, func(text string) string { // interface I<in out T>
		return varianceWords.ReplaceAllStringFunc(text, func(word string) string { return strings.Repeat(" ", len(word)) })
	})
	repaired := []byte(source)
	for _, m := range importType.FindAllStringSubmatchIndex(source, -1) { // import("./a").B<T>
		copy(repaired[m[4]:m[5]], strings.Repeat("_", m[5]-m[4]))
	}
	bare := blank(commentLines, source)
	for _, m := range lineOfGeneric.FindAllStringIndex(source, -1) { // <T>(): void on a line of its own, without ";" above
		if above := strings.TrimRight(bare[:m[0]], " \t\r\n"); above != "" && endsType(above[len(above)-1]) {
			repaired[m[1]-2] = ';'
		}
	}
	return string(repaired)
}

// blank replaces what matches by spaces.
func blank(what *lazyregexp.Regexp, source string) string {
	return what.ReplaceAllStringFunc(source, func(text string) string { return strings.Repeat(" ", len(text)) })
}

func endsType(c byte) bool {
	return c == ')' || c == '>' || c == ']' || c == '}' || c == '_' || c == '$' || c == '\'' || c == '"' ||
		'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}
