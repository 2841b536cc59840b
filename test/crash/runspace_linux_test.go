package crash

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/internal/testkit"
)

// Forge's own disk gets full somewhere in a run: its size decides where. The user's files stay as they were, the
// fault is reported, and once there is room the run continues, or begins.
func TestRun_FullStateDiskCanBeResumed(t *testing.T) {
	t.Parallel()
	if !mounting(t) {
		return
	}
	for _, size := range testkit.Sample(3, []string{"4k", "64k", "100k", "140k", "160k", "180k", "220k", "260k", "300k", "340k", "400k"}) {
		t.Run(size, func(t *testing.T) {
			base := t.TempDir()
			tmpfs(t, filepath.Join(base, "home"), size)
			s := newStage(t, base).quick()
			full := s.run(never)
			about := size + ":\n" + full.output
			if full.code != 0 {
				require.True(t, same(before(), s.files()), "%s\n%q", about, s.files())
				require.True(t, strings.Contains(full.output, "no space left on device") || strings.Contains(full.output, "disk is full"), about)
				require.NotContains(t, full.output, "panic", about)
			}
			require.NoError(t, syscall.Mount("none", s.home, "tmpfs", syscall.MS_REMOUNT, "size=1g")) // a gate is stopped where less than 256 MiB are left
			next := s.resume(never)
			if len(s.known()) == 0 { // there was no room for as much as its name
				next = s.run(never)
			}
			about += "\n--- with room:\n" + next.output
			require.Zero(t, next.code, about)
			require.Equal(t, after(), s.files(), about)
			t.Logf("%s: exit code %d, then %s", size, full.code, s.requireSettled(about, full, next))
			require.Empty(t, s.boughtAgain(), about)
		})
	}
}

// The disk that the folder is on is full, or read-only: the run reaches its proposal, nothing of it is written, and
// the accepted files are written once that is possible.
func TestRun_UnwritableFolderKeepsTheAcceptedProposal(t *testing.T) {
	t.Parallel()
	if !mounting(t) {
		return
	}
	for name, m := range map[string]struct {
		spoil func(t *testing.T, root string) (mend func())
		says  string
	}{
		"full":      {fill, "disk is full"},
		"read-only": {readOnly, "read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			base := t.TempDir()
			tmpfs(t, filepath.Join(base, "project"), "64k")
			s := newStage(t, base).quick()
			mend := m.spoil(t, s.root)
			refused := s.run(never)
			about := refused.output
			require.Equal(t, 1, refused.code, about)
			require.Contains(t, about, m.says)
			mend()
			require.Equal(t, before(), s.files(), about)
			require.Empty(t, s.left(), about)
			t.Logf("%s: %s", name, resumed(s, about, refused))
			require.Len(t, s.model.asked(t), calls, "all were requested before")
		})
	}
}

func readOnly(t *testing.T, root string) (mend func()) {
	t.Helper()
	require.NoError(t, syscall.Mount("none", root, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	return func() { require.NoError(t, syscall.Mount("none", root, "tmpfs", syscall.MS_REMOUNT, "")) }
}
