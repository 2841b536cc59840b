package workspace

import (
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

// stageAll puts each new content beside its target and the way back beside it, complete and synced. No
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

// together does n things at the same time, no more than syncers, and gives the first error in their order.
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
