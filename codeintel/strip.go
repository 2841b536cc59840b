package codeintel

import (
	"context"
	"go/scanner"
	"go/token"
	"strings"

	"forge/internal/lazyregexp"
)

// Stripper removes the parts of a text that only readers need: comments, docstrings, and blanks between words. Two texts with the
// same rest do the same. Comments that tools obey stay. known is false for an unknown language, and for a text that cannot be
// parsed. The error is of ctx. It may be called by several goroutines.
type Stripper interface {
	Strip(ctx context.Context, language Language, source string) (code string, known bool, err error)
}

// obeyed are comments that change what a compiler or an interpreter does: the line "#!", Go's directives and build constraints,
// encodings and switches of scripts, references and pragmas of TypeScript.
var obeyed = lazyregexp.New(`^(#!|//[a-z0-9]+:[a-z0-9]|//(export|extern|line) |// ?\+build|/\*line |///\s*<|#.*(coding[:=]|frozen_string_literal:)|/\*\*?\s*@jsx)`)

// IsObeyed reports whether a comment, with the signs it begins with, is one that tools obey.
func IsObeyed(comment string) bool { return obeyed.MatchString(comment) }

// clause is how many words a package clause has: "package", its name, and the end of the line.
const clause = 3

// StripGo is what Stripper returns for a Go file. A file of nothing but its package clause has no code.
func StripGo(source string) (code string, known bool) {
	if len(GoFaults(source)) > 0 {
		return "", false
	}
	var text strings.Builder
	words := 0
	preamble := strings.Contains(source, `import "C"`) // cgo compiles the comment above it
	var s scanner.Scanner
	file := token.NewFileSet().AddFile("", -1, len(source))
	s.Init(file, []byte(source), nil, scanner.ScanComments)
	for {
		_, tok, literal := s.Scan()
		switch {
		case tok == token.EOF && words <= clause:
			return "", true
		case tok == token.EOF:
			return text.String(), true
		case tok == token.COMMENT && !preamble && !IsObeyed(literal):
			continue
		case tok == token.SEMICOLON:
			literal = "" // whether it was written or put in
		}
		words++
		text.WriteString(tok.String() + " " + literal + "\n")
	}
}
