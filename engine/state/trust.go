package state

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Trust is the store of trusted folders below one directory, a file for each: the gates of a run execute the folder's own
// code. Several processes may use it at once.
//
// Invariant: trust comes from the user's answer and is kept in Forge's own state, never deduced from what a folder contains.
type Trust struct{ Dir string }

// identity is what makes a folder the same folder: a directory that was replaced by another one under
// the same name is not trusted.
type identity struct {
	Path   string `json:"path"` // with symbolic links resolved
	Device uint64 `json:"device"`
	Inode  uint64 `json:"inode"`
	Owner  uint32 `json:"owner"`
}

// Trusted reports whether the user has trusted this very folder.
func (t Trust) Trusted(folder string) (bool, error) {
	want, err := identify(folder)
	if err != nil {
		return false, err
	}
	data, err := os.ReadFile(t.file(want))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read which folders are trusted: %w", err)
	}
	var known identity
	return json.Unmarshal(data, &known) == nil && known == want, nil
}

// Add records that the user trusts a folder.
func (t Trust) Add(folder string) error {
	id, err := identify(folder)
	if err != nil {
		return err
	}
	data, err := json.Marshal(id)
	if err != nil {
		return fmt.Errorf("record trust in %s: %w", folder, err)
	}
	if err := os.MkdirAll(t.Dir, 0o700); err != nil {
		return fmt.Errorf("record trust in %s: %w", folder, err)
	}
	return replace(t.file(id), data)
}

func (t Trust) file(id identity) string {
	sum := sha256.Sum256([]byte(id.Path))
	return filepath.Join(t.Dir, hex.EncodeToString(sum[:12])+".json")
}

func identify(folder string) (identity, error) {
	real, err := filepath.EvalSymlinks(folder)
	if err != nil {
		return identity{}, fmt.Errorf("look at folder %s: %w", folder, err)
	}
	info, err := os.Stat(real)
	if err != nil {
		return identity{}, fmt.Errorf("look at folder %s: %w", folder, err)
	}
	if !info.IsDir() {
		return identity{}, fmt.Errorf("%s is not a folder", folder)
	}
	id := identity{Path: real}
	id.fill(info)
	return id, nil
}

// replace writes a file so that it has either its old or its new content, whatever happens.
func replace(path string, data []byte) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".trust-*")
	if err != nil {
		return fmt.Errorf("record trust: %w", err)
	}
	defer os.Remove(temp.Name()) //nolint:errcheck // gone already after the rename
	_, err = temp.Write(data)
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("record trust: %w", err)
	}
	return nil
}
