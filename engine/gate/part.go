package gate

// Part is a part of a source file that belongs to the tests, such as a module of unit tests in Rust.
type Part struct {
	Start, End int // in bytes; End is exclusive
	// In names the enclosing item, so that wrapping a test in something that disables it counts as a change.
	In string
	// Example means that it is an example in documentation: the tests run it, and the author of code may add one.
	Example bool
}
