package workspace

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"

	"forge/internal/failpoint"
	"forge/patch"
)

// planFolders finds out which folders are missing for the new files.
func (t *transaction) planFolders() error {
	known := map[string]bool{".": true}
	for _, f := range t.entry.Files {
		if f.After == "" {
			continue
		}
		for _, name := range foldersOf(f.Target) {
			if known[name] {
				continue
			}
			known[name] = true
			info, err := t.in.Lstat(name)
			switch {
			case err == nil && !info.IsDir():
				return &patch.PathError{Path: f.Path, Cause: name + " is a file"}
			case errors.Is(err, fs.ErrNotExist):
				t.entry.Folders = append(t.entry.Folders, name)
			case err != nil:
				return fmt.Errorf("%s: %w", f.Path, err)
			}
		}
	}
	return nil
}

// stageAll puts each new content, and the way back, next to its target, complete and synced. No
// target is touched.
func (t *transaction) stageAll() error {
	for _, name := range t.entry.Folders {
		if err := t.in.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make the folder %s: %w", name, err)
		}
		failpoint.Hit(failFolderAfter)
	}
	var all []int
	for i := range t.entry.Files {
		all = append(all, i)
	}
	for some := range slices.Chunk(all, syncers) {
		if err := t.stageSome(some); err != nil {
			return err
		}
	}
	for i, f := range t.entry.Files {
		if err := t.preserve(f, t.files[i].old); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return t.syncFolders()
}

// stageSome writes some new contents and syncs them together.
func (t *transaction) stageSome(some []int) error {
	open := make([]file, len(some))
	err := func() error {
		for n, i := range some {
			f := t.entry.Files[i]
			if f.After == "" {
				continue // its backup is made by the rename that takes it away
			}
			failpoint.Hit(failStageBefore)
			var err error
			if open[n], err = t.create(f.Temp, t.files[i].content, t.files[i].like); err != nil {
				return fmt.Errorf("%s: %w", f.Path, err)
			}
			failpoint.Hit(failStageAfter)
		}
		return together(len(some), func(n int) error {
			if open[n] == nil {
				return nil
			}
			if err := open[n].Sync(); err != nil {
				return fmt.Errorf("%s: %w", t.entry.Files[some[n]].Path, err)
			}
			return nil
		})
	}()
	for n, f := range open {
		if f == nil {
			continue
		}
		if closed := f.Close(); closed != nil {
			err = errors.Join(err, fmt.Errorf("%s: %w", t.entry.Files[some[n]].Path, closed))
		}
	}
	return err
}

// syncers is how many files are synced at the same time. A file system makes one commit of those, where one
// after the other each would have its own.
const syncers = 32

