package hostile

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"
)

//go:embed testdata/workspaces.txt
var described string

// workspace is a folder of an attacker, as testdata/workspaces.txt describes it.
type workspace struct {
	name    string
	git     bool
	trigger []string
	special [][]string // link, fifo, socket, sparse, many, deep, nested with their arguments
	files   []txtar.File
}

// workspaces reads all of them.
func workspaces() []workspace {
	var all []workspace
	for _, text := range strings.Split(described, "\n=== ")[1:] {
		name, rest, _ := strings.Cut(text, "\n")
		archive := txtar.Parse([]byte(rest + "\n"))
		w := workspace{name: name, files: archive.Files}
		for line := range strings.Lines(string(archive.Comment)) {
			w.direct(strings.TrimSpace(line))
		}
		all = append(all, w)
	}
	return all
}

// direct takes in a directive. A space of an argument is written "\ ".
func (w *workspace) direct(line string) {
	words := strings.Fields(strings.ReplaceAll(line, `\ `, "\x00"))
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "\x00", " ")
	}
	switch {
	case len(words) == 0:
	case words[0] == "git":
		w.git = true
	case words[0] == "trigger":
		w.trigger = words[1:]
	default:
		w.special = append(w.special, words)
	}
}

// folder is such a workspace on disk, with a user's home and Forge's state beside it.
type folder struct {
	t            *testing.T
	name         string
	root, marker string
	beside       string // a folder that links lead to
	environ      []string
	words        *strings.Replacer
	shows        bool // the command shows contents of files
	connects     bool // the command is one that connects to servers on this machine
	diagnoses    bool // the command asks tools of the machine for their versions
}

func newFolder(t *testing.T, w workspace) *folder {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	f := &folder{t: t, name: w.name, root: dir + "/pay", marker: dir + "/marker", beside: dir + "/beside"}
	for _, path := range []string{f.root, f.beside, dir + "/home", dir + "/forge"} {
		require.NoError(t, os.Mkdir(path, 0o700))
	}
	trap := dir + "/trap"
	require.NoError(t, os.WriteFile(trap, []byte("#!/bin/sh\necho \"$0 $*\" >> "+f.marker+"\n"), 0o700)) //nolint:gosec // a program
	f.environ = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir + "/home", "FORGE_HOME=" + dir + "/forge", "LANG=C.UTF-8"}
	noise := make([]byte, 1<<16)
	random := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(random.Uint32())
	}
	f.words = strings.NewReplacer("{TRAP}", trap, "{DIR}", f.root, "{BESIDE}", f.beside, "{PORT}", strconv.Itoa(listener.Addr().(*net.TCPAddr).Port),
		"{BRACKETS}", strings.Repeat("[", 300_000), "{STARS}", strings.Repeat("**/a*a*a*a*a*a*a*a*a*a*a*a*b\n", 200), "{NOISE}", string(noise))
	f.write(w, false)
	if w.git {
		f.commit(f.root)
	}
	f.write(w, true)
	for _, words := range w.special {
		f.special(words[0], words[1], strings.Join(words[2:], " "))
	}
	return f
}

// write writes the files of a workspace, those below .git or all others.
func (f *folder) write(w workspace, git bool) {
	f.t.Helper()
	for _, file := range w.files {
		if (file.Name == ".git" || strings.HasPrefix(file.Name, ".git/")) != git {
			continue
		}
		path := filepath.Join(f.root, file.Name)
		require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
		text := f.words.Replace(string(file.Data))
		before, err := os.ReadFile(path)
		if err == nil && strings.HasSuffix(path, "config") {
			text = string(before) + text
		}
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		require.NoError(f.t, os.WriteFile(path, []byte(text), mode))
	}
}

// commit makes a repository of all files of a folder.
func (f *folder) commit(root string) {
	f.t.Helper()
	for _, args := range [][]string{{"init", "--quiet", "--initial-branch=main"}, {"add", "--all"}, {"-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "All"}} {
		c := exec.CommandContext(f.t.Context(), "git", args...)
		c.Dir, c.Env = root, append(f.environ, "GIT_CONFIG_NOSYSTEM=1")
		out, err := c.CombinedOutput()
		require.NoError(f.t, err, string(out))
	}
}

// nest makes a repository within that of the folder. Git asks its filter about a file that changed.
func (f *folder) nest(name string) {
	f.t.Helper()
	root := filepath.Join(f.root, name)
	f.write(workspace{files: []txtar.File{{Name: name + "/a.txt", Data: []byte("a")}, {Name: name + "/.gitattributes", Data: []byte("*.txt filter=trap\n")}}}, false)
	f.commit(root)
	f.commit(f.root)
	filter := txtar.File{Name: name + "/.git/config", Data: []byte("[filter \"trap\"]\n\tclean = \"{TRAP}; cat\"\n\tsmudge = \"{TRAP}; cat\"\n")}
	f.write(workspace{files: []txtar.File{filter, {Name: name + "/a.txt", Data: []byte("A")}}}, false)
}

// special makes what is no plain file.
func (f *folder) special(kind, name, argument string) {
	f.t.Helper()
	name, err := strconv.Unquote(`"` + name + `"`)
	require.NoError(f.t, err)
	path := filepath.Join(f.root, name)
	require.NoError(f.t, os.MkdirAll(filepath.Dir(path), 0o755))
	count, _ := strconv.ParseInt(argument, 10, 64)
	switch kind {
	case "link":
		require.NoError(f.t, os.Symlink(f.words.Replace(argument), path))
	case "fifo":
		require.NoError(f.t, syscall.Mkfifo(path, 0o644))
	case "socket":
		f.bind(path)
	case "sparse":
		require.NoError(f.t, os.WriteFile(path, nil, 0o644))
		require.NoError(f.t, os.Truncate(path, count))
	case "many":
		require.NoError(f.t, os.MkdirAll(path, 0o755))
		for n := range count {
			require.NoError(f.t, os.WriteFile(filepath.Join(path, fmt.Sprintf("f%05d.go", n)), []byte("package many\n"), 0o644))
		}
	case "deep":
		require.NoError(f.t, os.MkdirAll(filepath.Join(path, strings.Repeat("d/", int(count))), 0o755))
	case "nested":
		f.nest(name)
	default:
		require.Fail(f.t, "no such directive: "+kind)
	}
}

// bind leaves a socket at a path, which may be longer than one that can be bound.
func (f *folder) bind(path string) {
	f.t.Helper()
	short, err := os.MkdirTemp("", "s")
	require.NoError(f.t, err)
	defer func() { _ = os.RemoveAll(short) }()
	listener, err := net.Listen("unix", short+"/s")
	require.NoError(f.t, err)
	f.t.Cleanup(func() { _ = listener.Close() })
	require.NoError(f.t, os.Rename(short+"/s", path))
}

// listing names the files in the folder and in the one beside it, with type, size and time of change, but for the skill that
// the user makes.
func (f *folder) listing() string {
	f.t.Helper()
	var all strings.Builder
	for _, root := range []string{f.root, f.beside} {
		require.NoError(f.t, filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
			if err != nil || entry.IsDir() || strings.HasPrefix(path, f.root+"/.forge/skills/trap/") {
				return err
			}
			info, err := entry.Info()
			if err == nil {
				fmt.Fprintln(&all, path, info.Mode(), info.Size(), info.ModTime().UnixNano())
			}
			return err
		}))
	}
	return all.String()
}
