package gate

// Part is a part of a file of code that belongs to the tests, such as a module of unit tests in Rust.
type Part struct {
	Start, End int // in bytes; End is behind it
	// In names what it stands in, so that wrapping a test in something that keeps it from running is a change of it.
	In string
	// Example says that it is an example in documentation: the tests run it, and whoever writes code may add one.
	Example bool
}
