package cli

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The twin of every test that compares fingerprints: each thing a run could do to a folder shows.
func TestFingerprint_DetectsEveryChange(t *testing.T) {
	t.Parallel()
	for name, touch := range map[string]func(root string) error{
		"a byte":                        func(root string) error { return os.WriteFile(filepath.Join(root, "a"), []byte("2"), 0o644) },
		"a mode":                        func(root string) error { return os.Chmod(filepath.Join(root, "a"), 0o755) },
		"a time":                        func(root string) error { return os.Chtimes(filepath.Join(root, "a"), time.Time{}, time.Unix(1, 0)) },
		"a new file":                    func(root string) error { return os.WriteFile(filepath.Join(root, "b"), nil, 0o644) },
		"a missing file":                func(root string) error { return os.Remove(filepath.Join(root, "a")) },
		"a byte of .git":                func(root string) error { return os.WriteFile(filepath.Join(root, ".git", "HEAD"), []byte("x"), 0o644) },
		"a link that points elsewhere":  func(root string) error { return relink(filepath.Join(root, "link")) },
		"a file that was made and gone": func(root string) error { return madeAndGone(filepath.Join(root, ".git", "index.lock")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			require.NoError(t, os.Mkdir(filepath.Join(root, ".git"), 0o755))
			require.NoError(t, os.WriteFile(filepath.Join(root, "a"), []byte("1"), 0o644))
			require.NoError(t, os.WriteFile(filepath.Join(root, ".git", "HEAD"), []byte("ref"), 0o644))
			require.NoError(t, os.Symlink("a", filepath.Join(root, "link")))
			for _, path := range []string{".git", ".", "a"} { // so that a change of now differs
				require.NoError(t, os.Chtimes(filepath.Join(root, path), time.Time{}, time.Unix(1e9, 0)))
			}
			before := fingerprint(t, root)
			require.Equal(t, before, fingerprint(t, root))
			require.NoError(t, touch(root))
			require.NotEqual(t, before, fingerprint(t, root))
		})
	}
}

func relink(link string) error {
	if err := os.Remove(link); err != nil {
		return err
	}
	return os.Symlink("b", link)
}

func madeAndGone(path string) error {
	if err := os.WriteFile(path, nil, 0o644); err != nil {
		return err
	}
	return os.Remove(path)
}
