package workspace

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"forge/internal/testkit"
)

// races are eight ways to swap what is at a path for something that leads out of the folder, or into .git, and back. Each swap
// is a system call of its own, RENAME_EXCHANGE, so that something is always there. Names are relative to the parent of the folder.
var races = []struct {
	name     string
	at, with string // what is swapped
	link     string // what with is a link to; empty: with is there already
	write    string // a path of the folder that is written
}{
	{"a folder, for one outside", "root/tools", "root/aside", "../outside", "tools/pre-commit"},
	{"a folder, for the hooks of git", "root/tools", "root/aside", ".git/hooks", "tools/pre-commit"},
	{"a folder above", "root/a", "root/aside", "../outside/a", "a/b/file"},
	{"a folder above, for .git", "root/a", "root/aside", ".git/a", "a/b/file"},
	{"a file, for one outside", "root/tools/there", "root/aside", "../../outside/there", "tools/there"},
	{"a file, for the settings of git", "root/tools/there", "root/aside", "../.git/config", "tools/there"},
	{"the folder itself, for another", "root", "other", "", "tools/there"},
	{"a file, for a pipe", "root/tools/there", "root/pipe", "", "tools/there"},
}

// For a minute each, or a moment with -short, files are written while another thread swaps: nothing outside of the folder and
// nothing in a git directory is ever written.
func TestWrite_LosesNoRaceOfLinks(t *testing.T) {
	t.Parallel()
	lasting := time.Duration(testkit.Cases(300, 60_000)) * time.Millisecond
	for _, race := range races {
		t.Run(race.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for _, name := range []string{
				"root/.git/config", "root/.git/hooks/pre-commit", "root/.git/a/b/file", "root/tools/there", "root/tools/pre-commit", "root/a/b/file",
				"outside/there", "outside/pre-commit", "outside/a/b/file", "other/.git/config", "other/tools/there",
			} {
				put(t, dir, name, "old")
			}
			require.NoError(t, unix.Mkfifo(filepath.Join(dir, "root/pipe"), 0o600))
			if race.link != "" {
				require.NoError(t, os.Symlink(race.link, filepath.Join(dir, race.with)))
			}
			written, refused, swaps := raced(t, dir, race.at, race.with, race.write, lasting)
			for name, text := range plainTexts(t, dir) {
				if strings.HasPrefix(name, "outside/") || strings.Contains(name, ".git/") {
					require.Equal(t, "old", text, name)
				}
				require.NotContains(t, name, tempPrefix)
			}
			require.Positive(t, written+refused)
			require.Positive(t, swaps)
			t.Logf("%d writes and %d refusals while it was swapped %d times", written, refused, swaps)
		})
	}
}

// raced writes a file again and again for a time, at least once, while two paths are swapped, and leaves them as they were.
func raced(t *testing.T, dir, at, with, write string, lasting time.Duration) (written, refused, swaps int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), lasting)
	defer stop()
	var swapper sync.WaitGroup
	swapper.Go(func() {
		for ; ctx.Err() == nil || swaps%2 == 1 || swaps == 0; swaps++ {
			require.NoError(t, unix.Renameat2(unix.AT_FDCWD, filepath.Join(dir, at), unix.AT_FDCWD, filepath.Join(dir, with), unix.RENAME_EXCHANGE))
			time.Sleep(time.Duration(swaps%40) * 100 * time.Microsecond) //nolint:forbidigo // it waits for nothing: a swap falls into each part of a write
		}
	})
	j := Journal{Dir: t.TempDir()}
	root := filepath.Join(dir, "root")
	for n := 0; ctx.Err() == nil || written+refused == 0; n++ {
		there, err := readNow(filepath.Join(root, write))
		if err != nil {
			continue
		}
		p, err := j.Write(t.Context(), root, []FileWrite{{Path: write, Content: fmt.Appendf(nil, "new %d", n), Base: base(string(there))}}, nil)
		if err != nil {
			refused++
			continue
		}
		require.NoError(t, p.Finish(nil))
		written++
	}
	swapper.Wait()
	return written, refused, swaps
}

// readNow reads a file without waiting for a pipe's writer.
func readNow(path string) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // nothing was written
	return io.ReadAll(f)
}

// plainTexts are the plain files below a folder.
func plainTexts(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		found[rel] = string(text)
		return err
	}))
	return found
}
