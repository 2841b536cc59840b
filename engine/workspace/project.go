// Package workspace is the folder the user has open: its files on disk, overlaid by buffers that are
// not saved yet, as one immutable Snapshot; and the only writer of the user's files for fronts
// without an editor, confined to the folder by os.Root.
//
// A change is written all or not at all, whenever the process is killed. Journal.Write goes through these
// steps, each synced before the next begins:
//
//	intent      the journal, outside of the folder, has every path, hash, temporary name and new folder,
//	            and what the caller wants recorded afterwards: the payload
//	stage       each new content lies beside its target as .forge-<id>-<n>.tmp, and each old file, by a
//	            hard link, as .forge-<id>-<n>.old
//	staged      the journal says so: from here targets may be new
//	rename      each target is swapped, after a last look that it is the one the change was computed on
//	committed   the journal says so: from here there is no way back but undo
//	record      the caller records the payload, or what it found (Pending.Finish)
//	forget      the entry is removed
//
// Recover finds the entries of dead processes: one that is not committed is rolled back, of one that is the
// payload is settled by the caller, once or again with the same id. An entry is locked for as long as its
// process lives, so that no process takes back what another one is writing.
//
// Where an editor writes instead, Begin notes the payload before it is asked, and Finish what it has done:
//
//	p, err := journal.Begin(ctx, root, payload)  // before workspace/applyEdit
//	defer p.Release()
//	...                                          // the editor answers, hashes are compared
//	err = p.Finish(record)                       // into the ledger; nil when nothing was applied
//
// An entry that was begun and never answered is passed to Settle with Committed false.
//
// # Files of others
//
// ReadPlainFile reads files that others made: a repository's, a shared folder's. It opens regular files only, never
// waits for one (a named pipe would block for ever, a device may do anything), and stops at a size that the caller
// gives. Every reader of a path that a repository decides goes through it, or through Snapshot, which uses it.
package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// ProjectDir is where Forge keeps what it knows of the folder root: a folder of its own below its state
// folder, named by the real path of root. It is not made.
func ProjectDir(stateDir, root string) (string, error) {
	realRoot, err := RealRoot(root)
	if err != nil {
		return "", fmt.Errorf("find Forge's folder for %s: %w", root, err)
	}
	return filepath.Join(stateDir, "projects", NameOf(realRoot)), nil
}

// RealRoot is the absolute path of a folder, without links.
func RealRoot(root string) (string, error) {
	absolute, err := filepath.Abs(root)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(absolute)
}

// NameOf is what Forge's own folders for a folder are called, by its real path.
func NameOf(realRoot string) string {
	sum := sha256.Sum256([]byte(realRoot))
	return hex.EncodeToString(sum[:16])
}

// JournalOf is the journal of the folder root below Forge's state folder.
func JournalOf(stateDir, root string) (Journal, error) {
	dir, err := ProjectDir(stateDir, root)
	return Journal{Dir: filepath.Join(dir, "journal")}, err
}

// Unsettled lists the folders whose journals below stateDir have entries, of living or of dead processes, and
// the entries that were put aside because they are unreadable. Incomplete entries are removed.
func Unsettled(ctx context.Context, stateDir string) (roots, damaged []string, err error) {
	found, err := Matching(stateDir, "projects/*/journal/*.*")
	if err != nil {
		return nil, nil, fmt.Errorf("look for interrupted changes: %w", err)
	}
	var errs []error
	for _, name := range found {
		switch filepath.Ext(name) {
		case damagedSuffix:
			damaged = append(damaged, name)
		case newSuffix:
			errs = append(errs, Journal{Dir: filepath.Dir(name)}.sweep(ctx, filepath.Base(name)))
		case entrySuffix:
			if root := rootOf(name); root != "" && !slices.Contains(roots, root) {
				roots = append(roots, root)
			}
		}
	}
	return roots, damaged, errors.Join(errs...)
}

// rootOf reads which folder an entry is about; empty when it ended meanwhile or cannot be read.
func rootOf(name string) string {
	data, err := os.ReadFile(name) //nolint:gosec // a file of our own
	if err != nil {
		return ""
	}
	e, _, err := parseEntry(data)
	if err != nil {
		return ""
	}
	return e.Root
}

// sweep removes an entry whose writer died before it had its name. Living ones hold the lock.
func (j Journal) sweep(ctx context.Context, name string) error {
	notes, err := j.open()
	if err != nil {
		return err
	}
	defer notes.Close() //nolint:errcheck // nothing is written
	release, err := lockFolder(ctx, osFolder{notes})
	if err != nil {
		return err
	}
	defer release()
	return remove(osFolder{notes}, name)
}

// CheckRoot returns, for the user, why root cannot be worked in: it is missing, or it is no folder.
func CheckRoot(root string) error {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %s does not exist (any more): open it again: %w", root, err)
	case err != nil:
		return fmt.Errorf("the folder %s cannot be read: check its permissions: %w", root, err)
	case !info.IsDir():
		return fmt.Errorf("%s is a file, not a folder: open the folder it is in", root)
	}
	return nil
}

// Document is a buffer as the editor last sent it.
type Document struct {
	Path    string // slash-separated, relative to the root
	Text    string
	Version int32 // the editor's version of it
}

// Snapshot is the workspace at one moment: what is on disk, except where an unsaved buffer says
// otherwise. It is immutable; runs keep it.
type Snapshot struct {
	Root    string              // absolute path of the folder
	Unsaved map[string]Document // by path; the caller must not change it afterwards
}
