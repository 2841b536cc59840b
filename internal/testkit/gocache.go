package testkit

import (
	"os/exec"
	"strings"
	"testing"
)

// GoCache returns the variable that names Go's build cache of this machine, for programs that run with another home folder: with an empty
// cache each of them would compile the standard library. It skips nothing and changes nothing; the test fails if there is no cache.
func GoCache(t testing.TB) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatalf("ask for Go's build cache: %v", err)
	}
	return "GOCACHE=" + strings.TrimSpace(string(out))
}
