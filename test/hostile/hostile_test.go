// Package hostile opens folders of attackers with the built program, which have not been trusted: with each command,
// and as an editor does. Nothing of theirs may run, be connected to, or be read as settings.
package hostile

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// forge is the path of the program under test.
var forge string

func TestMain(m *testing.M) { os.Exit(testkit.Main(m, &forge)) }

// Bounds of one command in one folder, under strace, which makes each call slower.
const (
	mostSeconds = 20
	mostMemory  = 1 << 30 // bytes
)

// Each command in each folder: no process, no connection, no settings of the folder's, and within the bounds.
func TestUntrusted_NoCommandRunsConnectsOrReadsSettings(t *testing.T) {
	t.Parallel()
	strace := testkit.Tool(t, "strace", "scripts/install.sh strace")
	var largest usage
	var opened int
	t.Run("folders", func(t *testing.T) {
		for _, c := range testkit.Sample(4, cases()) {
			t.Run(c.workspace.name, func(t *testing.T) {
				f := newFolder(t, c.workspace)
				before := f.listing()
				for _, args := range c.commands {
					used := f.look(strace, args)
					largest = largest.max(used)
					opened++
				}
				require.NoFileExists(t, f.marker, "the trap of the folder ran")
				require.Equal(t, before, f.listing(), "files of the folder have changed")
			})
		}
	})
	t.Logf("%d commands in hostile folders; the longest took %.1f s of %d (%s), the largest %d MB of %d (%s)", opened,
		largest.seconds, mostSeconds, largest.slowest, largest.memory>>20, mostMemory>>20, largest.biggest)
}

// visit is a folder and the commands that are tried in it.
type visit struct {
	workspace workspace
	commands  [][]string
}

// cases are all folders with all commands; with -short a folder gets every twentieth of them, each folder others.
func cases() []visit {
	var all []visit
	for n, w := range workspaces() {
		v := visit{workspace: w, commands: commands()}
		if testing.Short() {
			v.commands = nil
			for i := n % 20; i < len(commands()); i += 20 {
				v.commands = append(v.commands, commands()[i])
			}
		}
		all = append(all, v)
	}
	return all
}

// usage is the most that commands took.
type usage struct {
	seconds          float64
	memory           int64 // bytes
	slowest, biggest string
}

func (u usage) max(other usage) usage {
	if other.seconds > u.seconds {
		u.seconds, u.slowest = other.seconds, other.slowest
	}
	if other.memory > u.memory {
		u.memory, u.biggest = other.memory, other.biggest
	}
	return u
}

// look runs a command under strace, and fails the test if it did what it must not.
func (f *folder) look(strace string, args []string) usage {
	f.t.Helper()
	name := f.name + ": forge " + strings.Join(args, " ")
	log, out, state := f.traced(strace, args)
	require.True(f.t, state.Exited(), "%s was killed: %s", name, out)
	require.NotEqual(f.t, 5, state.ExitCode(), "%s: a fault of Forge: %s", name, out)
	require.NotContains(f.t, out, "goroutine ", name)
	for _, bad := range f.violations(log) {
		assert.Fail(f.t, name, bad)
	}
	rusage, _ := state.SysUsage().(*syscall.Rusage)
	used := usage{(state.UserTime() + state.SystemTime()).Seconds(), rusage.Maxrss << 10, name, name}
	require.Less(f.t, used.memory, int64(mostMemory), name)
	require.Less(f.t, used.seconds, float64(mostSeconds), "%s: processor seconds", name)
	return used
}

// traced runs a command under strace, and returns strace's lines and the output.
func (f *folder) traced(strace string, args []string) (log, out string, state *os.ProcessState) {
	f.t.Helper()
	file := filepath.Join(f.t.TempDir(), "calls")
	c := exec.CommandContext(f.t.Context(), strace, append([]string{
		"-f", "--seccomp-bpf", "-qq", "-y", "-s", "4096", "-e", "trace=execve,execveat,connect,openat,open,chdir", "-o", file, forge,
	}, args...)...)
	c.Dir, c.Env, c.Stdin = f.root, f.environ, strings.NewReader(f.input(args))
	output, err := c.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil {
		require.ErrorAs(f.t, err, &exit)
	}
	calls, err := os.ReadFile(file)
	require.NoError(f.t, err)
	require.Contains(f.t, string(calls), forge)
	return string(calls), string(output), c.ProcessState
}

