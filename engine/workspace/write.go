package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"forge/patch"
)

// FileWrite is one file to write or to delete. A move is a delete and a write.
type FileWrite struct {
	Path    string // slash-separated, relative to the root
	Content []byte
	Delete  bool
	// Base is the Hash of the content the change was computed on; empty means that there was no file.
	Base string
	// Like names a file of the folder whose permissions and owner a file gets that was not there: where it is
	// moved from. If it is empty, or the file is missing, they are those of any new file.
	Like string
}

// Hash names a content: the SHA-256, in hexadecimal.
func Hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// StaleError means that a file is not the one a change was computed on. Nothing was written.
type StaleError struct {
	Path string
}

// Error returns the message for users.
func (e *StaleError) Error() string {
	return fmt.Sprintf("%s changed on disk since the edit was computed: nothing was written; run the command again", e.Path)
}

// Write makes all of the changes below root, or none of them, also when the process is killed at any moment:
// the next call of Recover ends that. It is for fronts without an editor: with one attached,
// the editor writes, see Begin.
//
// A file is written only if its content is the one its change was computed on (else *StaleError), and
// never in place: every new content is complete and synced next to its file before the first one is
// renamed. When a step fails, files that were renamed already are put back and no temporary file
// stays. Permissions, owner and symbolic links are kept; a link that leaves the folder and a read-only
// file are refused (*patch.PathError). ctx is heeded until the first rename.
//
// The payload is what the caller wants to have recorded about the change. Once Write has returned, the
// change stays; the caller must end the Pending, best with Finish.
func (j Journal) Write(ctx context.Context, root string, changes []FileWrite, payload []byte) (*Pending, error) {
	if err := checkWrites(changes); err != nil {
		return nil, err
	}
	opened, err := openRoot(root)
	if err != nil {
		return nil, err
	}
	defer opened.Close() //nolint:errcheck // every file in it was synced and closed
	notes, err := j.open()
	if err != nil {
		return nil, err
	}
	in := newInside(opened)
	defer in.close()
	p, err := j.write(ctx, in, osFolder{notes}, root, changes, payload)
	if err == nil {
		p.close = func() { _ = notes.Close() }
		return p, nil
	}
	_ = notes.Close()
	if _, fault := errors.AsType[*journalError](err); fault {
		return nil, j.failed(err)
	}
	return nil, fmt.Errorf("write to %s: %w%s", root, err, advice(err))
}

// advice adds what the user can do about an error of the system.
func advice(err error) string {
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "; the disk is full: make room and run the command again"
	case errors.Is(err, syscall.EROFS):
		return "; the disk is read-only"
	case errors.Is(err, fs.ErrPermission):
		return "; check the permissions of the folder and who owns it"
	}
	return ""
}

func checkWrites(changes []FileWrite) error {
	seen := map[string]bool{}
	for _, c := range changes {
		if err := patch.CheckPath(c.Path); err != nil {
			return err
		}
		if seen[c.Path] {
			return &patch.PathError{Path: c.Path, Cause: "it is written twice in one change"}
		}
		seen[c.Path] = true
	}
	return nil
}

// syncFolder makes the names in a folder last.
func syncFolder(in folder, name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := in.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
