// Package gitdir keeps a private git directory for a folder, outside of it, and reads through it what git knows of the folder:
// which files belong to it, and the history of the repository that it is in.
//
//	Files ──┐
//	        ├──► Dir ──► git, started by engine/sandbox
//	History ┘
//
// Invariant: the user's own repository is never written; its configuration, hooks, filters and attributes never run. Its index,
// objects and ignore rules are read as data. A folder without git works the same.
//
// On disk, below the state folder, for each folder:
//
//	shadow/<hash of the real path>/
//	    lock                 held by whoever writes here; see Dir.Lock
//	    git/                 the private git directory; it has no index
//	    past/<sha1|sha256>/  an empty repository to read the user's history with; its objects stay where they are
//
// engine/shadow keeps snapshots, scratch trees and the ledger beside them.
package gitdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"forge/engine/sandbox"
	"forge/engine/workspace"
)

// Dir is the private git directory of one folder. Several, also in several processes, may be open on the same one: it holds nothing
// open. Objects and refs need no lock, because git adds them whole or not at all.
type Dir struct {
	Root string // real path of the folder
	Home string // what Forge keeps of the folder: the parent of the git directory
	Git  string // the private git directory

	runner sandbox.Runner
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

// attributes stand in info/attributes, which wins over every .gitattributes of the folder: no
// filter runs and no byte changes on the way in or out.
const attributes = "* -text -crlf -eol -ident -filter -working-tree-encoding -diff -merge\n"

// Open returns the private git directory of the folder root, below stateDir, and makes it on first use. It starts git;
// a missing git is a *sandbox.NotStartedError.
func Open(ctx context.Context, runner sandbox.Runner, stateDir, root string) (*Dir, error) {
	if err := workspace.CheckRoot(root); err != nil {
		return nil, err
	}
	realRoot, err := workspace.RealRoot(root)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(stateDir, 0o700); err != nil {
		return nil, fmt.Errorf("make Forge's state folder: %w", err)
	}
	state, err := workspace.RealRoot(stateDir)
	if err != nil {
		return nil, err
	}
	home := filepath.Join(state, "shadow", workspace.NameOf(realRoot))
	d := &Dir{Root: realRoot, Home: home, Git: filepath.Join(home, "git"), runner: runner}
	return d, d.prepare(ctx)
}

// At is the file of a slash-separated path of the folder.
func (d *Dir) At(name string) string {
	return d.Root + string(filepath.Separator) + filepath.FromSlash(name)
}

// prepare makes the private git directory. A process killed in between leaves one without the
// settings, which come last, and the next one goes on: git init spares what is there.
func (d *Dir) prepare(ctx context.Context) error {
	if err := os.MkdirAll(d.Home, 0o700); err != nil {
		return err
	}
	unlock, err := d.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	config := filepath.Join(d.Git, "config")
	if present, err := os.ReadFile(config); err == nil && strings.HasSuffix(string(present), settings) { //nolint:gosec // our own file
		return nil
	}
	if err := removeFiles(config+".lock", filepath.Join(d.Git, "HEAD.lock")); err != nil { // of a git init that was killed
		return err
	}
	if _, err := d.Run(ctx, Command{Args: []string{"init", "--quiet", "--bare", "--template="}, Dir: d.Home, bare: true}); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(d.Git, "info"), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(d.Git, "info", "attributes"), []byte(attributes), 0o600); err != nil {
		return err
	}
	made, err := os.ReadFile(config) //nolint:gosec // our own file
	if err != nil {
		return err
	}
	return ReplaceFile(config, append(made, settings...))
}

// Lock takes the lock of the directory and clears what a killed process left behind it. Every process has the lock while it writes in
// Home, objects and refs excepted, and while it must not be cleaned up.
func (d *Dir) Lock(ctx context.Context) (unlock func(), err error) {
	held, err := waitForLock(ctx, filepath.Join(d.Home, "lock"))
	if err != nil {
		return nil, fmt.Errorf("wait for the lock of the shadow repository: %w", err)
	}
	if err := d.clear(); err != nil {
		_ = held.Close()
		return nil, err
	}
	return func() { _ = held.Close() }, nil
}

// clear removes indexes and locks of a killed process, and what a git that was killed in the middle of a pack has left. A pack is only
// written with the lock, so that nobody writes one now. Where a mark of a pack stays, git refuses to write the same pack once more, for ever.
func (d *Dir) clear() error {
	var names []string
	for _, name := range []string{"index", "index.lock", "index.user", "index.user.lock", "packed-refs.lock", "packed-refs.new"} {
		names = append(names, filepath.Join(d.Git, name))
	}
	for _, pattern := range []string{"objects/pack/pack-*.keep", "objects/pack/tmp_*", "fast_import_crash_*"} {
		found, err := filepath.Glob(filepath.Join(d.Git, filepath.FromSlash(pattern)))
		if err != nil {
			return err
		}
		names = append(names, found...)
	}
	return removeFiles(names...)
}

// removeFiles removes those files that are there.
func removeFiles(names ...string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ReplaceFile swaps a file of Forge's whole. The caller has the lock.
func ReplaceFile(name string, content []byte) error {
	temp := name + ".new"
	if err := os.WriteFile(temp, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, name)
}
