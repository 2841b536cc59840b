package crash

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// inNamespace marks a process whose mounts are private to the test.
const inNamespace = "FORGE_TEST_IN_NAMESPACE"

// mounting runs the rest of a test where it may mount file systems; in the test's own process it returns
// false, after the other one has passed. Where the system refuses that, the test counts as skipped, with the reason.
func mounting(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inNamespace) != "" {
		return true
	}
	c := exec.CommandContext(t.Context(), "/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v", fmt.Sprintf("-test.short=%t", testing.Short()))
	c.Env = append(os.Environ(), inNamespace+"=1", testkit.ProgramVariable+"="+program)
	c.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := c.CombinedOutput()
	if err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Skipf("not run: no file system may be mounted here, not even in a namespace: %v", err)
	}
	require.NoError(t, err, "in a namespace of its own: %s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return false
}

// tmpfs mounts an empty file system of a size at dir.
func tmpfs(t *testing.T, dir, size string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(dir, 0o700))
	require.NoError(t, syscall.Mount("none", dir, "tmpfs", 0, "size="+size))
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
}

// fill takes all the room there is, and returns what gives it back.
func fill(t *testing.T, dir string) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "ballast")
	f, err := os.Create(name)
	require.NoError(t, err)
	for page := make([]byte, 4096); ; {
		if _, err := f.Write(page); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			break
		}
	}
	require.NoError(t, f.Close())
	return func() { require.NoError(t, os.Remove(name)) }
}

// The disk that the folder is on is full: nothing changes, the message says what to do, nothing is left, and
// the same command works once there is room.
func TestApply_FullDiskChangesNothing(t *testing.T) {
	t.Parallel()
	if !mounting(t) {
		return
	}
	base := t.TempDir()
	tmpfs(t, filepath.Join(base, "project"), "256k")
	f := newFolder(t, base)
	free := fill(t, f.root)
	full := f.apply(nil, nil)
	free()
	require.Equal(t, 1, full.code, full.output)
	require.Contains(t, full.output, "no space left on device; your files are as they were; the disk is full: make room and run the command again")
	require.True(t, strings.Contains(full.output, "run.sh") || strings.Contains(full.output, "made"), "the file is named: %s", full.output)
	require.True(t, f.isOld(), "%q", f.files())
	require.Empty(t, f.entries())
	again := f.apply(nil, nil)
	require.Zero(t, again.code, again.output)
	require.True(t, f.isNew(), "%q", f.files())
	f.requireSettled(again.output)
}

// Forge's own disk is full: no file of the user's is touched without a journal.
func TestApply_FullStateDiskChangesNothing(t *testing.T) {
	t.Parallel()
	if !mounting(t) {
		return
	}
	base := t.TempDir()
	tmpfs(t, filepath.Join(base, "home"), "2m")
	f := newFolder(t, base)
	require.Zero(t, f.run(nil, nil, "apply", "--trust", "--yes", "--dry-run", f.patch).code)
	first := f.apply(nil, nil)
	require.Zero(t, first.code, first.output)
	require.Zero(t, f.run(nil, nil, "undo", "--yes").code)
	require.NoError(t, os.RemoveAll(f.root))
	f = newFolder(t, base)
	free := fill(t, f.home)
	full := f.run(nil, nil, "apply", "--yes", f.patch)
	free()
	require.NotZero(t, full.code, full.output)
	require.True(t, f.isOld(), "%q", f.files())
	require.Empty(t, f.entries())
	again := f.apply(nil, nil)
	require.Zero(t, again.code, again.output)
	require.True(t, f.isNew(), "%q", f.files())
}

// A folder on a read-only disk stays as it is, and the message says so.
func TestApply_ReadOnlyDiskChangesNothing(t *testing.T) {
	t.Parallel()
	if !mounting(t) {
		return
	}
	base := t.TempDir()
	tmpfs(t, filepath.Join(base, "project"), "256k")
	f := newFolder(t, base)
	require.NoError(t, syscall.Mount("none", f.root, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	refused := f.apply(nil, nil)
	require.Equal(t, 1, refused.code, refused.output)
	require.Contains(t, refused.output, "read-only")
	require.True(t, f.isOld(), "%q", f.files())
	require.Empty(t, f.entries())
	require.NoError(t, syscall.Mount("none", f.root, "tmpfs", syscall.MS_REMOUNT, ""))
	again := f.apply(nil, nil)
	require.Zero(t, again.code, again.output)
	require.True(t, f.isNew(), "%q", f.files())
}
