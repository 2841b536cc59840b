// Package cli drives the built program from the outside: real processes, a real model server on
// loopback, real git and the real Go toolchain.
package cli

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
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

// attemptsMode makes this program one that tries to leave its sandbox.
const attemptsMode = "attempts"

// forge is the path of the program under test.
var forge string

func TestMain(m *testing.M) {
	if len(os.Args) >= 3 && os.Args[1] == attemptsMode {
		os.Exit(max(makeAttempts(os.Args[2]), len(os.Args)-3)) // with a further argument, it fails in any case
	}
	if len(os.Args) == 3 && os.Args[1] == mcpMode {
		serveMCP(os.Args[2])
		os.Exit(0)
	}
	dir, err := os.MkdirTemp("", "forge-cli-*")
	if err != nil {
		panic(err)
	}
	binaries = filepath.Join(dir, "bin")
	if err := linkBinaries(binaries); err != nil {
		panic(err)
	}
	code := testkit.Main(m, &forge)
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// world is a folder, a state of Forge's own, and a scripted model.
type world struct {
	t       *testing.T
	root    string
	home    string // FORGE_HOME
	program string // empty is the one under test
	environ []string
	model   *exec.Cmd
	journal *journal
}

// newWorld starts the scripted model of a script and makes an empty folder.
func newWorld(t *testing.T, script string) *world {
	t.Helper()
	w := &world{t: t, root: filepath.Join(t.TempDir(), "project"), home: t.TempDir(), journal: newJournal()}
	require.NoError(t, os.Mkdir(w.root, 0o755))
	w.model = exec.Command(forge, "dev", "model", "--script", script)
	w.model.Stderr = w.journal
	out, err := w.model.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, w.model.Start())
	t.Cleanup(func() { _ = w.model.Process.Kill(); _ = w.model.Wait() })
	url, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err, w.journal)
	w.environ = append(environ(), "FORGE_HOME="+w.home, "FORGE_BASE_URL="+strings.TrimSpace(url), "FORGE_MODEL=scripted", "FORGE_TAG_REQUESTS=1")
	return w
}

// environ is the environment of this process, in which Go asks for no C compiler: no module of these tests has C, and it would be asked for its
// version several times in each run.
func environ() []string { return append(os.Environ(), "CGO_ENABLED=0") }

// played ends the model and fails unless the whole script was used, and nothing else was asked.
func (w *world) played() {
	w.t.Helper()
	require.NoError(w.t, w.model.Process.Signal(syscall.SIGINT))
	require.NoError(w.t, w.model.Wait(), w.journal)
}

// command is the program in the folder.
func (w *world) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, cmp.Or(w.program, forge), args...)
	c.Dir, c.Env = w.root, w.environ
	return c
}

// run runs the program and returns its exit code and output.
func (w *world) run(args ...string) (code int, stdout, stderr string) {
	w.t.Helper()
	return execute(w.t, w.command(w.t.Context(), args...))
}

// execute runs a command to its end.
func execute(t *testing.T, c *exec.Cmd) (code int, stdout, stderr string) {
	t.Helper()
	var out, diagnostics bytes.Buffer
	c.Stdout, c.Stderr = &out, &diagnostics
	err := c.Run()
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(t, err, &exit)
	}
	return c.ProcessState.ExitCode(), out.String(), diagnostics.String()
}

// event is a line of forge run --json.
type event struct {
	Seq  int             `json:"seq"`
	Type string          `json:"type"`
	Data json.RawMessage `json:"data"`
}

// events reads all lines but the last, which is the result.
func events(t *testing.T, stdout string) ([]event, string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	var list []event
	for i, line := range lines[:len(lines)-1] {
		var e event
		require.NoError(t, json.Unmarshal([]byte(line), &e), line)
		require.Equal(t, i+1, e.Seq, "sequence numbers have no gaps")
		list = append(list, e)
	}
	return list, lines[len(lines)-1]
}

// put writes files into the folder.
func (w *world) put(files map[string]string) {
	w.t.Helper()
	for name, text := range files {
		path := filepath.Join(w.root, name)
		require.NoError(w.t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(w.t, os.WriteFile(path, []byte(text), 0o644))
	}
}

// git runs git in the folder, as its owner would.
func (w *world) git(args ...string) {
	w.t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@b"}, args...)...)
	c.Dir = w.root
	out, err := c.CombinedOutput()
	require.NoError(w.t, err, string(out))
}

// fingerprint is a hash over every name, mode, time of change, link target and byte below a folder, .git
// included. The times of folders are among them: a file that was made and removed again shows.
func fingerprint(t *testing.T, root string) string {
	t.Helper()
	sum := sha256.New()
	require.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(root, path)
		fmt.Fprintf(sum, "%q %s %d\n", rel, info.Mode(), info.ModTime().UnixNano())
		if info.Mode().Type() == fs.ModeSymlink {
			target, err := os.Readlink(path)
			fmt.Fprintf(sum, "-> %q\n", target)
			return err
		}
		if !info.Mode().IsRegular() {
			return nil
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = io.Copy(sum, file)
		return err
	}))
	return hex.EncodeToString(sum.Sum(nil))
}

// texts are the files of a flat folder.
func texts(t *testing.T, root string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	found := map[string]string{}
	for _, entry := range entries {
		if entry.Type().IsRegular() {
			data, err := os.ReadFile(filepath.Join(root, entry.Name()))
			require.NoError(t, err)
			found[entry.Name()] = string(data)
		}
	}
	return found
}
