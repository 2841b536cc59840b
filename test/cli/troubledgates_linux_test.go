package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// troubled is a folder with a test that is in trouble of its own, in a package that no change concerns. body is its code.
func troubled(body string) map[string]string {
	files := sumModule()
	imports := ""
	for _, name := range []string{"net", "os", "testing", "time"} {
		if name == "testing" || strings.Contains(body, name+".") {
			imports += "\t\"" + name + "\"\n"
		}
	}
	files["old/old_test.go"] = "package old\n\nimport (\n" + imports + ")\n\nfunc TestOld(t *testing.T) {\n" + body + "}\n"
	return files
}

// A suite that is in trouble before the change keeps no right change back: the trouble is reported in a sentence, and what concerns the
// change is checked.
func TestRun_SuiteInTroubleBlocksNothing(t *testing.T) {
	t.Parallel()
	const narrowed = "baseline     DONE: go test did not finish on the whole folder: from now on the run checks only what the change concerns"
	for name, c := range map[string]struct {
		settings, body string
		says           []string
		long           bool // runs with all cases only
	}{
		"a test never ends": {
			settings: "timeouts: {go test: 40s}\n", body: "\ttime.Sleep(time.Hour)\n",
			says: []string{"go test did not end within 40s and was stopped; running: TestOld", "timeouts: {go test: 2m} in your settings gives it more time", narrowed},
		},
		"a test eats memory": {
			settings: "sandbox: {memory: 400MiB}\n",
			body:     "\tvar all [][]byte\n\tfor {\n\t\tb := make([]byte, 1<<24)\n\t\tfor i := range b {\n\t\t\tb[i] = 1\n\t\t}\n\t\tall = append(all, b)\n\t}\n",
			says:     []string{"it took more than 400 MiB of memory; sandbox.memory in your settings raises that", narrowed}, long: true,
		},
		"a test needs a service": {
			body: "\tif _, err := net.Dial(\"tcp\", \"127.0.0.1:5432\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n",
			says: []string{"1 finding from before the change", "it needs a service of this machine: gates have their own 127.0.0.1", "start the service, and sandbox: {network: [go test]} in your settings lets it be reached"}, long: true,
		},
		"a test needs the network": {
			body: "\tif _, err := net.Dial(\"tcp\", \"192.0.2.1:80\"); err != nil {\n\t\tt.Fatal(err)\n\t}\n",
			says: []string{"network is unreachable", "1 finding from before the change", "it needs the network: sandbox: {network: [go test]} in your settings grants it"}, long: true,
		},
		"a test writes into a folder of HOME": { // which is there by hand
			body: "\thome, err := os.UserHomeDir()\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif err := os.WriteFile(home+\"/mine/trace\", nil, 0o600); err != nil {\n\t\tt.Fatal(err)\n\t}\n",
			says: []string{"1 finding from before the change", "/mine/trace: gates have an empty HOME of their own", "unguarded: [go test] in your settings runs it without protection"}, long: true,
		},
		"a test writes into HOME": { // its own one
			body: "\thome, err := os.UserHomeDir()\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n\tif err := os.WriteFile(home+\"/trace\", nil, 0o600); err != nil {\n\t\tt.Fatal(err)\n\t}\n",
			says: []string{"2 tests passed in 2 packages"}, long: true,
		},
		"a test writes outside": {
			body: "\tif err := os.WriteFile(\"OUTSIDE/file\", nil, 0o600); err != nil {\n\t\tt.Fatal(err)\n\t}\n",
			says: []string{"OUTSIDE/file: no such file or directory", "1 finding from before the change"}, long: true, // a folder that is there, and hidden
		},
		"a test writes into the folder": {
			body: "\tif err := os.WriteFile(\"golden.txt\", []byte(time.Now().String()), 0o600); err != nil {\n\t\tt.Fatal(err)\n\t}\n", long: true,
		},
		"a test writes tests": {
			body: "\ttext, err := os.ReadFile(\"old_test.go\")\n\tif err == nil {\n\t\terr = os.WriteFile(\"old_test.go\", append(text, '\\n'), 0o600)\n\t}\n\tif err != nil {\n\t\tt.Fatal(err)\n\t}\n",
			says: []string{"old/old_test.go was written while tests ran", narrowed},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.long && testing.Short() {
				return
			}
			outside := t.TempDir()
			body := strings.ReplaceAll(c.body, "OUTSIDE", outside)
			w := scripted(t, whole, troubled(body))
			w.settings(c.settings)
			home, err := os.MkdirTemp("/var/tmp", "forge-home-") //nolint:usetesting // what is missing in /tmp was not the user's
			require.NoError(t, err)
			t.Cleanup(func() { _ = os.RemoveAll(home) })
			require.NoError(t, os.Mkdir(filepath.Join(home, "mine"), 0o755))
			w.environ = append(w.environ, "HOME="+home, "GOCACHE="+goEnv(t, "GOCACHE"), "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
			code, stdout, stderr := w.run("run", "--yes", "--trust", "add Add")
			require.Zero(t, code, stdout+stderr)
			for _, said := range c.says {
				require.Contains(t, stderr, strings.ReplaceAll(said, "OUTSIDE", outside))
			}
			require.Equal(t, map[string]string{}, texts(t, home))
			old, err := os.ReadFile(filepath.Join(w.root, "old", "old_test.go"))
			require.NoError(t, err)
			require.Equal(t, troubled(body)["old/old_test.go"], string(old))
			require.NoFileExists(t, filepath.Join(outside, "file"))
			require.Contains(t, texts(t, w.root), "add.go")
		})
	}
}

// goEnv is a setting of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}
