package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// yard is a disk in small: a guarded folder, a guarded state with a tree in it, and what else there is beside them.
type yard struct {
	t                            *testing.T
	top, mine, state, tree, home string
}

func newYard(t *testing.T) yard {
	t.Helper()
	if Confines() == None {
		t.Skip("this kernel has no Landlock that can be used")
	}
	top, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	y := yard{t, top, filepath.Join(top, "home/src/mine"), filepath.Join(top, "home/.forge"), filepath.Join(top, "home/.forge/trees/1/work"), filepath.Join(top, "home")}
	for _, folder := range []string{y.mine, filepath.Join(y.mine, "sub"), y.tree, filepath.Join(y.tree, "sub"), filepath.Join(y.home, ".cache"), filepath.Join(y.home, "src/other")} {
		require.NoError(t, os.MkdirAll(folder, 0o755)) //nolint:gosec // another user works in them
	}
	for _, file := range []string{filepath.Join(y.mine, "file"), filepath.Join(y.mine, "sub/file"), filepath.Join(y.state, "runs.db"), filepath.Join(y.home, "src/other/file"), filepath.Join(y.home, "rc")} {
		require.NoError(t, os.WriteFile(file, []byte("mine\n"), 0o600))
	}
	require.NoError(t, os.Symlink(y.mine, filepath.Join(y.tree, "lent")))
	return y
}

// command is a script in the tree, behind the guard.
func (y yard) command(script string) Command {
	return Command{
		Argv: []string{"sh", "-c", script}, Dir: filepath.Join(y.tree, "sub"), Guarded: []string{y.mine, y.state}, Spared: []string{y.tree},
		Env: []string{"HOME=" + y.home, "MINE=" + y.mine, "STATE=" + y.state, "TREE=" + y.tree, "TOP=" + y.top},
	}
}

// run returns how a script ended, and what it said.
func (y yard) run(c Command) (int, string) {
	y.t.Helper()
	result, err := New(Options{Environ: os.Environ()}).Run(y.t.Context(), c)
	require.NoError(y.t, err)
	return result.ExitCode, string(result.Stdout) + string(result.Stderr)
}

// print is what the guarded folders hold.
func (y yard) print() string {
	y.t.Helper()
	var b strings.Builder
	for _, folder := range []string{y.mine, y.state} {
		_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if path == y.tree {
				return fs.SkipDir
			}
			fmt.Fprintln(&b, path, err)
			if err == nil && entry.Type().IsRegular() {
				text, err := os.ReadFile(path) //nolint:gosec // of this test
				require.NoError(y.t, err)
				fmt.Fprintf(&b, "%s", text)
			}
			return nil
		})
	}
	return b.String()
}

// Guarded files cannot be written in any way; and without the guard every one of these ways is open.
func TestGuarded_FoldersStayAsTheyAre(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"a file":                   `echo bad >"$MINE/file"`,
		"the end of a file":        `echo bad >>"$MINE/sub/file"`,
		"a new file":               `echo bad >"$MINE/new"`,
		"a folder":                 `mkdir "$MINE/new"`,
		"a link":                   `ln -s / "$MINE/new"`,
		"a pipe":                   `mkfifo "$MINE/new"`,
		"removing":                 `rm -f "$MINE/file"`,
		"removing all":             `rm -rf "$MINE"`,
		"emptying":                 `truncate -s 0 "$MINE/file"`,
		"through a link":           `echo bad >"$TREE/lent/file"`,
		"a link of its own":        `ln -s "$MINE" l && echo bad >l/file`,
		"moving a file in":         `echo bad >x && mv x "$MINE/file"`,
		"moving a file out":        `mv "$MINE/file" .`,
		"moving the folder":        `mv "$MINE" "$HOME/src/other/"`,
		"moving a folder above it": `mv "$HOME/src" "$HOME/elsewhere"`,
		"a hard link":              `ln "$MINE/file" hard && echo bad >hard`,
		"a hard link elsewhere":    `ln "$MINE/file" "$HOME/src/other/hard" && echo bad >"$HOME/src/other/hard"`,
		"Forge's own":              `echo bad >"$STATE/runs.db"`,
		"beside the tree":          `echo bad >"$TREE/../owner"`,
		"a session of its own":     `setsid sh -c 'echo bad >"$MINE/file"'`,
		"dot dot":                  `echo bad >"$TREE/lent/sub/../file"`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			if name == "emptying" && Confines() != Full {
				t.Skip("this kernel cannot keep files from being emptied")
			}
			before := y.print()
			_, said := y.run(y.command(script))
			require.Equal(t, before, y.print(), said)

			open := y.command(script)
			open.Guarded = nil
			_, said = y.run(open)
			require.NotEqual(t, before, y.print(), "without the guard: "+said)
		})
	}
}

// All else stays as it is for tools.
func TestGuarded_OtherFoldersCanBeWritten(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"reading":                      `grep -q mine "$MINE/file" && ls "$MINE" >/dev/null`,
		"the tree":                     `echo x >"$TREE/new" && mkdir a && mv a "$TREE/b" && echo y >z && mv z "$TREE/b/z" && ln "$TREE/b/z" hard && rm -r "$TREE/b"`,
		"a cache":                      `mkdir -p "$HOME/.cache/a/b" && echo x >"$HOME/.cache/a/b/c" && mv "$HOME/.cache/a/b/c" "$HOME/.cache/c"`,
		"from the tree to a cache":     `echo x >x && mv x "$HOME/.cache/x"`,
		"a file in HOME":               `echo x >>"$HOME/rc"`,
		"a folder beside":              `echo x >"$HOME/src/other/file" && rm "$HOME/src/other/file"`,
		"devices":                      `echo x >/dev/null && [ "$(head -c 4 /dev/zero | wc -c)" = 4 ]`,
		"temporary files":              `f=$(mktemp) && d=$(mktemp -d) && mv "$f" "$d/x"`,
		"what is opened by descriptor": `exec 3<>x && echo x >/proc/self/fd/3`,
		"pipes":                        `echo x | tee /dev/stderr | cat >/dev/null`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			code, said := y.run(y.command("set -e\n" + script))
			require.Zero(t, code, said)
		})
	}
}

