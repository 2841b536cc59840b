package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// changing are the system calls that change something on disk.
var changing = []string{"renameat", "renameat2", "rename", "linkat", "link", "unlinkat", "unlink", "mkdirat", "fsync", "ftruncate", "pwrite64", "write"}

// tampering runs the program under strace, which does something to the n-th call of one name that each thread makes.
func (s *stage) tampering(call, what, when string) (by death, happened func() bool) {
	s.t.Helper()
	strace := testkit.Tool(s.t, "strace", "scripts/install.sh strace")
	log := filepath.Join(s.base, "calls")
	by.before = []string{strace, "-f", "-qq", "-o", log, "-e", "trace=" + call, "-e", fmt.Sprintf("inject=%s:%s:when=%s", call, what, when)}
	return by, func() bool {
		data, err := os.ReadFile(log)
		require.NoError(s.t, err)
		return strings.Contains(string(data), "(INJECTED)") || strings.Contains(string(data), "killed by SIGKILL")
	}
}

// A run is killed at its system calls that change something, or its git is. Resumed, it ends like an undisturbed one.
func TestRun_SurvivesAKillAtSystemCalls(t *testing.T) {
	t.Parallel()
	for _, call := range testkit.Sample(1, changing) {
		for at := 1; at <= rounds(1, 4, 1<<20); at += rounds(3, 3, 1) {
			if *long && at > callsAtMost {
				break
			}
			t.Run(fmt.Sprintf("%s %d", call, at), func(t *testing.T) {
				t.Parallel()
				defer one()()
				s := newStage(t, t.TempDir()).quick()
				by, happened := s.tampering(call, "signal=SIGKILL", fmt.Sprint(at))
				life := s.run(by)
				about := fmt.Sprintf("killed at %s number %d", call, at)
				if !life.killed { // it was git, or none
					s.deaths = append(s.deaths, len(s.model.script.Requests()))
				}
				t.Logf("%s, happened: %v, the program itself: %v; %s", about, happened(), life.killed, resumed(s, about, life))
			})
		}
	}
}

// callsAtMost is how many calls of one name a thread of a run makes at most, about.
const callsAtMost = 120

// System calls of a run fail, once or from some moment on: nothing is lost, the fault is reported, and the run can be
// resumed when the disk works again.
func TestRun_FailingSystemCallsLoseNothing(t *testing.T) {
	t.Parallel()
	for _, m := range testkit.Sample(1, []struct{ call, cause, when string }{
		{"fsync", "EIO", "1+"}, {"fsync", "EIO", "3"}, {"pwrite64", "ENOSPC", "1+"}, {"pwrite64", "EIO", "40+"},
		{"mkdirat", "EACCES", "1+"}, {"mkdirat", "EROFS", "4+"}, {"renameat", "EACCES", "1+"}, {"linkat", "EIO", "1+"},
	}) {
		t.Run(m.call+" "+m.cause+" "+m.when, func(t *testing.T) {
			t.Parallel()
			defer one()()
			s := newStage(t, t.TempDir()).quick()
			by, happened := s.tampering(m.call, "error="+m.cause, m.when)
			failed := s.run(by)
			about := fmt.Sprintf("%s fails with %s\n%s", m.call, m.cause, failed.output)
			require.True(t, happened(), about)
			s.deaths = append(s.deaths, len(s.model.script.Requests()))
			if failed.code != 0 {
				require.Equal(t, before(), s.files(), about)
				require.NotContains(t, failed.output, "panic", about)
			}
			t.Logf("%s %s: exit code %d; %s", m.call, m.cause, failed.code, resumed(s, about, failed))
		})
	}
}
