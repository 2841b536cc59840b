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

// Without a crash the five files change, and undo brings them back.
func TestApply_ChangesAndRestoresFiveFiles(t *testing.T) {
	t.Parallel()
	f := newFolder(t, t.TempDir())
	done := f.apply(nil, nil)
	require.Zero(t, done.code, done.output)
	require.True(t, f.isNew(), "%q", f.files())
	f.requireSettled(done.output)
}

// The program is killed at every place that it names, as often as it passes it. The next start finds all old
// or all new, and a ledger that agrees.
func TestApply_KilledAtEveryFailpointIsAtomic(t *testing.T) {
	t.Parallel()
	for _, name := range testkit.Failpoints("engine/workspace") {
		if !strings.HasPrefix(name, "apply.") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				f := newFolder(t, t.TempDir())
				cut := f.apply(nil, []string{fmt.Sprintf("FORGE_FAILPOINT=%s:%d", name, n)})
				if !cut.killed {
					require.Zero(t, cut.code, cut.output)
					require.Greater(t, n, 1, "%s is never passed", name)
					return
				}
				f.requireWhole(fmt.Sprintf("%s:%d", name, n))
				if testing.Short() {
					return // once is enough
				}
			}
		})
	}
}

// The twin: between two renames the folder is neither old nor new, so that a start without recovery would
// show it. And the same apply goes through after the crash.
func TestApply_CutBetweenRenamesIsDetected(t *testing.T) {
	t.Parallel()
	f := newFolder(t, t.TempDir())
	cut := f.apply(nil, []string{"FORGE_FAILPOINT=apply.rename.after:3"})
	require.True(t, cut.killed, cut.output)
	require.False(t, f.isOld())
	require.False(t, f.isNew())
	require.Len(t, f.entries(), 1)
	again := f.apply(nil, nil)
	require.Zero(t, again.code, again.output)
	require.Contains(t, again.output, "was rolled back")
	require.True(t, f.isNew(), "%q", f.files())
	f.requireSettled(again.output)
}

// Recovery is killed at every place that it names, too.
func TestRecovery_SurvivesAKillAtEveryFailpoint(t *testing.T) {
	t.Parallel()
	cutAt := map[string]string{"recover.back": "apply.rename.after:4", "recover.settle": "apply.record.before"}
	for _, name := range testkit.Failpoints("engine/workspace") {
		at, ok := cutAt[strings.TrimSuffix(strings.TrimSuffix(name, ".before"), ".after")]
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for n := 1; ; n++ {
				f := newFolder(t, t.TempDir())
				require.True(t, f.apply(nil, []string{"FORGE_FAILPOINT=" + at}).killed)
				recovery := f.run(nil, []string{fmt.Sprintf("FORGE_FAILPOINT=%s:%d", name, n)}, "doctor")
				if !recovery.killed {
					require.Greater(t, n, 1, "%s is never passed", name)
					return
				}
				f.requireWhole(fmt.Sprintf("%s:%d", name, n))
				if testing.Short() {
					return // once is enough
				}
			}
		})
	}
}

// The user's edits after the crash stay, wherever recovery is cut off; the text before is kept.
func TestRecovery_KeepsUserEdits(t *testing.T) {
	t.Parallel()
	for _, failpoint := range []string{"", "recover.keep.before", "recover.keep.after", "recover.back.after:3"} {
		t.Run("killed at "+failpoint, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, t.TempDir())
			require.True(t, f.apply(nil, []string{"FORGE_FAILPOINT=apply.rename.after:5"}).killed)
			require.NoError(t, os.WriteFile(filepath.Join(f.root, "real.txt"), []byte("first\r\nchanged, and by me\r\n"), 0o600))
			require.NoError(t, os.WriteFile(filepath.Join(f.root, "made", "mine.txt"), []byte("mine"), 0o600))
			cut := f.run(nil, []string{"FORGE_FAILPOINT=" + failpoint}, "doctor")
			require.Equal(t, failpoint != "", cut.killed, cut.output)
			told := cut.output + f.run(nil, nil, "doctor").output
			require.Contains(t, told, "link.txt was changed after Forge was interrupted")
			want := oldFiles()
			want["real.txt"] = "-rw-r--r-- first\r\nchanged, and by me\r\n"
			want["made/mine.txt"] = "-rw------- mine"
			require.Equal(t, want, f.files())
			kept := f.entries()
			require.Len(t, kept, 1, "only the folder of kept texts")
			texts, err := filepath.Glob(filepath.Join(kept[0], "*", "link.txt"))
			require.NoError(t, err)
			require.Len(t, texts, 1)
			text, err := os.ReadFile(texts[0])
			require.NoError(t, err)
			require.Equal(t, "first\r\nsecond\r\n", string(text))
			require.Contains(t, told, texts[0])
		})
	}
}

// A damaged entry is put aside; the temporary files that its name proves to be Forge's go, old texts are kept.
func TestRecovery_QuarantinesADamagedEntry(t *testing.T) {
	t.Parallel()
	for _, failpoint := range []string{"", "recover.damaged.before", "recover.damaged.after"} {
		t.Run("killed at "+failpoint, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t, t.TempDir())
			require.True(t, f.apply(nil, []string{"FORGE_FAILPOINT=apply.rename.after:2"}).killed)
			entry := f.entries()[0]
			data, err := os.ReadFile(entry)
			require.NoError(t, err)
			data[len(data)/2] ^= 1
			require.NoError(t, os.WriteFile(entry, data, 0o600))
			foreign := filepath.Join(f.root, "here", ".forge-of-somebody-1.tmp")
			require.NoError(t, os.WriteFile(foreign, []byte("not ours"), 0o600))
			told := f.run(nil, []string{"FORGE_FAILPOINT=" + failpoint}, "apply", "--dry-run", f.patch).output
			told += f.run(nil, nil, "apply", "--dry-run", f.patch).output
			if failpoint != "recover.damaged.after" {
				require.Contains(t, told, ".damaged")
			}
			require.Contains(t, f.run(nil, nil, "doctor").output, ".damaged", "for as long as it is there")
			for name := range f.files() {
				require.False(t, strings.Contains(name, ".forge-") && filepath.Join(f.root, name) != foreign, name)
			}
			require.FileExists(t, foreign)
			require.NoFileExists(t, entry)
		})
	}
}
