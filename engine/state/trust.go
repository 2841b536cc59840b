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
	"slices"
	"strings"

	"forge/engine/workspace"
)

// Level is how far the user trusts a folder.
type Level int

// The levels; each includes those before it.
const (
	Untrusted Level = iota // nothing in it is read for a model or as a setting, and no process is started
	Read                   // models may be shown its files; nothing of it is executed, and its instructions are not followed
	Execute                // its compilers and tests, which execute its code, may run; its settings and instructions hold
)

// String is the level as users read it.
func (l Level) String() string { return [...]string{"no", "read", "execute"}[l] }

// Trust is the store of trusted folders below one directory, a file for each. Several processes may use it at once.
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

// record is what is kept of a trusted folder.
type record struct {
	identity
	OnlyRead bool `json:"onlyRead,omitempty"` // models may read it, and nothing of it is executed
}

// TrustedFolder is a folder that the user trusts.
type TrustedFolder struct {
	Path  string // with symbolic links resolved
	Level Level
	Gone  bool // another folder, or none, is there now: it is not trusted
}

// Level returns how far the user trusts this very folder.
func (t Trust) Level(folder string) (Level, error) {
	want, err := identify(folder)
	if err != nil {
		return Untrusted, err
	}
	known, err := readRecord(t.file(want.Path))
	if err != nil || known.identity != want {
		return Untrusted, err
	}
	return known.level(), nil
}

func (r record) level() Level {
	if r.OnlyRead {
		return Read
	}
	return Execute
}

// readRecord reads a record; one that is missing or damaged is of no folder.
func readRecord(file string) (known record, err error) {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return record{}, nil
	}
	if err != nil {
		return record{}, fmt.Errorf("read which folders are trusted: %w", err)
	}
	if json.Unmarshal(data, &known) != nil {
		known = record{}
	}
	return known, nil
}

// Trusted reports whether the user lets the code of this very folder be executed.
func (t Trust) Trusted(folder string) (bool, error) {
	level, err := t.Level(folder)
	return level == Execute, err
}

// List returns the folders that the user trusts, by their paths.
func (t Trust) List() (all []TrustedFolder, err error) {
	files, err := workspace.Matching(t.Dir, "*.json")
	if err != nil {
		return nil, fmt.Errorf("list which folders are trusted: %w", err)
	}
	for _, file := range files {
		known, err := readRecord(file)
		if err != nil {
			return nil, err
		}
		if known.Path == "" {
			continue
		}
		now, err := identify(known.Path)
		all = append(all, TrustedFolder{Path: known.Path, Level: known.level(), Gone: err != nil || now != known.identity})
	}
	slices.SortFunc(all, func(a, b TrustedFolder) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}

// Remove forgets that the user trusts a folder, which need not be there any more. known reports whether it was trusted.
func (t Trust) Remove(folder string) (known bool, err error) {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	err = os.Remove(t.file(folder))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Add records how far the user trusts a folder: Read or Execute.
func (t Trust) Add(folder string, level Level) error {
	id, err := identify(folder)
	if err != nil {
		return err
	}
	data, err := json.Marshal(record{identity: id, OnlyRead: level != Execute})
	if err != nil {
		return fmt.Errorf("record trust in %s: %w", folder, err)
	}
	if err := os.MkdirAll(t.Dir, 0o700); err != nil {
		return fmt.Errorf("record trust in %s: %w", folder, err)
	}
	return replace(t.file(id.Path), data)
}

func (t Trust) file(path string) string {
	sum := sha256.Sum256([]byte(path))
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
