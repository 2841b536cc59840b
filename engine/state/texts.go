package state

import (
	"bytes"
	"compress/zlib"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"forge/engine/secret"
)

// Texts are texts of the folder's files that a run works with and that contain a secret: they are here, next to the
// snapshots that contain them anyway, so that the journal of the run need not. Each run has a folder, and each text the
// hash of its content for a name. Nothing needs git, or the repository, for it.
type Texts struct{ dir string }

// TextsOf returns the texts of the folder whose shadow has a name, below Forge's state folder.
func TextsOf(stateDir, name string) Texts {
	return Texts{filepath.Join(stateDir, "shadow", name, "texts")}
}

// Put stores a text of a run, on disk when it returns, and returns its id. The same text has the same id.
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

// Text returns a text of a run by its id. One that is missing, or is not what was put, is an error.
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

// vault keeps strings with a secret out of the journal: texts of the user's files, which are in the shadow
// of their folder anyway. The journal has their names, and a run that is played again gets what it had.
type vault struct {
	texts   Texts
	secrets *secret.Redactor
}

// sealMark begins a string that replaces a text in the shadow. A string that begins so by itself is kept there, too.
const sealMark = "\x00forge:text:"

// Seal puts the strings of a document away that have a secret.
func (v vault) Seal(run string, document json.RawMessage) (json.RawMessage, error) {
	return secret.EachString(document, func(s string) (string, error) {
		if !strings.HasPrefix(s, sealMark) && !v.holds(s) {
			return s, nil
		}
		id, err := v.texts.Put(run, s)
		return sealMark + id, err
	})
}

// Unseal puts them back, and knows their secrets from then on.
func (v vault) Unseal(run string, document json.RawMessage) (json.RawMessage, error) {
	return secret.EachString(document, func(s string) (string, error) {
		id, sealed := strings.CutPrefix(s, sealMark)
		if !sealed {
			return s, nil
		}
		text, err := v.texts.Text(run, id)
		if err != nil {
			return "", fmt.Errorf("a text that the journal names: %w", err)
		}
		_ = v.holds(text)
		return text, nil
	})
}

// holds reports whether there is a secret in a string, or in the bytes it stands for: JSON has those in base64.
func (v vault) holds(s string) bool {
	if v.secrets.Holds(s) {
		return true
	}
	bytes, err := base64.StdEncoding.DecodeString(s)
	return err == nil && len(bytes) > 0 && v.secrets.Holds(string(bytes))
}
