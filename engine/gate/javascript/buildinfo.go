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

// infoName is the file in the scratch tree with tsc's build information. Its paths are relative, so it is valid in every tree. It
// exists only while tsc runs.
const infoName = ".forge.tsbuildinfo"

const (
	infoMax = 64 << 20           // maximum size of the stored file, in bytes
	infoFor = 7 * 24 * time.Hour // how long it is stored after its last use
)

// buildInfo is tsc's build information for one project: its files, and its errors. It is stored in a folder of Forge's own, which
// programs of gates cannot write into, so that no test can forge a pass.
type buildInfo struct {
	dir  string // Forge's own folder; empty stores nothing
	name string // name of the file in it
	tree *os.Root
}

// infoOf returns the stored information for the project in a folder of a tree. It belongs to the user's folder, so all trees of
// that folder share it.
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

// lend puts the stored information into the tree, and replaces any existing file.
func (b buildInfo) lend() error {
	if err := b.tree.RemoveAll(infoName); err != nil {
		return fmt.Errorf("remove the build information of tsc: %w", err)
	}
	text, err := os.ReadFile(filepath.Join(b.dir, b.name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = b.tree.WriteFile(infoName, text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("write the build information of tsc: %w", err)
	}
	return nil
}

// take moves tsc's new information out of the tree; keep stores it for the next check. A failure to store it only costs time.
func (b buildInfo) take(keep bool) {
	defer b.tree.Close() //nolint:errcheck // only read
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

// read returns the file that tsc has written: a regular file of limited size.
func (b buildInfo) read() ([]byte, error) {
	if info, err := b.tree.Lstat(infoName); err != nil || !info.Mode().IsRegular() || info.Size() > infoMax {
		return nil, errors.Join(err, npm.ErrNotRegular)
	}
	file, err := b.tree.Open(infoName)
	if err != nil {
		return nil, err
	}
	defer file.Close() //nolint:errcheck // only read
	return io.ReadAll(io.LimitReader(file, infoMax))
}

// removeOld removes information that no project has used for long.
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
