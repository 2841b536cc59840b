package cli

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	script := fmt.Sprintf("#!/bin/sh\n%q \"$@\"\ncode=$?\necho \"$1 in $PWD\" >>\"$HOME/.cache/noted\"\nexit $code\n", real)
	require.NoError(t, os.WriteFile(filepath.Join(n.dir, "go"), []byte(script), 0o700))
	return n
}

// ended returns the folders in which commands of a kind have ended.
func (n notingGo) ended(t *testing.T, command string) (dirs []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(n.home, "shadow", "*", "caches", "*", "cache", "noted"))
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for line := range strings.Lines(string(text)) {
			if dir, is := strings.CutPrefix(strings.TrimSpace(line), command+" in "); is {
				dirs = append(dirs, dir)
			}
		}
	}
	return dirs
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
