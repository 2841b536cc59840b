// Package secrets looks for secrets in all that leaves the built program, and in all that it keeps: more than fifty canaries stand in
// the environment, in files and among Forge's keys, and none of them may be found anywhere else.
package secrets

import (
	"os"
	"path/filepath"
	"testing"

	"forge/internal/testkit"
)

// forge is the program under test, and blind the same one with its redactor off: what is looked for has to be found there.
var forge, blind string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "forge-secrets-*")
	if err != nil {
		panic(err)
	}
	blind = filepath.Join(dir, "blind")
	if err := testkit.BuildProgram(blind, "-ldflags", "-s -X main.redaction=off"); err != nil {
		panic(err)
	}
	code := testkit.Main(m, &forge)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}
