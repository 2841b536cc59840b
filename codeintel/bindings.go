package codeintel

import "context"

// Bindings are the names that connect a file with other files: those that it imports and those that it exports. They are
// conservative: a doubtful import is omitted; a doubtful export is in Exports, or makes the file Open.
type Bindings struct {
	// Known is false for a text of an unknown language, and for one that cannot be parsed: nothing is reported of it.
	Known   bool
	Open    bool // it may export more than can be seen
	Exports []string
	// Reexports are the files that it re-exports as a whole, as written: "export * from './a'", "from .a import *".
	Reexports []string
	Imports   []ImportedName // in order of the source
	Adds      []string       // the files to which it adds names, as written: "declare module './a'"
}

// ImportedName is an imported name without which the file fails.
type ImportedName struct {
	Path string // of the other file, as Import.Path
	Name string // in the other file; empty where only the file itself must be there
	Span Span   // of the name, or else of the path
}

// DefaultName is the export of a JavaScript file that an import without a name receives.
const DefaultName = "default"

// Binder reads the bindings of a text. The error is of ctx. It may be called by several goroutines.
type Binder interface {
	Bindings(ctx context.Context, language Language, source string) (Bindings, error)
}
