package shadow

import (
	"bytes"
	"crypto/sha256"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// held is a file of a scratch tree: what it is in the commit, and what the file system said of it when Forge had
// written that. Without a stamp it is not known what is there.
type held struct {
	leaf
	stamp stamp
}

// manifest is what a scratch tree is known to hold: all files of a commit. A file that it does not name, or that
// has another stamp now, may hold anything.
type manifest struct {
	commit string
	files  map[string]held
}

// listing is the commit that the manifest describes.
func (m manifest) listing() listing {
	files := make(listing, len(m.files))
	for name, h := range m.files {
		files[name] = h.leaf
	}
	return files
}

// manifestVersion is the format of the file; another one is thrown away with its tree.
const manifestVersion = 1

// manifestFile is the manifest of a tree that waits for its next use. Bytes is what its files take.
type manifestFile struct {
	Version int
	Boot    string
	Commit  string
	Names   []string
	Modes   []string
	IDs     []string
	Stamps  []stamp
}

// errManifest says that a tree in the pool has no manifest that proves anything.
var errManifest = errors.New("the tree's list of files is missing, damaged or of another start of the machine")

// write keeps the manifest in a tree's home. It ends with a hash, so that a part is not taken for it.
func (m manifest) write(home string) error {
	kept := manifestFile{Version: manifestVersion, Boot: bootID(), Commit: m.commit}
	for name, h := range m.files {
		kept.Names, kept.Modes = append(kept.Names, name), append(kept.Modes, h.mode)
		kept.IDs, kept.Stamps = append(kept.IDs, h.id), append(kept.Stamps, h.stamp)
	}
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(kept); err != nil {
		return fmt.Errorf("keep the tree's list of files: %w", err)
	}
	sum := sha256.Sum256(b.Bytes())
	b.Write(sum[:])
	return replaceFile(filepath.Join(home, "manifest"), b.Bytes())
}

// readManifest gives what write kept, if it was kept since the machine was started.
func readManifest(home string) (manifest, error) {
	content, err := os.ReadFile(filepath.Join(home, "manifest")) //nolint:gosec // our own file
	if err != nil {
		return manifest{}, errors.Join(errManifest, err)
	}
	return parseManifest(content, bootID())
}

func parseManifest(content []byte, boot string) (manifest, error) {
	end := len(content) - sha256.Size
	if end < 0 || sha256.Sum256(content[:end]) != [sha256.Size]byte(content[end:]) {
		return manifest{}, errManifest
	}
	var kept manifestFile
	if err := gob.NewDecoder(bytes.NewReader(content[:end])).Decode(&kept); err != nil {
		return manifest{}, errors.Join(errManifest, err)
	}
	n := len(kept.Names)
	whole := len(kept.Modes) == n && len(kept.IDs) == n && len(kept.Stamps) == n
	if !whole || kept.Version != manifestVersion || boot == "" || kept.Boot != boot {
		return manifest{}, errManifest
	}
	m := manifest{commit: kept.Commit, files: make(map[string]held, n)}
	for i, name := range kept.Names {
		m.files[name] = held{leaf{kept.Modes[i], kept.IDs[i]}, kept.Stamps[i]}
	}
	return m, nil
}
