package testkit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// HangingModel returns the path of a copy of a script of the scripted model in which the model never answers the implementer of a change: a
// run stays in the middle of its work until it is stopped.
func HangingModel(t testing.TB, script string) string {
	t.Helper()
	const begin = "\nentries:\n"
	const hang = begin + "- {match: {node: executor, contains: [You implement a change]}, times: -1, fault: {kind: hang}}\n"
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), begin) {
		t.Fatalf("%s has no entries", script)
	}
	path := filepath.Join(t.TempDir(), "hanging.yaml")
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), begin, hang, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
