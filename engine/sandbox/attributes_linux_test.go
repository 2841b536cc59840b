package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// racer makes this test program race: the value is two paths of the same length, of which the second is not its own.
const racer = "SANDBOX_TEST_RACE"

// attributesOf returns what can be changed of a file without writing to it.
func attributesOf(t *testing.T, path string) string {
	t.Helper()
	var s unix.Stat_t
	require.NoError(t, unix.Lstat(path, &s))
	return fmt.Sprintf("%o %d", s.Mode, s.Mtim.Sec)
}

// changes are commands that change a file's attributes, by its name.
var changes = []string{
	`chmod 777 %s`, `touch -d @1 %s`, `touch -h -d @1 %s`, `chmod 777 -- %[1]s/../$(basename %[1]s)`, `(cd $(dirname %[1]s) && chmod 777 $(basename %[1]s))`,
	`(ln -sfn %s link && chmod 777 link)`, `(exec 3<%s && chmod 777 /proc/self/fd/3)`, `perl -e 'utime(1, 1, $ARGV[0])' %s`,
	`perl -e 'open(F, "<", $ARGV[0]); chmod(0777, *F)' %s`,
}

// A jailed command changes the modes, times and attributes of its own files. Those of others stay, by whatever name it calls them. Without
// a jail, each command changes the file of the user.
func TestJail_ChangesAttributesOfItsOwnFilesOnly(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		t.Helper()
		require.NoError(t, os.Mkdir(filepath.Join(h.path, "folder"), 0o700))
		require.NoError(t, os.Mkdir(filepath.Join(h.tree, "folder"), 0o700))
		jail := &Jail{Write: []string{h.tree}}
		for _, victim := range []string{h.file, filepath.Join(h.path, "folder")} {
			own := filepath.Join(h.tree, map[bool]string{true: "x", false: "folder"}[victim == h.file])
			for _, change := range changes {
				if strings.Contains(change, "/..") && victim == h.file {
					continue // it is no folder
				}
				before, beforeOwn := attributesOf(t, victim), attributesOf(t, own)
				said, result := h.run(r, jail, fmt.Sprintf(change, victim))
				require.Equal(t, before, attributesOf(t, victim), "%s: %s", change, said)
				require.NotContains(t, result.Layers.String(), "guard of modes")
				said, _ = h.run(r, jail, fmt.Sprintf(change, own))
				require.NotEqual(t, beforeOwn, attributesOf(t, own), "%s: %s", change, said)
				said, _ = h.run(r, nil, fmt.Sprintf(change, victim))
				require.NotEqual(t, before, attributesOf(t, victim), "%s: %s", change, said)
				for _, path := range []string{own, victim} {
					require.NoError(t, os.Chmod(path, 0o700))
					require.NoError(t, os.Chtimes(path, time.Now(), time.Now()))
				}
			}
		}
	})
}

// Errors are those that the kernel gives, and tools that keep modes and times work.
func TestJail_ToolsKeepModesAndTimes(t *testing.T) {
	t.Parallel()
	inJails(t, func(t *testing.T, r *runner, h home) {
		t.Helper()
		script := `set -e; umask 022; mkdir a && echo 1 >a/f && chmod 640 a/f && touch -d @1000 a/f && ln -s f a/l && touch -h -d @2000 a/l
cp -a a b && tar -cf t.tar a && mkdir c && tar -xpf t.tar -C c && install -m 755 a/f d && chgrp $(id -g) d && chmod 4711 d
stat -c '%n %a %Y' a/f b/f b/l c/a/f c/a/l; stat -c '%n %a' d; touch "$HOME/h" "$TMPDIR/t"; chmod 600 "$HOME/h" "$TMPDIR/t"; set +e
chmod 600 missing; chmod 600 a/f/x; chmod 600 ''; chmod 600 $(printf %05000d 1); chmod 600 /dev/fd/77 2>/dev/null || echo refused`
		said, _ := h.run(r, &Jail{Write: []string{h.tree}}, script)
		free, _ := h.run(r, nil, strings.NewReplacer("mkdir a ", "rm -r a b c d t.tar; mkdir a ", `"$TMPDIR/t"`, "").Replace(script))
		require.Equal(t, free, said)
		require.Contains(t, said, "c/a/l 777 2000\n")
	})
}

