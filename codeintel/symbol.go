// Package codeintel reads source code: the symbols of a file, found by a real parser, with byte
// offsets. It knows neither an editor nor a model.
package codeintel

// Kind says what a symbol is.
type Kind string

// The kinds of symbol.
const (
	Function  Kind = "function"
	Method    Kind = "method"
	Struct    Kind = "struct"
	Interface Kind = "interface"
	Type      Kind = "type" // any other type
	Field     Kind = "field"
	Constant  Kind = "constant"
	Variable  Kind = "variable"
)

// Span is a half-open range of byte offsets.
type Span struct{ Start, End int }

// Symbol is something a file declares.
type Symbol struct {
	Name     string // never empty
	Kind     Kind
	Receiver string   // of a method: its type as written, such as "*Server"
	Detail   string   // one line for people: a signature or a type; may be empty
	Span     Span     // the declaration, without its comment
	NameSpan Span     // the name, inside Span
	Children []Symbol // fields and methods that are declared inside, in order of the source
}
