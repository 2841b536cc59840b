package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"forge/internal/failpoint"
	"forge/patch"
)

// rollback reverts what an entry records as in progress. It needs nothing but the entry and the folder, may
// be cut off anywhere, and may be done again.
type rollback struct {
	in, notes folder
	dir       string // of notes, for users
	entry     entry
	state     state
	notices   []Notice
}

// run puts back every file that it can, newest first, and removes what was made. Its error is for what
// could not be done and can be tried again.
func (b *rollback) run() error {
	var errs []error
	for _, f := range slices.Backward(b.entry.Files) {
		failpoint.Hit(failBackBefore)
		if err := b.file(f); err != nil {
			errs = append(errs, fmt.Errorf("put %s back: %w", f.Path, err))
		}
		failpoint.Hit(failBackAfter)
	}
	for _, name := range slices.Backward(b.entry.Folders) {
		removeFolder(b.in, name)
	}
	if len(errs) == 0 {
		errs = append(errs, b.sync())
	}
	return errors.Join(errs...)
}

// removeFolder removes an empty folder, and reports whether it did. One that something was put into meanwhile stays.
func removeFolder(in folder, name string) bool {
	info, err := in.Lstat(name)
	return err == nil && info.IsDir() && in.Remove(name) == nil
}

// file puts one file back. The temporary file goes last: as long as it is there, the target is not ours.
func (b *rollback) file(f entryFile) error {
	renamed, err := b.renamed(f)
	if err != nil {
		return err
	}
	if renamed {
		if err := b.restore(f); err != nil {
			return err
		}
	}
	return errors.Join(remove(b.in, f.Backup), remove(b.in, f.Temp))
}

// renamed reports whether the target was reached: its new file is no longer next to it, or its old one is only
// there.
func (b *rollback) renamed(f entryFile) (bool, error) {
	if b.state == intended {
		return false, nil
	}
	if f.After == "" {
		return exists(b.in, f.Backup)
	}
	waiting, err := exists(b.in, f.Temp)
	return !waiting, err
}

// restore puts the old file in the place of the new one. A target that is neither was changed by the user
// since, and stays; its old text is kept aside.
func (b *rollback) restore(f entryFile) error {
	now, err := contentHash(b.in, f.Target)
	switch {
	case err != nil:
		return err
	case now == f.Base:
		return nil
	case now != f.After:
		return b.keep(f)
	}
	if f.Base == "" {
		return remove(b.in, f.Target)
	}
	err = b.in.Rename(f.Backup, f.Target)
	if errors.Is(err, fs.ErrNotExist) {
		b.notice("%s cannot be put back: its old text, %s, was removed meanwhile", f.Path, f.Backup)
		return nil
	}
	return err
}

// keep moves the old text of a file that the user has changed since out of their folder, into Forge's own.
func (b *rollback) keep(f entryFile) error {
	there, err := exists(b.in, f.Backup)
	if err != nil {
		return err
	}
	switch {
	case there:
	case f.Base == "":
		b.notice("%s was changed after Forge was interrupted while creating it, and is left as it is", f.Path)
		return nil
	default:
		b.notice("%s and its old text were removed or replaced after Forge was interrupted; it is left as it is", f.Path)
		return nil
	}
	return b.aside(f, "%s was changed after Forge was interrupted, and is left as it is; its old text is in %s")
}

// aside copies a backup into Forge's own folder. said reports the path and the place of the copy.
func (b *rollback) aside(f entryFile, said string) error {
	failpoint.Hit(failKeepBefore)
	content, err := readRegular(b.in, f.Backup)
	if err != nil {
		return err
	}
	name := path.Join(keptFolder, b.entry.ID, f.Path)
	if err := saveAside(b.notes, name, content); err != nil {
		return fmt.Errorf("keep its old text: %w", err)
	}
	failpoint.Hit(failKeepAfter)
	b.notice(said, f.Path, filepath.Join(b.dir, filepath.FromSlash(name)))
	return nil
}

