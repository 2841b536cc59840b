package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// yard is a disk and a machine in small that belong to a user: a HOME with secrets, a folder that Forge checks, processes and sockets.
type yard struct {
	t       *testing.T
	top     string
	prey    prey
	uid     int
	wrap    []string          // starts programs as the user
	program string            // that makes the attempts
	texts   map[string]string // of files that are more than a canary
}

// users are the ways to be a user: who they are, how a program is started as one, and the layer that is missing then.
var users = map[string]struct {
	uid     int
	wrap    []string
	missing string // what the report says of a missing layer
	atLeast int    // how many attempts are open by hand
}{
	"root":   {uid: 0, atLeast: 83},
	"a user": {uid: 65534, atLeast: 83, wrap: []string{"setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"}},
	"a user without namespaces": {uid: 1000, missing: "missing: private file system and processes (no namespaces: user.max_user_namespaces is 0)", atLeast: 83, wrap: []string{
		"sh", "-c",
		`echo 0 >/proc/sys/user/max_user_namespaces && exec setpriv --reuid 1000 --regid 1000 --clear-groups --inh-caps=-all --bounding-set=-all "$@"`, "sh",
	}},
}

func newYard(t *testing.T, uid int, wrap []string) yard {
	t.Helper()
	top, err := os.MkdirTemp("/tmp", "forge-yard-") //nolint:usetesting // another user cannot enter the folders of t.TempDir
	require.NoError(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(top) })
	home := filepath.Join(top, "home")
	y := yard{t: t, top: top, uid: uid, wrap: wrap, program: filepath.Join(top, "bin", "attempts"), prey: prey{
		Home: home, Root: filepath.Join(home, "src/mine"), State: filepath.Join(home, ".forge"), Temp: top + "-file", Shared: "/dev/shm/" + filepath.Base(top),
		Daemon: strconv.Itoa(700000 + os.Getpid()%100000 + uid), Socket: filepath.Join(home, "agent"), Abstract: filepath.Base(top),
	}}
	t.Cleanup(func() { _ = os.Remove(y.prey.Temp); _ = os.Remove(y.prey.Shared) })
	y.texts = map[string]string{
		filepath.Join(y.prey.State, "config.yaml"): "# " + canaryText + "\ngates: [{name: attempts, argv: [" + y.program + ", " + attemptsMode + `, attempts.json], checks: 1, findings: '^(?P<path>attempts[.]json):(?P<line>1): (?P<message>OPEN: .*)$'}, {name: sockets, argv: [` + y.program + ", " + attemptsMode + `, attempts.json, fails]}]` + "\n",
	}
	for _, path := range y.prey.secrets() {
		y.put(path, cmp.Or(y.texts[path], "# "+canaryText+"\n"))
	}
	y.put(y.program, "")
	for from, to := range map[string]string{os.Args[0]: y.program, forge: filepath.Join(top, "bin", "forge")} {
		out, err := exec.CommandContext(t.Context(), "cp", from, to).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	for _, args := range [][]string{{"init", "-q", y.prey.Root}, {"-C", y.prey.Root, "config", "user.name", "x"}} {
		out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	y.put(filepath.Join(y.prey.Root, ".gitignore"), ".env\n")
	y.renew()
	y.listen()
	sleeper := y.command("sleep", "1000000")
	require.NoError(t, sleeper.Start())
	t.Cleanup(func() { _ = sleeper.Process.Kill(); _ = sleeper.Wait() })
	y.prey.Process = y.find("1000000", sleeper.Process.Pid)
	text, err := json.Marshal(y.prey)
	require.NoError(t, err)
	y.put(filepath.Join(y.prey.Root, "attempts.json"), string(text))
	for _, path := range []string{top, y.prey.Temp, y.prey.Shared} {
		out, err := exec.CommandContext(t.Context(), "chown", "-R", strconv.Itoa(uid), path).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	return y
}

// find returns the number of the process with an argument, which the process of a number is or becomes.
func (y yard) find(argument string, pid int) int {
	require.Eventually(y.t, func() bool {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		return strings.HasPrefix(string(text), "sleep\x00"+argument)
	}, watchdog, 1e7)
	return pid
}

func (y yard) put(path, text string) {
	y.t.Helper()
	require.NoError(y.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(y.t, os.WriteFile(path, []byte(text), 0o755)) //nolint:gosec // some are programs
}

// renew restores the files that attempts change.
func (y yard) renew() {
	y.t.Helper()
	for _, a := range y.prey.writes() {
		require.NoError(y.t, os.RemoveAll(a.victim))
		if strings.Contains(a.name, " new") || strings.Contains(a.name, "trust") {
			require.NoError(y.t, os.MkdirAll(filepath.Dir(a.victim), 0o755))
			continue
		}
		y.put(a.victim, cmp.Or(y.texts[a.victim], "# "+canaryText+"\n"))
		require.NoError(y.t, os.Chmod(a.victim, 0o700)) //nolint:gosec // a mode that no attempt sets
		require.NoError(y.t, os.Chown(a.victim, y.uid, -1))
	}
}

// listen answers on all kinds of sockets.
func (y *yard) listen() {
	y.t.Helper()
	answer := func(network, address string) string {
		l, err := (&net.ListenConfig{}).Listen(y.t.Context(), network, address)
		require.NoError(y.t, err)
		y.t.Cleanup(func() { _ = l.Close() })
		go func() {
			for {
				c, err := l.Accept()
				if err != nil {
					return
				}
				_, _ = c.Write([]byte("x"))
				_ = c.Close()
			}
		}()
		return l.Addr().String()
	}
	y.prey.TCP, y.prey.TCP6 = answer("tcp", "127.0.0.1:0"), answer("tcp", "[::1]:0")
	answer("unix", y.prey.Socket)
	answer("unix", "@"+y.prey.Abstract)
	packets, err := (&net.ListenConfig{}).ListenPacket(y.t.Context(), "udp", "127.0.0.1:0")
	require.NoError(y.t, err)
	y.t.Cleanup(func() { _ = packets.Close() })
	y.prey.UDP = packets.LocalAddr().String()
	go func() {
		buffer := make([]byte, 10)
		for {
			n, from, err := packets.ReadFrom(buffer)
			if err != nil {
				return
			}
			_, _ = packets.WriteTo(buffer[:n], from)
		}
	}()
}

// command is a program that the user starts.
func (y yard) command(argv ...string) *exec.Cmd {
	argv = slices.Concat(y.wrap, argv)
	c := exec.CommandContext(y.t.Context(), argv[0], argv[1:]...)
	c.Dir = y.prey.Root
	c.Env = []string{"HOME=" + y.prey.Home, "PATH=" + filepath.Join(y.prey.Home, "bin") + ":" + os.Getenv("PATH"), "FORGE_HOME=" + y.prey.State}
	if y.uid == users["a user without namespaces"].uid { // only in a user namespace can their number be limited for some processes
		every := []syscall.SysProcIDMap{{Size: 1 << 16}}
		c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: every, GidMappings: every, GidMappingsEnableSetgroups: true}
	}
	return c
}

// state is what can be seen of a file from outside.
func state(path string) string {
	var s unix.Stat_t
	if err := unix.Lstat(path, &s); err != nil {
		return "gone"
	}
	text, _ := os.ReadFile(path)
	size, _ := unix.Getxattr(path, "user.escape", nil)
	return fmt.Sprintln(s.Mode, s.Mtim.Sec == 1, s.Ino, s.Size, string(text), max(size, 0))
}

var opened = regexp.MustCompile(`OPEN: ([^"\n]+)`)

// try starts a program that makes the attempts, and returns which got out.
func (y yard) try(argv ...string) (open []string, said string) {
	y.t.Helper()
	y.renew()
	before := map[string]string{}
	for _, a := range y.prey.writes() {
		before[a.victim] = state(a.victim)
	}
	out, err := y.command(argv...).CombinedOutput()
	said = string(out)
	require.NotContains(y.t, said, "panic", "%v", err)
	for _, found := range opened.FindAllStringSubmatch(said, -1) {
		if !slices.Contains(open, found[1]) {
			open = append(open, found[1])
		}
	}
	for _, a := range y.prey.writes() {
		if state(a.victim) != before[a.victim] {
			open = append(open, a.name)
		}
	}
	return append(open, y.daemons()...), said
}

// daemons ends the process that an attempt has left behind: a sleep, or the setsid that becomes one.
func (y yard) daemons() (found []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, file := range files {
		text, _ := os.ReadFile(file)
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && strings.HasSuffix(string(text), "sleep\x00"+y.prey.Daemon+"\x00") {
			found = []string{"leave a process behind"}
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	return found
}

// No attempt of a program that a gate starts gets out of its sandbox: as root, as a user, and as one who may make no namespaces. Each one that
// counts is open to the same program that the same user starts by hand.
func TestGateSandbox_HoldsEveryAttempt(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can be several users")
	}
	for name, u := range users {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y := newYard(t, u.uid, u.wrap)
			open, said := y.try(filepath.Join(y.top, "bin", "forge"), "validate", "--trust", "--dir", y.prey.Root, "--gate", "attempts", "--json")
			require.Contains(t, said, "{")
			var report struct {
				Gates []struct{ Sandbox string }
			}
			require.NoError(t, json.Unmarshal([]byte(said[strings.Index(said, "{"):]), &report), said)
			require.Len(t, report.Gates, 1, said)
			require.Contains(t, report.Gates[0].Sandbox, "Landlock", said)
			require.Contains(t, report.Gates[0].Sandbox, u.missing, said)
			require.Empty(t, open, said)
			_, said = y.try(filepath.Join(y.top, "bin", "forge"), "validate", "--trust", "--dir", y.prey.Root, "--gate", "sockets")
			const missing = "it opens sockets, and this system gives it none, not even on 127.0.0.1"
			require.Equal(t, u.missing != "", strings.Contains(said, missing), said)

			byHand, _ := y.try(y.program, attemptsMode, "attempts.json")
			counted := 0
			for _, a := range y.prey.attempts() {
				if slices.Contains(byHand, a.name) {
					counted++
				} else {
					t.Logf("%s proves nothing: it is not open by hand", a.name)
				}
			}
			require.GreaterOrEqual(t, counted, u.atLeast)
			t.Logf("%s: %d attempts are open by hand, %d of them in a gate", name, counted, len(open))
		})
	}
}
