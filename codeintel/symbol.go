// Package codeintel reads source code: the symbols of a file, found by a real parser, with byte
// offsets. It knows neither an editor nor a model.
//
// # Outlines by lines
//
// OutlineByLines reads outlines line by line, or word by word, of languages that no grammar reads better: Lua, SQL, Markdown, YAML and
// TOML. It finds what is declared outside of functions, takes linear time for any text, and uses no recursion. It does
// not know what is broken.
//
// # Renames
//
// ChooseRename and NewPattern work out renames and replacements over the texts of many files: which names are meant, where they are, and what
// is there afterwards. It reads no file and starts nothing.
//
//	texts, and where names are in their code ──► ChooseRename: which declaration is meant, or why that is open
//	                                                  │
//	                                                  ▼
//	                                               RenameTarget.Spans ──► PutInSpans: the new texts
//
// Where a language server is at hand, it says what is renamed, and ChooseRename only finds the place to ask it about.
package codeintel

// Kind is what a symbol is.
type Kind string

// The kinds of symbol.
const (
	Function    Kind = "function"
	Method      Kind = "method"
	Constructor Kind = "constructor"
	Class       Kind = "class"
	Struct      Kind = "struct"
	Interface   Kind = "interface" // also traits and protocols
	Enum        Kind = "enum"
	Member      Kind = "member" // of an enum
	Type        Kind = "type"   // any other type
	Module      Kind = "module" // also namespaces
	Macro       Kind = "macro"
	Field       Kind = "field" // also properties
	Constant    Kind = "constant"
	Variable    Kind = "variable"
	Table       Kind = "table"   // of SQL, also views
	Heading     Kind = "heading" // of prose
	Key         Kind = "key"     // of YAML and TOML
)

// Span is a half-open range of byte offsets.
type Span struct{ Start, End int }

// Symbol is something a file declares.
type Symbol struct {
	Name     string // never empty
	Kind     Kind
	Receiver string   // of a method: its type as written, such as "*Server"
	Detail   string   // one line for users: a signature or a type; may be empty
	Doc      string   // the first line of its comment, without marks; may be empty
	Span     Span     // the declaration, without its comment
	NameSpan Span     // the name, inside Span
	Children []Symbol // fields and methods that are declared inside, in order of the source
}
