package shadow

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"forge/patch"
)

// monorepo is a folder with packages of its own and packages that are installed.
func monorepo(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	put(t, root, ".gitignore", "node_modules\n")
	put(t, root, "package.json", `{"workspaces": ["packages/*"]}`)
	put(t, root, "packages/ours/package.json", `{"name": "ours", "bin": "cli.js"}`)
	put(t, root, "packages/ours/cli.js", "on disk\n")
	put(t, root, "packages/app/package.json", `{"name": "app"}`)
	put(t, root, "node_modules/theirs/index.js", "theirs\n")
	put(t, root, "node_modules/@scope/theirs/index.js", "scoped\n")
	put(t, root, "node_modules/.cache/tool/state", "of a tool\n")
	put(t, root, "node_modules/.bin/tool", "a program\n")
	put(t, root, "packages/app/node_modules/deep/index.js", "deep\n")
	link(t, root, "../packages/ours", "node_modules/ours")
	link(t, root, "../../packages/app", "node_modules/@scope/app")
	link(t, root, "../ours/cli.js", "node_modules/.bin/ours")
	link(t, root, filepath.Join(root, "packages", "ours"), "packages/app/node_modules/ours")
	return root
}

func link(t *testing.T, root, target, name string) {
	t.Helper()
	full := filepath.Join(root, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(full), 0o755))
	require.NoError(t, os.Symlink(target, full))
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(text)
}

func TestCheckout_ShowsInstalledPackages(t *testing.T) {
	t.Parallel()
	root := monorepo(t)
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, map[string]string{"packages/ours/cli.js": "typed\n"}))
	for name, want := range map[string]string{
		"node_modules/theirs/index.js":                     "theirs\n",
		"node_modules/@scope/theirs/index.js":              "scoped\n",
		"node_modules/.bin/tool":                           "a program\n",
		"packages/app/node_modules/deep/index.js":          "deep\n",
		"node_modules/ours/cli.js":                         "typed\n", // the tree's, not the one on disk
		"node_modules/.bin/ours":                           "typed\n",
		"packages/app/node_modules/ours/cli.js":            "typed\n",
		"node_modules/@scope/app/node_modules/ours/cli.js": "typed\n",
	} {
		require.Equal(t, want, read(t, tree.Dir(), name), name)
	}
	require.NoFileExists(t, filepath.Join(tree.Dir(), "node_modules", ".cache", "tool", "state"))
}

// Nothing of it is a change, is listed, or goes into a commit, whatever the ignore rules say of links.
func TestChanges_LeaveOutInstalledPackages(t *testing.T) {
	t.Parallel()
	root := monorepo(t)
	put(t, root, ".gitignore", "**/node_modules/*/\n.venv/*/\n")
	put(t, root, "requirements.txt", "x\n")
	put(t, root, ".venv/bin/python", "a program\n")
	put(t, root, ".venv/pyvenv.cfg", "home = /usr/bin\n")
	r := open(t, root)
	s := snap(t, r, nil)
	tree := checkout(t, r, s)
	require.Equal(t, "a program\n", read(t, tree.Dir(), ".venv/bin/python"))
	put(t, tree.Dir(), "node_modules/.cache/mine", "x")
	put(t, tree.Dir(), ".venv/new", "x")

	changes, err := tree.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, changes.Files)
	listed, err := tree.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{".gitignore", "package.json", "packages/app/package.json", "packages/ours/cli.js", "packages/ours/package.json", "requirements.txt"}, listed)
	// The other side: what an edit writes there is a change.
	require.NoError(t, tree.Apply(patch.ChangeSet{Files: []patch.FileChange{{Kind: patch.Create, Path: "node_modules/new/a.js", After: "a"}}}))
	changes, err = tree.Changes(t.Context())
	require.NoError(t, err)
	require.Len(t, changes.Files, 1)
}

