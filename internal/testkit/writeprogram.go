package testkit

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a file that can be executed. No process that is started meanwhile inherits the open file: until it closed it, the program would be
// busy (golang.org/issue/22315).
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
}
