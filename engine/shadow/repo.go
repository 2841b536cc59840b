package shadow

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"forge/engine/sandbox"
	"forge/engine/workspace"
)

// Repo is the shadow of one workspace. Several Repos, also in several processes, may be open on the
// same one. It holds nothing open.
type Repo struct {
	runner sandbox.Runner
	root   string // real path of the workspace
	home   string // shadow/<hash>
	git    string // the private git directory

	past pastCache
	disk diskCache
	user trackedCache
}

// settings go at the end of the private configuration, where they win. What could run a program is off
// although nothing of the user's is read: one line of defence is not enough.
const settings = `
# forge: settings of a shadow repository, version 1
[core]
	bare = false
	hooksPath = /dev/null
	fsmonitor = false
	untrackedCache = false
	attributesFile = /dev/null
	autocrlf = false
	safecrlf = false
	logAllRefUpdates = false
[gc]
	auto = 0
[maintenance]
	auto = false
[submodule]
	recurse = false
[diff]
	ignoreSubmodules = all
`

// attributes stand in info/attributes, which wins over every .gitattributes of the workspace: no
// filter runs and no byte changes on the way in or out.
const attributes = "* -text -crlf -eol -ident -filter -working-tree-encoding -diff -merge\n"

// Open gives the shadow of the folder root, below stateDir, and makes it on first use. It starts git;
// a missing git is a *sandbox.NotStartedError.
func Open(ctx context.Context, runner sandbox.Runner, stateDir, root string) (*Repo, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	realRoot, err := realPath(root)
	if err != nil {
		return nil, fmt.Errorf("open the shadow repository of %s: %w", root, err)
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, fmt.Errorf("make Forge's state folder: %w", err)
	}
	state, err := realPath(stateDir)
	if err != nil {
		return nil, fmt.Errorf("open the shadow repository of %s: %w", root, err)
	}
	sum := sha256.Sum256([]byte(realRoot))
	home := filepath.Join(state, "shadow", hex.EncodeToString(sum[:16]))
	r := &Repo{runner: runner, root: realRoot, home: home, git: filepath.Join(home, "git")}
	if err := r.prepare(ctx); err != nil {
		return nil, fmt.Errorf("open the shadow repository of %s: %w", root, err)
	}
	return r, nil
}

func realPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// prepare makes the private git directory. A process killed in between leaves one without the
// settings, which come last, and the next one goes on: git init spares what is there.
func (r *Repo) prepare(ctx context.Context) error {
	if err := os.MkdirAll(filepath.Join(r.home, "trees"), 0o700); err != nil {
		return err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	config := filepath.Join(r.git, "config")
	if present, err := os.ReadFile(config); err == nil && strings.HasSuffix(string(present), settings) { //nolint:gosec // our own file
		return nil
	}
	for _, name := range []string{config + ".lock", filepath.Join(r.git, "HEAD.lock")} { // of a git init that was killed
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if _, err := r.run(ctx, command{args: []string{"init", "--quiet", "--bare", "--template="}, dir: r.home, bare: true}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(r.git, "info"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.git, "info", "attributes"), []byte(attributes), 0o600); err != nil {
		return err
	}
	made, err := os.ReadFile(config) //nolint:gosec // our own file
	if err != nil {
		return err
	}
	return replaceFile(config, append(made, settings...))
}

// lock takes the lock of the shadow repository and clears what a killed process left behind it.
func (r *Repo) lock(ctx context.Context) (unlock func(), err error) {
	held, err := lockFile(ctx, filepath.Join(r.home, "lock"))
	if err != nil {
		return nil, fmt.Errorf("wait for the lock of the shadow repository: %w", err)
	}
	for _, name := range []string{"index", "index.lock", "index.user", "index.user.lock", "packed-refs.lock", "packed-refs.new"} {
		if err := os.Remove(filepath.Join(r.git, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			_ = held.Close()
			return nil, err
		}
	}
	if err := r.clearImports(); err != nil {
		_ = held.Close()
		return nil, err
	}
	return func() { _ = held.Close() }, nil
}

// clearImports removes what a git that was killed in the middle of a pack has left. A pack is only written with the lock,
// so that nobody writes one now. Where a mark of a pack stays, git refuses to write the same pack once more, for ever.
func (r *Repo) clearImports() error {
	for _, pattern := range []string{"objects/pack/pack-*.keep", "objects/pack/tmp_*", "fast_import_crash_*"} {
		names, err := filepath.Glob(filepath.Join(r.git, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// replaceFile swaps a file of ours whole.
func replaceFile(name string, content []byte) error {
	temp := name + ".new"
	if err := os.WriteFile(temp, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, name)
}
