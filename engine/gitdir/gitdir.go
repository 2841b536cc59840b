// Package gitdir keeps a private git directory for a folder, outside of it, and uses it to read what git knows about the
// folder: which files belong to it, and the history of its repository.
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
//	    lock                 held by the writing process; see Dir.Lock
//	    git/                 the private git directory; it has no index
//	    past/<sha1|sha256>/  an empty repository for reading the user's history, without its objects
//
// engine/shadow keeps snapshots, scratch trees and the ledger in the same place.
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

// Dir is the private git directory of one folder. Several, also in several processes, may be open on the same one: it keeps no
// files open. Objects and refs need no lock, because git adds them atomically.
type Dir struct {
	Root string // real path of the folder
	Home string // Forge's data about the folder: the parent of the git directory
	Git  string // the private git directory

	runner sandbox.Runner
}

// settings end the private configuration, where they take precedence. They turn off everything that
// could run a program, although git reads no file of the user: a second line of defence.
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

// attributes are in info/attributes, which overrides every .gitattributes of the folder: no filter runs and no byte changes.
const attributes = "* -text -crlf -eol -ident -filter -working-tree-encoding -diff -merge\n"

// Open returns the private git directory of the folder root, below stateDir, and creates it on first use. It starts
// git; a missing git is a *sandbox.NotStartedError.
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

// At returns the file of a slash-separated path of the folder.
func (d *Dir) At(name string) string {
	return d.Root + string(filepath.Separator) + filepath.FromSlash(name)
}

// prepare creates the private git directory. A killed process leaves one without the settings, which
// are written last; the next process then continues, because git init keeps existing files.
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
	if err := removeFiles(config+".lock", filepath.Join(d.Git, "HEAD.lock")); err != nil { // of a killed git init
		return err
	}
	if _, err := d.Run(ctx, Command{Args: []string{"init", "--quiet", "--bare", "--shared=0600", "--template="}, Dir: d.Home, bare: true}); err != nil {
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

// Lock takes the lock of the directory and removes files that a killed process left. A process must hold the lock while it writes
// in Home, except for objects and refs, and to prevent a cleanup.
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

// clear removes indexes and locks of a killed process, and unfinished packs of a killed git. Packs are only written under the lock,
// so none is being written now. If the mark of an unfinished pack stayed, git would never write the same pack again.
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

// removeFiles removes files, if they exist.
func removeFiles(names ...string) error {
	for _, name := range names {
		if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// ReplaceFile replaces one of Forge's files atomically. The caller has the lock.
func ReplaceFile(name string, content []byte) error {
	temp := name + ".new"
	if err := os.WriteFile(temp, content, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, name)
}
