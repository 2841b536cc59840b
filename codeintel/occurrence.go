package codeintel

import "context"

// Occurrence is a place where a name is in code: an identifier, and not a word of a string or of a comment.
type Occurrence struct {
	Span    Span
	Defines bool // it declares what it names
	Member  bool // it follows a dot, or names a field, a method or a key; a parser cannot know of which type
	// Holder spans the type whose member a definition is; it is empty for what the file itself declares. Of a name that is used it spans the
	// type whose body it is in, outside of functions.
	Holder Span
	// Local is the number, from 1, of the local declaration that the name refers to: a parameter, or a variable of a function.
	// 0 is none of those. Occurrences of one file with the same number are the same variable.
	Local   int
	Scope   Span // of a local name: the code in which its declaration holds
	Imports bool // it is part of an import
	// Short reports whether the name is a key and its value at once, as in "{name}" of JavaScript.
	Short bool
}

// Finder finds the occurrences of a name in the code of a text. known is false for a language without a parser, and for a text that
// cannot be parsed. The error is that of ctx. Occurrences may be called by several goroutines.
type Finder interface {
	Occurrences(ctx context.Context, language Language, source, name string) (found []Occurrence, known bool, err error)
}