// The folders on the way are closed: that is the price. Where temporary files would lie there, the process gets a folder of its own, and that is
// gone afterwards.
func TestGuarded_FoldersOnTheWayAreClosed(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	code, said := y.run(y.command(`echo x >"$HOME/new"`))
	require.NotZero(t, code)
	require.Contains(t, strings.ToLower(said), "permission denied")

	c := y.command(`echo "$TMPDIR" && echo x >"$TMPDIR/x"`)
	c.Env = append(c.Env, "TMPDIR="+y.home)
	code, said = y.run(c)
	require.Zero(t, code, said)
	require.Equal(t, y.home, filepath.Dir(strings.TrimSpace(said)))
	require.NoDirExists(t, strings.TrimSpace(said))

	c = y.command(`echo "$TMPDIR"`)
	c.Env = append(c.Env, "TMPDIR="+filepath.Join(y.home, ".cache"))
	_, said = y.run(c)
	require.Equal(t, filepath.Join(y.home, ".cache"), strings.TrimSpace(said), "where it can be written, it stays")
}

// A tool has its stores where its variables say, also in a guarded folder, and in an empty HOME; nothing is made for what does not need it.
func TestStores_CanBeWritten(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	target := filepath.Join(y.state, "build/target")
	c := y.command(`echo x >"$CARGO_TARGET_DIR/x"`)
	c.Env = append(c.Env, "CARGO_TARGET_DIR="+target)
	require.NoError(t, os.MkdirAll(target, 0o700))
	code, said := y.run(c)
	require.Zero(t, code, said)

	c.Env[len(c.Env)-1] = "CARGO_TARGET_DIR=" + y.mine
	code, _ = y.run(c)
	require.NotZero(t, code, "a guarded folder is not opened by its own name")

	require.NoError(t, os.Remove(filepath.Join(y.home, ".cache")))
	y.run(y.command("true"))
	require.NoDirExists(t, filepath.Join(y.home, ".cache"))
}

// Links on the way to a guarded folder guard what they lead to, and a folder that is not there guards nothing.
func TestGuarded_ByItsRealPath(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	alias := filepath.Join(y.top, "alias")
	require.NoError(t, os.Symlink(filepath.Join(y.home, "src"), alias))
	c := y.command(`echo bad >"$MINE/file"`)
	c.Guarded = []string{filepath.Join(alias, "mine"), filepath.Join(y.top, "gone")}
	code, _ := y.run(c)
	require.NotZero(t, code)
}

// A guarded folder within what is spared stays guarded.
func TestGuarded_ExemptFoldersStayWritable(t *testing.T) {
	t.Parallel()
	y := newYard(t)
	require.NoError(t, os.Mkdir(filepath.Join(y.tree, "beside"), 0o700))
	c := y.command(`echo x >"$TREE/beside/x" && echo wrote; echo bad >"$TREE/sub/x" && echo broke`)
	c.Guarded = append(c.Guarded, filepath.Join(y.tree, "sub"))
	_, said := y.run(c)
	require.Contains(t, said, "wrote")
	require.NotContains(t, said, "broke")
}

// The guard holds in all ways in which a process is started: with namespaces and without, offline, as root and as somebody else; and the threads
// of Forge itself stay free.
func TestGuarded_InEveryWay(t *testing.T) {
	t.Parallel()
	for mode, runner := range runners() {
		for _, offline := range []bool{false, true} {
			t.Run(mode+strconv.FormatBool(offline), func(t *testing.T) {
				t.Parallel()
				y := newYard(t)
				c := y.command(`echo x >x && echo bad >"$MINE/file"`)
				c.Offline = offline
				before := y.print()
				result, err := runner().Run(t.Context(), c)
				require.NoError(t, err)
				require.NotZero(t, result.ExitCode)
				require.FileExists(t, filepath.Join(y.tree, "sub/x"))
				require.Equal(t, before, y.print())
				for range 50 {
					require.NoError(t, os.WriteFile(filepath.Join(y.mine, "ours"), nil, 0o600))
				}
			})
		}
	}
}

// TestGuarded_AsSomebodyElse: a user namespace and the guard go together. It runs this test program as nobody.
func TestGuarded_AsSomebodyElse(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can be somebody else; the other tests ran as no root")
	}
	y := newYard(t)
	for path := y.top; path != "/" && path != os.TempDir(); path = filepath.Dir(path) {
		require.NoError(t, os.Chmod(path, 0o755)) //nolint:gosec // nobody goes through it
	}
	program := filepath.Join(y.home, "forge.test")
	text, err := os.ReadFile(os.Args[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(program, text, 0o755)) //nolint:gosec // nobody executes it
	require.NoError(t, exec.CommandContext(t.Context(), "chown", "-R", "65534:65534", y.home).Run())
	before := y.print()
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Dir = "/"
	cmd.Env = append(os.Environ(), helper+`=id -u; echo x >x && echo wrote; echo bad >"$MINE/file" && echo broke`, guardedHelper+"="+y.top, "TMPDIR=/tmp")
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, _ := cmd.CombinedOutput()
	require.Regexp(t, `(?s)^65534\nwrote\n`, string(out))
	require.NotContains(t, string(out), "broke")
	require.Equal(t, before, y.print())
}
