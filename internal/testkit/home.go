package testkit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Home returns a folder for FORGE_HOME. It is removed at the end of the test, once no process has it in its environment: a server ends a
// moment after its editor, and may still write there. Without /proc, nothing is waited for.
func Home(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	t.Cleanup(func() {
		tick := time.NewTicker(50 * time.Millisecond)
		defer tick.Stop()
		for range 2400 { // two minutes: a busy machine takes seconds to end a server
			if !inUse(home) {
				return
			}
			<-tick.C
		}
		t.Error("a process is left that uses " + home)
	})
	return home
}

// inUse reports whether a process has a folder, or one in it, as its FORGE_HOME.
func inUse(home string) bool {
	environs, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is well formed
	for _, name := range environs {
		text, _ := os.ReadFile(name) // a process may have ended, and one of another user cannot be read
		for variable := range bytes.SplitSeq(text, []byte{0}) {
			if in, is := bytes.CutPrefix(variable, []byte("FORGE_HOME="+home)); is && (len(in) == 0 || in[0] == filepath.Separator) {
				return true
			}
		}
	}
	return false
}
