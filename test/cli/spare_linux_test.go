package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// notingGo is a go command that notes which of its commands have ended, in the caches of the folder's jails.
type notingGo struct {
	home string // Forge's
	dir  string // of the program
}

func noteGo(t *testing.T, home string) notingGo {
	t.Helper()
	real, err := exec.LookPath("go")
	require.NoError(t, err)
	n := notingGo{home: home, dir: t.TempDir()}
	script := fmt.Sprintf("#!/bin/sh\n%q \"$@\"\ncode=$?\necho \"$1 in $PWD\" >>\"$HOME/.cache/noted\"\necho \"$*\" >>\"$HOME/.cache/arguments\"\nexit $code\n", real)
	require.NoError(t, os.WriteFile(filepath.Join(n.dir, "go"), []byte(script), 0o700))
	return n
}

// ended returns the folders in which commands of a kind have ended.
func (n notingGo) ended(t *testing.T, command string) (dirs []string) {
	t.Helper()
	return n.noted(t, "noted", command+" in ")
}

// arguments returns the arguments of commands of a kind that have ended.
func (n notingGo) arguments(t *testing.T, command string) []string {
	t.Helper()
	return n.noted(t, "arguments", command+" ")
}

// noted returns what follows a prefix in lines of notes.
func (n notingGo) noted(t *testing.T, notes, prefix string) (rest []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(n.home, "shadow", "*", "caches", "*", "cache", notes))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if after, is := strings.CutPrefix(strings.TrimSpace(line), prefix); is {
				rest = append(rest, after)
			}
		}
	}
	return rest
}

// While the model writes the implementation, go vet runs without the change. Its findings from before are not charged, and it does not run for them again.
func TestRun_VetsTheFolderWhileTheModelWrites(t *testing.T) {
	t.Parallel()
	f := readFixture(t, "testdata/played/go-flaky-test.txtar")
	delete(f.files, "jitter_test.go")
	f.files["old.go"] = "package comp\n\nfunc old(a int) int {\n\ta = a\n\treturn a\n}\n\nvar _ = old\n"
	p := f.play(t)
	n := noteGo(t, p.home)
	staticcheck := "#!/bin/sh\n[ \"$1\" = -version ] || echo \"staticcheck in $PWD\" >>\"$HOME/.cache/noted\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(n.dir, "staticcheck"), []byte(staticcheck), 0o700))
	p.environ = append(p.environ, "PATH="+n.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	implementation := filepath.Join(p.dir, "003.answer.md")
	require.NoError(t, os.Remove(implementation))
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.carryOut([][]string{append(f.commands[0], "--json")})
	}()
	// What has ended is kept before the next gate begins. The model still writes.
	require.Eventually(t, func() bool { return len(n.ended(t, "staticcheck")) == 1 }, 2*time.Minute, 20*time.Millisecond)
	require.Len(t, n.ended(t, "vet"), 1)
	require.NoError(t, os.WriteFile(implementation, []byte(f.answers["003.answer.md"]), 0o600))
	<-done
	require.Equal(t, []int{0}, p.codes, p.said)
	require.Len(t, n.ended(t, "vet"), 2, "without the change, and with it")
	require.Contains(t, p.said, `"name":"go vet","verdict":"pass"`)
}

// A tree with lent packages cannot be shown at the folder's path, where their links lead. All trees are shown at one path, so that what was compiled in one
// is of use in another.
func TestValidate_ShowsEachTreeWithPackagesAtOnePath(t *testing.T) {
	t.Parallel()
	files := sumModule()
	files[".gitignore"], files["package.json"], files["node_modules/a/index.js"] = "node_modules\n", "{}\n", "1\n"
	w := scripted(t, decideExecutor, files)
	n := noteGo(t, w.home)
	w.environ = append(w.environ, "PATH="+n.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	for range 2 {
		w.said(0, "validate", "--trust", "--gate", "go vet")
		pools, err := filepath.Glob(filepath.Join(w.home, "shadow", "*", "pool"))
		require.NoError(t, err)
		require.Len(t, pools, 1)
		require.NoError(t, os.RemoveAll(pools[0])) // the next tree is another one
	}
	dirs := n.ended(t, "vet")
	require.Len(t, dirs, 2)
	require.Equal(t, dirs[0], dirs[1])
	require.NotEqual(t, w.root, dirs[0])
}

// In a folder with many tests, each command of Go compiles, vets and tests the packages that the change concerns and no others, also where new tests
// are seen to fail.
func TestRun_ChecksThePackagesThatTheChangeConcerns(t *testing.T) {
	t.Parallel()
	w := scripted(t, whole, largeModule(guardNoAdd))
	n := noteGo(t, w.home)
	w.environ = append(w.environ, "PATH="+n.dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	code, stdout, stderr := w.run("run", "--yes", "--trust", "--json", "add Add")
	require.Zero(t, code, stdout+stderr)
	all, _ := events(t, stdout)
	for gate, want := range map[string]string{
		"go vet": "pass: 1 package vetted", "go build": "pass: 1 package built", "go test": "pass: 1 test passed in 1 package",
	} {
		require.Equal(t, []string{want + ", of 2: those that the change concerns"}, reports(t, all, gate), gate)
	}
	require.Len(t, n.arguments(t, "vet"), 1)
	require.Len(t, n.arguments(t, "test"), 2, "new tests without their implementation, and all that the change concerns")
	for _, command := range slices.Concat(n.arguments(t, "vet"), n.arguments(t, "test"), n.arguments(t, "build"), n.arguments(t, "list -export")) {
		require.NotRegexp(t, `/guard\b|\./\.\.\.`, command)
	}
	w.played()
}
