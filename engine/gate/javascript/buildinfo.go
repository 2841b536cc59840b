package javascript

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/javascript/npm"
)

// infoName is where tsc reads and writes what it remembers of a project, in the scratch tree: the paths in it are relative, so that it holds in
// every tree. It is there only while tsc runs.
const infoName = ".forge.tsbuildinfo"

const (
	infoMax = 64 << 20           // how much of it is kept, in bytes
	infoFor = 7 * 24 * time.Hour // how long it is kept after its last use
)

// buildInfo is what tsc remembers of one project from check to check: which files there were, and what it said of them. It is kept in a folder
// of Forge's own, which no program that a gate starts can write into, so that no test can say that all types are right.
type buildInfo struct {
	dir  string // Forge's own folder; empty: nothing is kept
	name string // of the file there
	tree *os.Root
}

// infoOf gives what is kept of the project in a folder of a tree. The project is that of the user's folder, whichever tree it is checked in.
func infoOf(kept string, tree gate.Tree) (buildInfo, error) {
	root, err := os.OpenRoot(tree.Dir())
	if err != nil {
		return buildInfo{}, fmt.Errorf("open the project for tsc: %w", err)
	}
	below, err := filepath.Rel(gate.Top(tree), tree.Dir())
	if err != nil {
		below = tree.Dir()
	}
	origin := gate.Origin(tree)
	if origin == "" {
		origin = gate.Top(tree)
	}
	sum := sha256.Sum256([]byte(filepath.Join(origin, below)))
	return buildInfo{dir: kept, name: hex.EncodeToString(sum[:8]), tree: root}, nil
}

// lend puts what is kept into the tree, in the place of whatever is there.
func (b buildInfo) lend() error {
	if err := b.tree.RemoveAll(infoName); err != nil {
		return fmt.Errorf("make room for what tsc remembers: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(b.dir, b.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = b.tree.WriteFile(infoName, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("give tsc what it remembers: %w", err)
	}
	return nil
}

// take moves what tsc has written out of the tree; with keep it is there for the next check. What cannot be kept costs only time.
func (b buildInfo) take(keep bool) {
	defer b.tree.Close() //nolint:errcheck // nothing was written through it
	text, err := b.read()
	_ = b.tree.RemoveAll(infoName)
	if err != nil || !keep || os.MkdirAll(b.dir, 0o700) != nil {
		return
	}
	temporary, err := os.CreateTemp(b.dir, b.name+".*")
	if err != nil {
		return
	}
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), filepath.Join(b.dir, b.name))
	}
	if err != nil {
		_ = os.Remove(temporary.Name())
		return
	}
	b.removeOld()
}

// read is what tsc has written: a regular file of a limited size.
func (b buildInfo) read() ([]byte, error) {
	if info, err := b.tree.Lstat(infoName); err != nil || !info.Mode().IsRegular() || info.Size() > infoMax {
		return nil, errors.Join(err, npm.ErrNotRegular)
	}
	file, err := b.tree.Open(infoName)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // nothing was written
	return io.ReadAll(io.LimitReader(file, infoMax))
}

// removeOld removes what no project has used for long, by the time at which this one was kept.
func (b buildInfo) removeOld() {
	now, err := os.Stat(filepath.Join(b.dir, b.name))
	if err != nil {
		return
	}
	entries, _ := os.ReadDir(b.dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && now.ModTime().Sub(info.ModTime()) > infoFor {
			_ = os.Remove(filepath.Join(b.dir, e.Name()))
		}
	}
}
