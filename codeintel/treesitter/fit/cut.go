package fit

import "forge/internal/lazyregexp"

// Lines on which a declaration of a file begins.
var (
	AnyStart        = lazyregexp.New(`(?m)^[\pL_@#]`)
	PythonStart     = lazyregexp.New(`(?m)^(?:def|class|async|@|if|for|try|with|import|from|[A-Za-z_]\w* *[:=])`)
	EcmaScriptStart = lazyregexp.New(`(?m)^(?:export|import|function|async|class|abstract|const|let|var|interface|type|enum|declare|namespace|module)\b`)
	BashStart       = lazyregexp.New(`(?m)^(?:function[ \t]+)?[\w:.-]+[ \t]*\(\)`)
)

// Cut cuts a text in front of lines that match. Where a piece with the next one is no longer than least, they stay together.
func Cut(source string, start *lazyregexp.Regexp, least int) (pieces []string) {
	from := 0
	for _, m := range start.FindAllStringIndex(source, -1) {
		if m[0] > from+least {
			pieces, from = append(pieces, source[from:m[0]]), m[0]
		}
	}
	return append(pieces, source[from:])
}
