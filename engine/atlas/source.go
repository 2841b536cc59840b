package atlas

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"forge/engine/gitdir"
	"forge/engine/shadow"
)

// source lists the files of a folder for its index.
type source struct {
	root, state string // real paths
	repo        *shadow.Repo
}

func sourceOf(o Options) (source, error) {
	root, err := realPath(o.Root)
	if err != nil {
		return source{}, err
	}
	state, err := filepath.Abs(o.StateDir)
	if err != nil {
		return source{}, err
	}
	if real, err := realPath(state); err == nil { // otherwise it does not exist yet
		state = real
	}
	return source{root, state, o.Repo}, nil
}

// Files returns the files that belong to the folder according to git, or to a walk.
func (s source) Files(ctx context.Context) ([]string, error) {
	if s.repo == nil {
		return gitdir.Walk(ctx, s.root, s.state)
	}
	return s.repo.Files.List(ctx)
}

// indexDir returns the directory of the folder's index.
func (s source) indexDir() string {
	sum := sha256.Sum256([]byte(s.root))
	return filepath.Join(s.state, "atlas", hex.EncodeToString(sum[:16]))
}

func realPath(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}