func (b *rollback) notice(format string, args ...any) {
	b.notices = append(b.notices, Notice{ID: b.entry.ID, Text: fmt.Sprintf(format, args...)})
}

// sync makes what was put back last, before the entry is forgotten.
func (b *rollback) sync() error {
	synced := map[string]bool{}
	for _, f := range b.entry.Files {
		dir := path.Dir(f.Target)
		if synced[dir] {
			continue
		}
		synced[dir] = true
		if info, err := b.in.Lstat(dir); missing(err) || err == nil && !info.IsDir() {
			continue // nothing was put back in it
		}
		if err := syncFolder(b.in, dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// clearBackups removes what a committed entry no longer needs: backups, and folders that a deletion has left empty, as git does. A backup that is not
// the old text any more holds what was written into the old file while it was swapped: it is kept aside.
func clearBackups(b rollback) ([]Notice, error) {
	var errs []error
	for _, f := range b.entry.Files {
		failpoint.Hit(failClearBefore)
		if err := b.clear(f); err != nil {
			errs = append(errs, fmt.Errorf("remove %s: %w", f.Backup, err))
		}
		failpoint.Hit(failClearAfter)
	}
	for _, f := range b.entry.Files {
		if f.Backup == "" || f.After != "" {
			continue
		}
		for dir := path.Dir(f.Target); dir != "." && removeFolder(b.in, dir); {
			dir = path.Dir(dir)
		}
	}
	return b.notices, errors.Join(errs...)
}

func (b *rollback) clear(f entryFile) error {
	if f.Backup == "" {
		return nil
	}
	info, err := b.in.Lstat(f.Backup)
	switch {
	case missing(err):
		return nil
	case err != nil:
		return err
	case info.Mode().IsRegular():
		now, err := contentHash(b.in, f.Backup)
		if err == nil && now != f.Base {
			err = b.aside(f, "%s was saved by another program while Forge wrote it; what was saved is in %s")
		}
		if err != nil {
			return err
		}
	}
	return remove(b.in, f.Backup)
}

// contentHash is the Hash of a file, empty when there is none. What is no regular file, a link neither, has
// none of the hashes there are.
func contentHash(in folder, name string) (string, error) {
	info, err := in.Lstat(name)
	switch {
	case missing(err):
		return "", nil
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return info.Mode().Type().String(), nil
	case info.Size() > MaxRead:
		return "larger than any that was written", nil
	}
	content, err := readRegular(in, name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return Hash(content), nil
}

// exists reports whether there is anything of a name; of no name there is nothing.
func exists(in folder, name string) (bool, error) {
	if name == "" {
		return false, nil
	}
	_, err := in.Lstat(name)
	if missing(err) {
		return false, nil
	}
	return err == nil, err
}

// missing reports whether an error of Lstat means that there is nothing of a name, or nothing that may be touched: the folder that it was in is
// a file by now, a link or a git directory. The user made it one, and no later attempt finds what was there.
func missing(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoFolder) || errors.As(err, new(*patch.PathError))
}

// remove removes a file if it is there. It looks first: a disk that is read-only by now refuses to remove even
// what is missing.
func remove(in folder, name string) error {
	if there, err := exists(in, name); err != nil || !there {
		return err
	}
	if err := in.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// saveAside writes a file of Forge's own, synced, with the folders it is in.
func saveAside(notes folder, name string, content []byte) (err error) {
	for _, dir := range foldersOf(name) {
		if err := notes.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	f, err := notes.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if _, err := f.Write(content); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	for _, dir := range append(foldersOf(name), ".") {
		if err := syncFolder(notes, dir); err != nil {
			return err
		}
	}
	return nil
}

// foldersOf lists the folders above a name, outermost first.
func foldersOf(name string) []string {
	var list []string
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		list = append([]string{dir}, list...)
	}
	return list
}
