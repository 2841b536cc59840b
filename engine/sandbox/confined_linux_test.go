package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"forge/engine/sandbox/kernel"
)

// The test program as an attacker: escapes tries the process of this name.
const attacker = "SANDBOX_TEST_ATTACK"

// victimName is how the test program is called when it plays Forge; /proc shows a digit more, and no more than that.
const victimName = "sandbox-victim"

// victim is a copy of this test program, by a name, that any user can execute.
func victim(t *testing.T, name string) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "sandbox") //nolint:usetesting // another user cannot enter the folders of t.TempDir
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	require.NoError(t, os.Chmod(folder, 0o755)) //nolint:gosec // another user goes through it
	path := filepath.Join(folder, name)
	ours, err := os.Executable()
	require.NoError(t, err)
	require.NoError(t, exec.CommandContext(t.Context(), "cp", ours, path).Run())
	require.NoError(t, os.Chmod(path, 0o755)) //nolint:gosec // another user executes it
	return path
}

// user is somebody who starts Forge.
type user struct {
	name string
	as   func(*exec.Cmd)
}

// users are the current one and, for root, an ordinary one to whom the kernel grants user namespaces and one to whom it does not.
func users(t *testing.T) []user {
	t.Helper()
	all := []user{{"the current user", func(*exec.Cmd) {}}}
	if os.Getuid() != 0 {
		t.Log("not run for another user: only root can become one")
		return all
	}
	nobody := user{"an ordinary user", func(c *exec.Cmd) {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}}
	all = append(all, nobody)
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Log("not run for a user without user namespaces: that needs setpriv")
		return all
	}
	ids := []syscall.SysProcIDMap{{ContainerID: 0, HostID: 0, Size: 1}, {ContainerID: 65534, HostID: 65534, Size: 1}}
	return append(all, user{"an ordinary user without user namespaces", func(c *exec.Cmd) {
		c.Args = []string{"sh", "-c", `echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all "$0"`, c.Path}
		c.Path = "/bin/sh"
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: ids, GidMappings: ids, GidMappingsEnableSetgroups: true}
	}})
}

// A command gets at nothing of Forge's process and of its threads: not at memory, environment and descriptors. One that Forge's user starts by
// other means gets at all of that.
func TestRun_ForgeIsOutOfReach(t *testing.T) {
	t.Parallel()
	attacking := victim(t, "sandbox-attack")
	for i, u := range users(t) {
		t.Run(u.name, func(t *testing.T) {
			t.Parallel()
			name := victimName + strconv.Itoa(i)
			program := victim(t, name)
			play := func(by string) string {
				cmd := exec.CommandContext(t.Context(), program)
				cmd.Dir = "/"
				cmd.Env = append(os.Environ(), helper+"="+attacker+"="+name+" "+attacking, attackBy+"="+by, "TMPDIR=/tmp")
				u.as(cmd)
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
				return string(out)
			}
			said := play("a runner")
			require.NotContains(t, said, "OPEN")
			require.Contains(t, said, "tried")
			require.Contains(t, said, "namespace="+map[bool]string{true: "false", false: "true"}[strings.HasSuffix(u.name, "without user namespaces")])

			said = play("itself") // the twin
			for _, what := range []string{"reading environ", "reading maps", "reading memory", "writing memory", "seeing descriptors", "opening descriptors"} {
				require.Contains(t, said, "OPEN "+what)
			}
		})
	}
}

// A command has no capabilities and cannot get any, leaves no core files, sees no descriptors that Forge inherited, and has a session of
// its own.
func TestRun_CommandHasNoInheritedPrivileges(t *testing.T) {
	t.Parallel()
	left, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer left.Close()
	_, _, errno := syscall.Syscall(syscall.SYS_FCNTL, left.Fd(), syscall.F_SETFD, 0) // as one that was inherited
	require.Zero(t, errno)
	for mode, runner := range runners() {
		t.Run(mode, func(t *testing.T) {
			got, err := runner().Run(t.Context(), shell(t, `cat /proc/self/status; ulimit -c; ls /proc/self/fd; cut -d' ' -f6 /proc/self/stat; ulimit -n; cat /proc/self/oom_score_adj`))
			require.NoError(t, err)
			said := string(got.Stdout)
			for _, set := range []string{"CapInh", "CapPrm", "CapEff", "CapAmb"} {
				require.Contains(t, said, set+":\t0000000000000000\n")
			}
			if os.Getuid() == 0 {
				require.Contains(t, said, "CapBnd:\t0000000000000000\n")
			}
			require.Contains(t, said, "NoNewPrivs:\t1\n")
			lines := strings.Split(strings.TrimSpace(said[strings.Index(said, "nonvoluntary"):]), "\n")[1:]
			require.Equal(t, "0", lines[0], "the size of core files")
			require.Equal(t, []string{"0", "1", "2", "3"}, lines[1:5], "descriptors: the command's, and that of ls")
			require.NotEqual(t, sessionOf(t, os.Getpid()), lines[5])
			require.Equal(t, "500", lines[7], "of all processes it goes first when memory is short")
		})
	}
	twin := exec.CommandContext(t.Context(), "ls", "/proc/self/fd")
	out, err := twin.Output()
	require.NoError(t, err)
	require.Greater(t, len(strings.Fields(string(out))), 4, "what is inherited is there for others")
}

