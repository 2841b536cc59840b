package golang

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
)

// listings are the packages of trees as they were listed last, by folder: in a large module that takes seconds, and each gate wants to know.
type listings struct{ trees sync.Map }

// listedTree is what was listed of a tree in a state.
type listedTree struct {
	state string
	all   []listed
}

func (l *listings) of(dir, state string) ([]listed, bool) {
	known, _ := l.trees.Load(dir)
	tree, is := known.(listedTree)
	return tree.all, is && tree.state == state
}

// keep keeps what was listed; of what could not be listed nothing is known.
func (l *listings) keep(dir, state string, all []listed) {
	if len(all) > 0 {
		l.trees.Store(dir, listedTree{state: state, all: all})
	}
}

// stateOf is a digest of the names, sizes and times of a tree's files, without folders that the go command does not look at.
func stateOf(dir string) string {
	sum := sha256.New()
	_ = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // the go command says what is wrong
		}
		if name := entry.Name(); entry.IsDir() && path != dir && (strings.HasPrefix(name, ".") || name == "node_modules") {
			return fs.SkipDir
		}
		if info, err := entry.Info(); err == nil && !entry.IsDir() {
			_, _ = fmt.Fprintf(sum, "%s %d %d %v\n", path, info.Size(), info.ModTime().UnixNano(), info.Mode()) // a hash takes everything
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))
}
