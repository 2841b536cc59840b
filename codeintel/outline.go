package codeintel

import "context"

// Outline is what a parser knows about one file.
type Outline struct {
	Language Language
	Package  string   // the package, module or namespace that a file names as its own; may be empty
	Symbols  []Symbol // in order of the source
	Imports  []Import // in order of the source
	Broken   bool     // the source has syntax errors; the rest holds what could be parsed
}

// Import is what a file needs, as written: which file that is, imports.Resolve finds out.
type Import struct {
	Path  string   // without quotes: "fmt", "./util", "..pkg.mod" (Python, with its dots), "crate::a::b", "<stdio.h>", "util.h"
	Names []string // what is imported from it, if the language states it; may be empty
	Span  Span
}

// Outliner reads the outline of a text. It never fails for what the text holds: that makes the outline Broken, or
// empty. The error is of ctx. It may be called by several goroutines.
type Outliner interface {
	Outline(ctx context.Context, language Language, source string) (Outline, error)
}
