package crash

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// tampered runs the five-file apply under strace, which does something to the n-th call (of each thread) of
// one name, in the program and in the git that it starts. It reports whether there was such a call.
func (f *folder) tampered(call, injection, when string) (r result, happened bool) {
	f.t.Helper()
	strace := testkit.Tool(f.t, "strace", "scripts/install.sh strace")
	log := filepath.Join(filepath.Dir(f.root), "calls")
	r = f.apply([]string{
		strace, "-f", "-qq", "-o", log, "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:%s:when=%s", call, injection, when),
	}, nil)
	data, err := os.ReadFile(log)
	require.NoError(f.t, err)
	text := string(data)
	return r, strings.Contains(text, "(INJECTED)") || strings.Contains(text, "killed by SIGKILL")
}

// A system call that changes something, and every how manieth of it is tried: some are made a hundred times
// by what has nothing to do with the five files.
var mutating = []struct {
	call   string
	stride int
}{
	{"renameat", 1}, {"rename", 1}, {"linkat", 1}, {"link", 2}, {"unlinkat", 4}, {"mkdirat", 1}, {"fsync", 1}, {"write", 2},
	{"fchmod", 1}, {"fchownat", 1}, {"flock", 2}, {"openat", 11},
}

// The program, or the git that records for it, is killed at system calls that change something.
func TestApply_KilledAtSystemCallsIsAtomic(t *testing.T) {
	t.Parallel()
	for _, m := range testkit.Sample(1, mutating) {
		t.Run(m.call, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n += m.stride {
				f := newFolder(t, t.TempDir())
				cut, happened := f.tampered(m.call, "signal=SIGKILL", fmt.Sprint(n))
				if !happened {
					require.Zero(t, cut.code, cut.output)
					require.Greater(t, n, 1, "%s is never called", m.call)
					return
				}
				f.requireWhole(fmt.Sprintf("killed at %s number %d", m.call, n))
			}
		})
	}
}

// System calls fail, once or from some moment on. Without any recovery the folder is old or new as a whole,
// and the same apply goes through afterwards.
func TestApply_FailingSystemCallsAreAtomic(t *testing.T) {
	t.Parallel()
	for _, m := range testkit.Sample(1, []struct {
		call, cause, again string
		stride             int
	}{
		{"renameat", "EROFS", "", 1}, {"linkat", "ENOSPC", "", 1}, {"mkdirat", "ENOSPC", "", 1}, {"fsync", "EIO", "", 1}, {"fsync", "EIO", "+", 4},
		{"write", "ENOSPC", "", 3}, {"write", "ENOSPC", "+", 3}, {"fchmod", "EACCES", "", 1}, {"openat", "EACCES", "", 13}, {"unlinkat", "EACCES", "", 5},
	}) {
		t.Run(m.call+m.again+" "+m.cause, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n += m.stride {
				f := newFolder(t, t.TempDir())
				about := fmt.Sprintf("%s number %d%s: %s", m.call, n, m.again, m.cause)
				failed, happened := f.tampered(m.call, "error="+m.cause, fmt.Sprint(n)+m.again)
				if !happened {
					require.Zero(t, failed.code, failed.output)
					require.Greater(t, n, 1, "%s is never called", m.call)
					return
				}
				about += "\n" + failed.output
				if !crashed(failed) && !f.failedTwice(failed) {
					files := f.files()
					require.True(t, f.withoutBackups(files), "%s\n%q\n%q", about, files, f.entries())
				}
				f.requireWhole(about)
			}
		})
	}
}

// crashed reports that a process could not even run: Go's own runtime needs some of the calls, too.
func crashed(r result) bool { return strings.Contains(r.output, "fatal error:") || r.killed }

// failedTwice reports that a call failed on the way back, too: strace counts for each thread. The program reports that,
// the journal keeps it, and the next command restores what is left.
func (f *folder) failedTwice(r result) bool {
	return strings.Contains(r.output, "not everything could be put back") && len(f.entries()) > 0
}

// withoutBackups reports whether all files are old, or all are new; backups of new ones may still be there
// as long as the journal knows of them.
func (f *folder) withoutBackups(files map[string]string) bool {
	files = maps.Clone(files)
	if len(f.entries()) > 0 {
		for name := range files {
			if strings.HasSuffix(name, ".old") {
				delete(files, name)
			}
		}
	}
	return same(files, oldFiles()) || same(files, newFiles())
}
