package workspace

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"syscall"

	"forge/internal/failpoint"
	"forge/patch"
)

// transaction is one Write under way: everything is checked, noted, staged, and then renamed. Until it is
// committed, rollback takes all of it back.
type transaction struct {
	in    folder
	entry entry
	files []*staging // one for each file of entry
}

// staging is what a transaction knows of a file beyond what it notes.
type staging struct {
	content []byte
	old     fs.FileInfo // nil when there is no file
	like    fs.FileInfo // whose permissions and owner the new file gets; nil for those of any
}

// write is Write in folders that tests can put themselves between.
func (j Journal) write(ctx context.Context, in, notes folder, root string, changes []FileWrite, payload []byte) (*Pending, error) {
	t := &transaction{in: in, entry: entry{ID: newEntryID(), Root: root, Payload: payload}}
	for _, c := range changes {
		if err := t.check(c); err != nil {
			return nil, err
		}
	}
	if err := t.planFolders(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := begin(ctx, notes, t.entry)
	if err != nil {
		return nil, &journalError{err}
	}
	p.dir = j.Dir
	if err := t.perform(ctx, p); err != nil {
		if left := t.takeBack(p, err); left != nil {
			return nil, errors.Join(err, left)
		}
		return nil, fmt.Errorf("%w; your files are as they were", err)
	}
	p.Notices, err = clearBackups(rollback{in: t.in, notes: p.notes, dir: p.dir, entry: p.entry})
	p.cleared = err == nil // else the next Recover removes what stays
	return p, nil
}

// journalError means that the journal was at fault, not the user's folder.
type journalError struct{ cause error }

func (e *journalError) Error() string { return e.cause.Error() }
func (e *journalError) Unwrap() error { return e.cause }

// perform brings every target from old to new. An error leaves the rest to takeBack.
func (t *transaction) perform(ctx context.Context, p *Pending) error {
	if err := t.stageAll(); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	failpoint.Hit(failStagedBefore)
	if err := p.mark(mark{State: staged}); err != nil {
		return &journalError{err}
	}
	failpoint.Hit(failStagedAfter)
	if err := t.renameAll(); err != nil {
		return err
	}
	if err := t.in.settled(); err != nil {
		return err
	}
	failpoint.Hit(failCommitBefore)
	if err := p.mark(mark{State: committed}); err != nil {
		return &journalError{err}
	}
	failpoint.Hit(failCommitAfter)
	return nil
}

// takeBack undoes what perform did before its error, and forgets the entry unless a part of it stays: that
// is for the next Recover.
func (t *transaction) takeBack(p *Pending, cause error) error {
	defer p.Release()
	if _, unsettled := errors.AsType[*unsettledError](cause); unsettled && p.state == staged {
		return errors.New("the files are left as they are, and settled by the next command in this folder")
	}
	b := rollback{in: t.in, notes: p.notes, dir: p.dir, entry: p.entry, state: p.state}
	if err := b.run(); err != nil {
		return fmt.Errorf("not everything could be put back; the next command in this folder tries again: %w", err)
	}
	_ = p.forgetForGood() // an entry that stays is recovered, and nothing is left to roll back
	var errs []error
	for _, n := range b.notices {
		errs = append(errs, errors.New(n.Text))
	}
	return errors.Join(errs...)
}

// check finds out what c replaces, and rejects it if it does not fit. It changes nothing.
func (t *transaction) check(c FileWrite) error {
	where := resolve
	if c.Delete {
		where = resolveEntry // the link goes, not what it leads to
	}
	target, err := where(t.in, c.Path)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(t.entry.Files, func(other entryFile) bool { return other.Target == target }) {
		return &patch.PathError{Path: c.Path, Cause: "another path of the same change leads to the same file"}
	}
	f := entryFile{Path: c.Path, Target: target, Base: c.Base}
	old, err := f.matches(t.in)
	if err != nil {
		return err
	}
	if old != nil && old.Mode().IsRegular() && old.Mode().Perm()&0o222 == 0 {
		return &patch.PathError{Path: c.Path, Cause: "it is read-only; make it writable if it is meant to change"}
	}
	if c.Delete && old == nil {
		return nil
	}
	like, err := t.like(c, old)
	if err != nil {
		return err
	}
	t.plan(f, c, old, like)
	return nil
}

// like is the file whose mode and owner a new text gets: the one that it replaces, or the one that it is moved from;
// nil when there is none.
func (t *transaction) like(c FileWrite, old fs.FileInfo) (fs.FileInfo, error) {
	if old != nil || c.Like == "" {
		return old, nil
	}
	from, err := t.in.Stat(c.Like)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return nil, nil //nolint:nilnil // as any new file
	case err != nil:
		return nil, fmt.Errorf("%s: %w", c.Like, err)
	case !from.Mode().IsRegular():
		return nil, nil //nolint:nilnil // as any new file
	}
	return from, nil
}

// plan adds a file under names that nothing else has: the entry's id is in them.
func (t *transaction) plan(f entryFile, c FileWrite, old, like fs.FileInfo) {
	spare := path.Join(path.Dir(f.Target), tempPrefix+t.entry.ID+"-"+strconv.Itoa(len(t.files)))
	if old != nil {
		f.Backup = spare + backupSuffix
	}
	if !c.Delete {
		f.Temp, f.After = spare+tempSuffix, Hash(c.Content)
	}
	t.entry.Files = append(t.entry.Files, f)
	t.files = append(t.files, &staging{content: c.Content, old: old, like: like})
}

// Temporary files are called .forge-<entry>-<number> and one of these.
const (
	tempPrefix   = ".forge-"
	tempSuffix   = ".tmp"
	backupSuffix = ".old"
)

// matches compares the file with what the change was computed on, and returns it; nil if there is none.
func (f entryFile) matches(in folder) (fs.FileInfo, error) {
	info, err := in.Lstat(f.Target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if f.Base != "" {
			return nil, &StaleError{f.Path}
		}
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	text := f.Target
	if info.Mode()&fs.ModeSymlink != 0 { // a link that is deleted: what the change was computed on is what it leads to
		if text, err = resolve(in, f.Target); err != nil {
			return nil, err
		}
	}
	content, err := readRegular(in, text)
	if err != nil {
		return nil, err
	}
	if f.Base == "" || Hash(content) != f.Base {
		return nil, &StaleError{f.Path}
	}
	return info, nil
}

func (t *transaction) renameAll() error {
	for _, f := range t.entry.Files {
		failpoint.Hit(failRenameBefore)
		if err := t.rename(f); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
		failpoint.Hit(failRenameAfter)
	}
	return t.syncFolders()
}

// rename swaps one file, after a last look that it still is the one the change was computed on.
func (t *transaction) rename(f entryFile) error {
	if _, err := f.matches(t.in); err != nil {
		return err
	}
	if f.After == "" {
		return t.in.Rename(f.Target, f.Backup)
	}
	return t.in.Rename(f.Temp, f.Target)
}