// together does n things concurrently, at most syncers at once, and returns the first error in their order.
func together(n int, do func(i int) error) error {
	errs := make([]error, n)
	turns := make(chan struct{}, syncers)
	var all sync.WaitGroup
	for i := range n {
		turns <- struct{}{}
		all.Go(func() {
			defer func() { <-turns }()
			errs[i] = do(i)
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// create makes a new file, with mode and owner of the file it is for. It is not synced yet. With
// an error there is no file to close.
func (t *transaction) create(name string, content []byte, like fs.FileInfo) (_ file, err error) {
	f, err := t.in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
		}
	}()
	if _, err := f.Write(content); err != nil {
		return nil, err
	}
	if like != nil {
		keepOwner(t.in, name, like)
		if err := f.Chmod(like.Mode().Perm()); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// preserve keeps the old file under a second name: the very same one, or a copy where the file system
// has no hard links. A file that is deleted is kept by the rename that takes it away.
func (t *transaction) preserve(f entryFile, old fs.FileInfo) error {
	if old == nil || f.After == "" {
		return nil
	}
	failpoint.Hit(failBackupBefore)
	defer failpoint.Hit(failBackupAfter)
	if err := t.in.Link(f.Target, f.Backup); err == nil {
		return nil
	}
	content, err := readRegular(t.in, f.Target)
	if err != nil {
		return err
	}
	if Hash(content) != f.Base {
		return &StaleError{f.Path}
	}
	kept, err := t.create(f.Backup, content, old)
	if err != nil {
		return err
	}
	return errors.Join(kept.Sync(), kept.Close())
}

// syncFolders makes the names in all folders concerned last. Windows cannot sync a folder, and need not.
func (t *transaction) syncFolders() error {
	var folders []string
	for _, f := range t.entry.Files {
		for dir := path.Dir(f.Target); !slices.Contains(folders, dir); dir = path.Dir(dir) {
			folders = append(folders, dir)
			if !slices.Contains(t.entry.Folders, dir) {
				break // it was there before: its own name lasts already
			}
		}
	}
	return together(len(folders), func(i int) error {
		if err := syncFolder(t.in, folders[i]); err != nil {
			return fmt.Errorf("%s: %w", folders[i], err)
		}
		return nil
	})
}

// entry is one write under way, as the journal has it: all that is needed to take it back, and what its
// caller wants to have recorded once it is done. Its names are a file format.
type entry struct {
	Version int    `json:"version"`
	ID      string `json:"id"`
	Root    string `json:"root"`
	// Elsewhere reports that an editor writes the files; then there are no Files.
	Elsewhere bool        `json:"elsewhere,omitempty"`
	Files     []entryFile `json:"files,omitempty"`
	Folders   []string    `json:"folders,omitempty"` // to be made, outermost first
	Payload   []byte      `json:"payload,omitempty"`
}

// entryFile is one file of it. Temp and Backup are next to Target, under names that no other write has.
type entryFile struct {
	Path   string `json:"path"`
	Target string `json:"target"`           // Path, or where its symbolic link leads
	Base   string `json:"base,omitempty"`   // Hash of the old content; empty: there is no file before
	After  string `json:"after,omitempty"`  // Hash of the new content; empty: there is no file after
	Temp   string `json:"temp,omitempty"`   // the new content until it is renamed to Target
	Backup string `json:"backup,omitempty"` // the old file; of one that is deleted, from then on
}

// entryVersion is the file format of entries.
const entryVersion = 1

// state is the progress of a write. It only advances: see next.
type state string

const (
	intended  state = ""          // nothing but temporary files and folders may be there
	staged    state = "staged"    // the way back is complete; targets may have been renamed
	committed state = "committed" // every target is new: there is no way back but undo
)

// next are the legal transitions. The write of an editor makes none.
var next = map[state]state{intended: staged, staged: committed}

// mark is a later line of an entry.
type mark struct {
	State state `json:"state"`
}

// errDamaged means that a journal file is not what was written.
var errDamaged = errors.New("it is damaged")

// sumLength is how many characters of a line are the sum over the rest of it.
const sumLength = 16

// line returns a value as a line of an entry: a sum, a space, JSON.
func line(value any) ([]byte, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s %s\n", lineSum(text), text), nil
}

func lineSum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])[:sumLength]
}

// parseEntry reads a journal file. A last line without an end was being written when the process died, and
// does not count; anything else that is not as it was written is errDamaged.
func parseEntry(data []byte) (entry, state, error) {
	var e entry
	at := intended
	for i := 0; len(data) > 0; i++ {
		text, rest, whole := bytes.Cut(data, []byte("\n"))
		data = rest
		if !whole && i > 0 {
			break
		}
		if i == 0 {
			if err := parseLine(text, &e); err != nil || !whole {
				return entry{}, intended, errDamaged
			}
			continue
		}
		var m mark
		if err := parseLine(text, &m); err != nil || !at.leadsTo(m.State) {
			return entry{}, intended, errDamaged
		}
		at = m.State
	}
	if e.ID == "" {
		return entry{}, intended, errDamaged
	}
	if e.Version != entryVersion {
		return entry{}, intended, fmt.Errorf("it was written by another version of Forge (format %d)", e.Version)
	}
	return e, at, nil
}

func (s state) leadsTo(to state) bool {
	follows, ok := next[s]
	return ok && follows == to
}

func parseLine(text []byte, into any) error {
	sum, rest, ok := bytes.Cut(text, []byte(" "))
	if !ok || string(sum) != lineSum(rest) {
		return errDamaged
	}
	return json.Unmarshal(rest, into)
}
