package codeintel

import "context"

// Bindings are the names by which a file hangs together with other files: what it takes out of them, and what they can take out
// of it. They err to one side: what is only perhaps taken is left out, and what is only perhaps given is among Gives, or makes
// the file Open.
type Bindings struct {
	// Known is false for a text of an unknown language, and for one that cannot be parsed: nothing is reported of it.
	Known bool
	Open  bool // it may give more than a reader can see
	Gives []string
	// Passes are the files all of whose names it gives on, as written: "export * from './a'", "from .a import *".
	Passes []string
	Takes  []Taking // in order of the source
	Adds   []string // the files to which it adds names, as written: "declare module './a'"
}

// Taking is a name that a file cannot do without.
type Taking struct {
	Path string // of the other file, as Import.Path
	Name string // in the other file; empty where only the file itself must be there
	Span Span   // of the name, or else of the path
}

// DefaultName is what a file of JavaScript gives an import that names nothing.
const DefaultName = "default"

// Binder reads the bindings of a text. The error is of ctx. It may be called by several goroutines.
type Binder interface {
	Bindings(ctx context.Context, language Language, source string) (Bindings, error)
}
