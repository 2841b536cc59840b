// Package bug reports what must not happen but can be survived: a panic in a handler, a state the
// code believes impossible. In tests it panics, so that it cannot be overlooked.
package bug

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"testing"
)

// Reportf logs an impossible state with the stack, and panics under go test.
func Reportf(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if testing.Testing() {
		panic("bug: " + text)
	}
	slog.Error("bug: please report it", "what", text, "stack", string(debug.Stack()))
}