func sessionOf(t *testing.T, pid int) string {
	t.Helper()
	p, ok := kernel.ProcessOf(pid)
	require.True(t, ok)
	return strconv.Itoa(p.Session)
}

// Orders come whole, or not at all.
func TestOrder_IsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	o := order{path: "/bin/x", dir: "/a", setup: setup{fenced: true, mounted: true, own: "/b", limit: time.Minute}, entries: []entry{{readable, "/c", ""}, {linked, "/d", "c"}}, args: []string{"x", "", "a\nb\xff"}, env: []string{"A=", "B=c\xfe"}}
	var whole strings.Builder
	require.NoError(t, o.write(&whole))
	read := func(text string) (order, error) {
		r, w, err := os.Pipe()
		require.NoError(t, err)
		defer r.Close()
		_, err = w.WriteString(text)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return readOrder(r)
	}
	got, err := read(whole.String())
	require.NoError(t, err)
	require.Equal(t, o, got)
	for cut := range whole.Len() {
		_, err := read(whole.String()[:cut])
		require.Error(t, err, cut)
	}
	none := order{path: "/bin/x", args: []string{}, env: []string{}}
	whole.Reset()
	require.NoError(t, none.write(&whole))
	got, err = read(whole.String())
	require.NoError(t, err)
	require.Empty(t, slices.Concat(got.args, got.env))
}

// A NUL, which would end a field of an order, is in no argument and no variable that is given on; and of a variable that comes twice the last one counts.
func TestOrder_RejectsNULInArguments(t *testing.T) {
	t.Parallel()
	c := shell(t, "echo $A")
	c.Argv = append(c.Argv, "a\x00b")
	_, err := here().Run(t.Context(), c)
	require.ErrorContains(t, err, "invalid argument")
	c = shell(t, "echo $A")
	c.Env = []string{"A=1\x00B=2"}
	_, err = here().Run(t.Context(), c)
	require.ErrorContains(t, err, "invalid argument")

	cmd := exec.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", `[ "$A" = 2 ]`}, Env: []string{"A=1", "A=2"}, Dir: "/"}
	tree, err := launch(cmd, nil, setup{}, attributes(), "")
	require.NoError(t, err)
	tree.wait()
	tree.reap()
	require.Zero(t, tree.state.ExitCode())
}

// The environment of a command is not that of its launcher, in which nothing is confined yet: a library that it names is not loaded there.
func TestLauncher_IgnoresTheEnvironment(t *testing.T) {
	t.Parallel()
	c := shell(t, "echo $GODEBUG")
	c.Env = []string{"GODEBUG=inittrace=1"} // a Go program says on stderr what it initialises
	got, err := here().Run(t.Context(), c)
	require.NoError(t, err)
	require.Equal(t, "inittrace=1\n", string(got.Stdout))
	require.Empty(t, string(got.Stderr))
}

// A program that was replaced or removed while it runs still starts commands.
func TestRun_WhileForgeIsRemoved(t *testing.T) {
	t.Parallel()
	program := victim(t, victimName)
	cmd := exec.CommandContext(t.Context(), program)
	cmd.Dir, cmd.Env = "/", append(os.Environ(), helper+"=echo started", attackBy+"=a runner whose program is gone")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.Contains(t, string(out), "started\n")
	require.NoFileExists(t, program)
}

// attackMode tries to escape, or eats memory, if this test program was started for that.
func attackMode() bool {
	if size, err := strconv.Atoi(os.Getenv(eater)); err == nil {
		eat(size)
		return true
	}
	if _, is := os.LookupEnv(unsupervised); is {
		refuseListeners()
	}
	if paths, is := os.LookupEnv(racer); is {
		playRace(paths)
		return true
	}
	name, is := os.LookupEnv(attacker)
	if is {
		fmt.Println(strings.Join(escapes(name), "\n"))
		fmt.Println("tried")
	}
	return is
}

// No signal leaves: not to a process of the same user that Forge did not start for the command. One that is not confined sends it.
func TestRun_NoSignalsLeave(t *testing.T) {
	t.Parallel()
	for mode, runner := range runners() {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			if strings.HasPrefix(mode, "without") && kernel.LandlockVersion() < kernel.Signals {
				t.Skip("this kernel keeps signals in a namespace only, and here is none")
			}
			bystander := exec.CommandContext(t.Context(), "sleep", "1000")
			require.NoError(t, bystander.Start())
			kill := "kill -9 " + strconv.Itoa(bystander.Process.Pid)
			got, err := runner().Run(t.Context(), shell(t, kill+"; kill -0 $$ && echo mine"))
			require.NoError(t, err)
			require.Equal(t, "mine\n", string(got.Stdout))
			require.Regexp(t, `No such process|not permitted`, string(got.Stderr))
			require.NoError(t, syscall.Kill(bystander.Process.Pid, 0))

			require.NoError(t, exec.CommandContext(t.Context(), "sh", "-c", kill).Run()) // the twin
			require.ErrorContains(t, bystander.Wait(), "killed")
		})
	}
}