// The same trace shows what the test above looks for: a diagnosis asks tools for versions and looks for servers of models.
func TestTrace_ShowsProcessesAndConnections(t *testing.T) {
	t.Parallel()
	strace := testkit.Tool(t, "strace", "scripts/install.sh strace")
	f := newFolder(t, workspaces()[0])
	log, out, _ := f.traced(strace, []string{"doctor", "--dir", "."})
	require.Empty(t, f.violations(log), "they are allowed to this command: %s", out)
	f.connects, f.diagnoses = false, false
	all := strings.Join(f.violations(log), "\n")
	require.Contains(t, all, "execve(")
	require.Contains(t, all, "connect(")
}

// Calls in each form in which strace shows them.
func TestViolations_AreFoundInEachForm(t *testing.T) {
	t.Parallel()
	f := &folder{t: t, root: "/w/pay"}
	for line, bad := range map[string]bool{
		`1 execve("/usr/bin/go", ["/usr/bin/go", "** telemetry **"], 0x1 /* 5 vars */) = 0`: true,
		`1 execve("/w/pay/go", ["go"], 0x1 /* 3 vars */) = 0`:                               true,
		`1 execve("/w/pay/go", ["go"], 0x1 /* 3 vars */ <unfinished ...>`:                   true,
		`1 execve("/usr/bin/make", ["make"], 0x1 /* 3 vars */) = 0`:                         true,
		`1 execve("/usr/bin/git", ["git"], 0x1 /* 3 vars */) = 0`:                           false,
		`1 execveat(3</w/pay/go>, "", ["go"], 0x1, AT_EMPTY_PATH) = 0`:                      true,
		`1 connect(3<socket:[1]>, {sa_family=AF_INET, sin_port=htons(1)}, 16) = 0`:          true,
		`1 openat(AT_FDCWD</w>, "/w/pay/.git/config", O_RDONLY) = 3`:                        true,
		`1 openat(5</w/pay/.git>, "config", O_RDONLY|O_NOFOLLOW) = 6`:                       true,
		`1 openat(AT_FDCWD</w/pay>, ".env", O_RDONLY) = 3`:                                  true,
		`1 openat(AT_FDCWD</w/pay>, "a.go", O_RDONLY) = 3`:                                  false,
		`1 openat(5</w/forge/git>, "config", O_RDONLY) = 6`:                                 false,
	} {
		require.Equal(t, bad, len(f.violations(line+"\n")) > 0, line)
	}
}

// Trust allows tools to execute code of the folder, and not git to execute what a repository names: git runs in a repository of Forge's own.
func TestTrusted_NoCommandRunsWhatARepositoryNames(t *testing.T) {
	t.Parallel()
	repositories := slices.DeleteFunc(workspaces(), func(w workspace) bool { return !strings.HasPrefix(w.name, "git-") })
	tried := 0
	for n, w := range testkit.Sample(2, repositories) {
		t.Run(w.name, func(t *testing.T) {
			f := newFolder(t, w)
			for i, args := range append([][]string{{"trust", f.root}}, commands()...) {
				if args[0] == "untrust" || i > 0 && testing.Short() && i%20 != n {
					continue
				}
				c := exec.CommandContext(t.Context(), forge, args...)
				c.Dir, c.Env, c.Stdin = f.root, f.environ, strings.NewReader(f.input(args))
				out, _ := c.CombinedOutput()
				require.NoFileExists(t, f.marker, "forge %v: %s", args, out)
				tried++
			}
		})
	}
	t.Logf("%d commands in trusted folders with repositories that name programs", tried)
}

// setOff runs a command of a user in the folder, and returns its output.
func (f *folder) setOff(t *testing.T, argv []string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	c.Dir = f.root
	c.Env = append(os.Environ(), "GIT_TERMINAL_PROMPT=0", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com", "CARGO_NET_OFFLINE=true")
	c.Stdin = strings.NewReader("protocol=https\nhost=host.invalid\n\n")
	out, _ := c.CombinedOutput()
	return out
}

// Traps are no traps if nothing sets them off: a user's own commands do.
func TestTraps_GoOff(t *testing.T) {
	t.Parallel()
	for _, w := range testkit.Sample(6, slices.DeleteFunc(workspaces(), func(w workspace) bool { return w.trigger == nil })) {
		t.Run(w.name, func(t *testing.T) {
			f := newFolder(t, w)
			for i := range w.trigger {
				w.trigger[i] = f.words.Replace(w.trigger[i])
			}
			if _, err := exec.LookPath(w.trigger[0]); !strings.Contains(w.trigger[0], "/") && err != nil {
				t.Skipf("not run: %s: it is not installed", w.trigger[0])
			}
			out := f.setOff(t, w.trigger)
			for bytes.Contains(out, []byte("Text file busy")) { // another test has just started a process, which still has the file open: go.dev/issue/22315
				out = f.setOff(t, w.trigger)
			}
			require.FileExists(t, f.marker, "%s: %s", fmt.Sprint(w.trigger), out)
		})
	}
}
