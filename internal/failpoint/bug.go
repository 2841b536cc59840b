package failpoint

import (
	"fmt"
	"log/slog"
	"runtime/debug"
	"testing"
)

// ReportBug logs an impossible state with the stack, and panics under go test.
func ReportBug(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if testing.Testing() {
		panic("bug: " + text)
	}
	slog.Error("bug: please report it", "what", text, "stack", string(debug.Stack()))
}
