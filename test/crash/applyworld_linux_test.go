// Package crash kills the built program, and lets its disk fail, at every place where something could be lost,
// and looks whether anything was.
package crash

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// program is the path of the built program.
var program string

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, &program)) }

// folder is the user's folder with a state of Forge's own, and a patch that changes five of its files.
type folder struct {
	t                 *testing.T
	root, home, patch string
	forge             string
}

// The five changes: an update of a program, one through a link, a new file in a new folder, a deleted file
// and a moved one.
const fivePatch = `*** Begin Patch
*** Update File: run.sh
@@
-echo old
+echo new
*** Update File: link.txt
@@
 first
-second
+changed
*** Add File: made/for/this.txt
+made
*** Delete File: gone.txt
*** Update File: here/moved.txt
*** Move to: there/moved.txt
@@
-old line
+new line
*** End Patch
`

func oldFiles() map[string]string {
	return map[string]string{
		"run.sh": "-rwxr-x--x echo old\n", "link.txt": "-> real.txt", "real.txt": "-rw-r--r-- first\r\nsecond\r\n",
		"gone.txt": "-rw-r--r-- \ufeffbye", "here/moved.txt": "-rwx------ old line\nrest\n", "here/stays.txt": "-rw-r--r-- left alone\n",
	}
}

func newFiles() map[string]string {
	return map[string]string{
		"run.sh": "-rwxr-x--x echo new\n", "link.txt": "-> real.txt", "real.txt": "-rw-r--r-- first\r\nchanged\r\n",
		"made/for/this.txt": "-rw-r--r-- made\n", "there/moved.txt": "-rwx------ new line\nrest\n", "here/stays.txt": "-rw-r--r-- left alone\n",
	}
}

// newFolder makes the folder below base.
func newFolder(t *testing.T, base string) *folder {
	t.Helper()
	f := &folder{t: t, root: filepath.Join(base, "project"), home: filepath.Join(base, "home"), patch: filepath.Join(base, "change.patch"), forge: program}
	for name, what := range oldFiles() {
		path := filepath.Join(f.root, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if to, is := strings.CutPrefix(what, "-> "); is {
			require.NoError(t, os.Symlink(to, path))
			continue
		}
		mode, text, _ := strings.Cut(what, " ")
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		require.NoError(t, os.Chmod(path, modeNamed(mode)))
	}
	require.NoError(t, os.WriteFile(f.patch, []byte(fivePatch), 0o600))
	return f
}

// modeNamed reads what fs.FileMode prints.
func modeNamed(name string) (mode fs.FileMode) {
	for _, c := range name[1:] {
		mode <<= 1
		if c != '-' {
			mode |= 1
		}
	}
	return mode
}

// files are the folder as it is: links, modes and texts. Folders count where they are empty.
func (f *folder) files() map[string]string {
	f.t.Helper()
	found := map[string]string{}
	require.NoError(f.t, filepath.WalkDir(f.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(f.root, path)
		info, err := entry.Info()
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir():
			inside, err := os.ReadDir(path)
			if len(inside) == 0 {
				found[rel+"/"] = "empty"
			}
			return err
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			found[rel] = "-> " + to
			return err
		}
		data, err := os.ReadFile(path)
		found[rel] = info.Mode().String() + " " + string(data)
		return err
	}))
	return found
}

// result is how a process ended.
type result struct {
	code   int
	killed bool
	output string
}

// run runs the program in the folder, with more environment, behind the words of before: strace and its
// arguments, or none.
func (f *folder) run(before, env []string, args ...string) result {
	f.t.Helper()
	argv := append(append(append([]string{}, before...), f.forge), args...)
	c := exec.CommandContext(f.t.Context(), argv[0], argv[1:]...)
	c.Dir = f.root
	c.Env = append(append(os.Environ(), "FORGE_HOME="+f.home, "FORGE_BASE_URL=http://127.0.0.1:1/v1", "FORGE_MODEL=none"), env...)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(f.t, err, &exit)
	}
	status, ok := c.ProcessState.Sys().(syscall.WaitStatus)
	require.True(f.t, ok)
	return result{code: c.ProcessState.ExitCode(), killed: status.Signaled() && status.Signal() == syscall.SIGKILL, output: out.String()}
}

func (f *folder) apply(before, env []string) result {
	f.t.Helper()
	return f.run(before, env, "apply", "--trust", "--yes", f.patch)
}

// isOld and isNew compare the whole folder.
func (f *folder) isOld() bool { return same(oldFiles(), f.files()) }
func (f *folder) isNew() bool { return same(newFiles(), f.files()) }

func same(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for name, text := range a {
		if other, ok := b[name]; !ok || other != text {
			return false
		}
	}
	return true
}

// entries are the journal's files.
func (f *folder) entries() []string {
	f.t.Helper()
	found, err := filepath.Glob(filepath.Join(f.home, "projects", "*", "journal", "*"))
	require.NoError(f.t, err)
	return found
}

// requireWhole starts the program once and then demands that all files are old or all are new, that nothing
// else is there, and that undo knows what is true.
func (f *folder) requireWhole(about string) {
	f.t.Helper()
	next := f.run(nil, nil, "doctor")
	require.False(f.t, next.killed, about)
	f.requireSettled(about + "\n" + next.output)
}

func (f *folder) requireSettled(about string) {
	f.t.Helper()
	require.Empty(f.t, f.entries(), about)
	if !f.isOld() {
		require.Equal(f.t, newFiles(), f.files(), about)
		undo := f.run(nil, nil, "undo", "--yes")
		require.Zero(f.t, undo.code, about+"\n"+undo.output)
		require.Equal(f.t, oldFiles(), f.files(), about)
		return
	}
	undo := f.run(nil, nil, "undo", "--yes")
	require.Contains(f.t, undo.output, "nothing to undo", about)
}