// A command that exchanges a path while it is looked at, by a link or in its memory, changes nothing that is not its own.
func TestJail_AttributesLoseNoRace(t *testing.T) {
	t.Parallel()
	program := victim(t, "sandbox-race")
	inJails(t, func(t *testing.T, r *runner, h home) {
		t.Helper()
		own := filepath.Join(h.tree, "x")
		outside := filepath.Join(h.path, strings.Repeat("o", len(own)-len(h.path)-1))
		require.NoError(t, os.WriteFile(outside, nil, 0o600))
		before := attributesOf(t, outside)
		race := racer + "=" + own + ":" + outside + " " + program
		said, _ := h.run(r, &Jail{Write: []string{h.tree}, Read: []string{filepath.Dir(program)}}, race)
		require.Contains(t, said, "raced")
		require.Equal(t, before, attributesOf(t, outside))
		for end := time.Now().Add(5 * time.Minute); time.Now().Before(end) && attributesOf(t, outside) == before; { // the twin: it is won without a jail, on a busy machine rarely
			said, _ = h.run(r, nil, race)
			require.Contains(t, said, "raced")
		}
		require.NotEqual(t, before, attributesOf(t, outside))
	})
}

// unsupervised makes the kernel refuse this test program, which plays Forge, the listener of a filter.
const unsupervised = "SANDBOX_TEST_UNSUPERVISED"

// Where the kernel hands over no system calls, commands run without that, and the layers name what is missing.
//
// It does not run beside other tests: its program is a child with a filter that no runner has started, which ends with the commands of others.
func TestJail_SaysThatNothingGuardsAttributes(t *testing.T) { //nolint:paralleltest // see above
	h := newHome(t)
	require.NoError(t, os.Chmod(filepath.Join(h.tree, "x"), 0o600))
	for _, supervised := range []bool{true, false} {
		cmd := exec.CommandContext(t.Context(), victim(t, victimName))
		cmd.Env = append(os.Environ(), "HOME="+h.path, helper+"=chmod 700 x && ls -l x", jailedHelper+"="+h.tree, plainHelper+"=yes")
		if !supervised {
			cmd.Env = append(cmd.Env, unsupervised+"=yes")
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.Contains(t, string(out), "-rwx------")
		const missing = "guard of modes, times and attributes of files (this kernel does not let Forge supervise system calls)"
		require.Equal(t, supervised, !strings.Contains(string(out), missing), string(out))
	}
}

// refuseListeners makes seccomp fail if it is asked for a listener, in this process and its children.
func refuseListeners() {
	filter := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 0},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_SECCOMP, Jf: 3},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: 24}, // the flags
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, K: unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EBUSY)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	list := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]} //nolint:gosec // six
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&list)))
	if errno != 0 {
		panic(errno)
	}
}

// playRace changes the mode of paths that change meanwhile.
func playRace(paths string) {
	own, outside, _ := strings.Cut(paths, ":")
	name := append([]byte(own), 0)
	var over atomic.Bool
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; !over.Load(); i++ {
			to := []string{own, outside}[i%2]
			copy(name, to)
			_ = os.Symlink(to, "flip.new")
			_ = os.Rename("flip.new", "flip")
		}
	}()
	for range 3000 {
		_, _, _ = syscall.Syscall6(unix.SYS_FCHMODAT, uintptr(1<<64-100), uintptr(unsafe.Pointer(&name[0])), 0o777, 0, 0, 0)
		_ = os.Chmod("flip", 0o777) //nolint:gosec // an attack
	}
	over.Store(true)
	<-done
	fmt.Println("raced")
}