// Whatever a test does to the folder of packages itself, the user's stays as it is, and the next one finds it whole.
func TestCheckout_LeavesInstalledPackagesAsTheyAre(t *testing.T) {
	t.Parallel()
	root := monorepo(t)
	r := open(t, root)
	before := fingerprint(t, root)
	tree := checkout(t, r, snap(t, r, nil))
	modules := filepath.Join(tree.Dir(), "node_modules")
	for name, harm := range map[string]func() error{
		"removes all of it":     func() error { return os.RemoveAll(modules) },
		"removes a package":     func() error { return os.RemoveAll(filepath.Join(modules, "theirs")) },
		"replaces a package":    func() error { return replaceByFolder(filepath.Join(modules, "theirs")) },
		"adds a package":        func() error { return os.Mkdir(filepath.Join(modules, "new"), 0o755) },
		"makes it unreadable":   func() error { return os.Chmod(modules, 0) },
		"makes it a link":       func() error { return replaceByLink(modules) },
		"writes into a cache":   func() error { return os.MkdirAll(filepath.Join(modules, ".cache", "x"), 0o755) },
		"replaces a program":    func() error { return replaceByFolder(filepath.Join(modules, ".bin", "tool")) },
		"removes a scope of it": func() error { return os.RemoveAll(filepath.Join(modules, "@scope")) },
	} {
		require.NoError(t, harm(), name)
		require.NoError(t, tree.Reset(t.Context()), name)
		require.Equal(t, "theirs\n", read(t, tree.Dir(), "node_modules/theirs/index.js"), name)
		require.Equal(t, before, fingerprint(t, root), name)
	}
	require.NoError(t, tree.Close())
	require.Equal(t, before, fingerprint(t, root))
	again := checkout(t, r, snap(t, r, nil))
	require.Equal(t, "theirs\n", read(t, again.Dir(), "node_modules/theirs/index.js"))
	require.NoError(t, again.Close())
	require.Equal(t, before, fingerprint(t, root))
}

func replaceByFolder(name string) error {
	if err := os.Remove(name); err != nil {
		return err
	}
	if err := os.Mkdir(name, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(name, "index.js"), []byte("forged"), 0o600)
}

func replaceByLink(name string) error {
	if err := os.RemoveAll(name); err != nil {
		return err
	}
	return os.Symlink(os.TempDir(), name)
}

// Installed files are no part of a snapshot even if git does not ignore them, also without git, and are linked all the same: packages, and
// virtual environments by any name, or by a link.
func TestLinks_InstalledFilesAreLinkedUnignored(t *testing.T) {
	t.Parallel()
	elsewhere := t.TempDir()
	for _, git := range []bool{false, true} {
		root := t.TempDir()
		if git {
			put(t, root, ".git/HEAD", "ref: refs/heads/main\n")
		}
		put(t, root, "package.json", "{}")
		put(t, root, "node_modules/theirs/index.js", "theirs\n")
		put(t, root, "app/package.json", "{}")
		put(t, elsewhere, "modules/a/index.js", "by a link\n")
		link(t, root, filepath.Join(elsewhere, "modules"), "app/node_modules")
		put(t, root, "api/pyproject.toml", "")
		put(t, elsewhere, "env/bin/python", "of a link\n")
		put(t, elsewhere, "env/pyvenv.cfg", "home = /usr/bin\n")
		link(t, root, filepath.Join(elsewhere, "env"), "api/.venv")
		put(t, root, "my env/bin/python", "of mine\n")
		put(t, root, "my env/pyvenv.cfg", "home = /usr/bin\n")
		put(t, root, "my env/lib/a.py", "theirs\n")
		put(t, root, "venv/a.py", "a folder of this name that is no environment\n")
		r := open(t, root)
		files, err := r.Files.List(t.Context())
		require.NoError(t, err)
		require.Equal(t, []string{"api/pyproject.toml", "app/package.json", "package.json", "venv/a.py"}, files)
		tree := checkout(t, r, snap(t, r, nil))
		for name, want := range map[string]string{
			"node_modules/theirs/index.js": "theirs\n", "app/node_modules/a/index.js": "by a link\n", "api/.venv/bin/python": "of a link\n",
			"my env/bin/python": "of mine\n", "venv/a.py": "a folder of this name that is no environment\n",
		} {
			require.Equal(t, want, read(t, tree.Dir(), name), name)
		}
		listed, err := tree.List(t.Context())
		require.NoError(t, err)
		require.Equal(t, files, listed, "nothing of it is of the tree")
	}
}

// If the snapshot has packages itself, they are checked; and a folder without packages is left alone.
func TestCheckout_PrefersPackagesOfTheSnapshot(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	put(t, root, "package.json", "{}")
	put(t, root, "node_modules/kept/index.js", "on disk\n")
	git(t, root, "init", "-q")
	git(t, root, "add", "-f", "node_modules")
	put(t, root, "a/package.json", "{}")
	put(t, root, "a/.gitignore", "/node_modules\n")
	require.NoError(t, os.WriteFile(filepath.Join(root, "a", "node_modules"), []byte("a file"), 0o600))
	r := open(t, root)
	tree := checkout(t, r, snap(t, r, map[string]string{"node_modules/kept/index.js": "typed\n"}))
	require.Equal(t, "typed\n", read(t, tree.Dir(), "node_modules/kept/index.js"))
	_, err := os.Lstat(filepath.Join(tree.Dir(), "a", "node_modules"))
	require.ErrorIs(t, err, fs.ErrNotExist)
}
