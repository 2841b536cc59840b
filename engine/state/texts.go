package state

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Texts are texts of the folder's files that a run works with and that have a secret in them: they stand here, beside
// the snapshots that have them anyway, so that they need not stand in the journal of the run. Each run has a folder, and
// each text the hash of its content for a name. Nothing needs git, or the repository, for it.
type Texts struct{ dir string }

// TextsOf returns the texts of the folder whose shadow has a name, below Forge's state folder.
func TextsOf(stateDir, name string) Texts {
	return Texts{filepath.Join(stateDir, "shadow", name, "texts")}
}

// Put keeps a text of a run, on disk when it returns, and gives its id. The same text has the same id.
func (t Texts) Put(run, text string) (id string, err error) {
	sum := sha256.Sum256([]byte(text))
	id = hex.EncodeToString(sum[:])
	name := filepath.Join(t.dir, run, id)
	if _, err := os.Stat(name); err == nil {
		return id, nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return "", fmt.Errorf("keep a text of run %s: %w", run, err)
	}
	if err := writeSynced(name, deflated(text)); err != nil {
		return "", fmt.Errorf("keep a text of run %s: %w", run, err)
	}
	return id, nil
}

func deflated(text string) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	_, _ = io.WriteString(w, text) // into memory
	_ = w.Close()
	return b.Bytes()
}

// writeSynced writes a file whole, so that it is there after a power cut.
func writeSynced(name string, content []byte) (err error) {
	file, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(file.Name())
		}
	}()
	_, err = file.Write(content)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := os.Rename(file.Name(), name); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(name))
}

func syncFolder(name string) error {
	dir, err := os.Open(name) //nolint:gosec // a folder of our own
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}

// Text returns a text of a run by its id. One that is not there, or is not what was put, is an error.
func (t Texts) Text(run, id string) (string, error) {
	packed, err := os.ReadFile(filepath.Join(t.dir, run, id)) //nolint:gosec // a file of our own
	if err != nil {
		return "", fmt.Errorf("read a text of run %s: %w", run, err)
	}
	r, err := zlib.NewReader(bytes.NewReader(packed))
	if err != nil {
		return "", fmt.Errorf("read a text of run %s: %w", run, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("read a text of run %s: %w", run, err)
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != id {
		return "", fmt.Errorf("read a text of run %s: the file %s is damaged", run, id)
	}
	return string(text), nil
}

// Retain removes the texts of all runs but those.
func (t Texts) Retain(runs []string) error {
	entries, err := os.ReadDir(t.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("remove texts of runs: %w", err)
	}
	var errs []error
	for _, entry := range entries {
		if !slices.Contains(runs, entry.Name()) {
			errs = append(errs, os.RemoveAll(filepath.Join(t.dir, entry.Name())))
		}
	}
	return errors.Join(errs...)
}
