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
	if real, err := realPath(state); err == nil { // or else it does not exist yet
		state = real
	}
	return source{root, state, o.Repo}, nil
}

// Files is what git says belongs to the folder, or a walk.
func (s source) Files(ctx context.Context) ([]string, error) {
	if s.repo == nil {
		return gitdir.Walk(ctx, s.root, s.state)
	}
	return s.repo.Files.List(ctx)
}

// indexDir is where the index of the folder is kept.
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
