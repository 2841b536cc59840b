// Package secrets looks for secrets in all that leaves the built program, and in all that it keeps: more than fifty canaries stand in
// the environment, in files and among Forge's keys, and none of them may be found anywhere else.
package secrets

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// forge is the program under test, and blind the same one with its redactor off: what is looked for has to be found there.
var forge, blind string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "forge-secrets-*")
	if err != nil {
		panic(err)
	}
	forge, blind = filepath.Join(dir, "forge"), filepath.Join(dir, "blind")
	build(forge)
	build(blind, "-ldflags", "-X main.redaction=off")
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func build(to string, flags ...string) {
	c := exec.Command("go", append(append([]string{"build", "-o", to}, flags...), "forge/cmd/forge")...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		panic(err)
	}
}
