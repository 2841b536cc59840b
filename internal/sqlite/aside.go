package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"forge/internal/failpoint"
)

// Names beside the file.
const (
	suspectSuffix = ".suspect"   // an empty file: a statement has met damage
	asideSuffix   = ".aside"     // holds the name under which the file is being put aside
	markSuffix    = ".aside.tmp" // what is to become that file
)

// replace puts a damaged file aside and makes a new one, or restores the copy of a migration that did not end.
func (o *opener) replace(ctx context.Context) error {
	name, err := o.freeName()
	if err != nil {
		return err
	}
	if err := o.writeMark(filepath.Base(name)); err != nil {
		return errors.Join(fmt.Errorf("put the damaged file aside: %w", err), remove(o.file+markSuffix))
	}
	failpoint.Hit(FailMark)
	unlock := o.exclude(ctx)
	err = o.finishAside()
	unlock()
	if err != nil {
		return err
	}
	return o.create(ctx)
}

// freeName is a name for the damaged file.
func (o *opener) freeName() (string, error) {
	base := o.file + ".damaged-" + o.Now().UTC().Format("20060102T150405Z")
	name := base
	for i := 2; ; i++ {
		_, err := os.Lstat(name)
		_, walErr := os.Lstat(name + "-wal")
		if errors.Is(err, fs.ErrNotExist) && errors.Is(walErr, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		name = fmt.Sprintf("%s-%d", base, i)
	}
}

// finishAside sets aside the files that the mark names, also when another process has begun it and died. The -wal file
// goes first: without it the old file may look whole, with it a new file would not be; the mark distinguishes both.
func (o *opener) finishAside() error {
	mark := o.file + asideSuffix
	text, err := os.ReadFile(mark)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	name := filepath.Join(filepath.Dir(o.file), filepath.Base(string(text)))
	for _, suffix := range []string{"-wal", "-shm", ""} {
		if err := os.Rename(o.file+suffix, name+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("put the damaged file aside: %w", err)
		}
		if suffix == "-wal" {
			failpoint.Hit(FailMoveWAL)
		}
	}
	failpoint.Hit(FailMove)
	o.note(fmt.Sprintf("%s was damaged: it was moved to %s, and a new one is created.", o.file, name))
	return errors.Join(remove(o.file+suspectSuffix), remove(mark), syncFolder(filepath.Dir(o.file)))
}

// exclude keeps processes that have the damaged file open from writing to it while it is moved, as far as the
// damage lets it. Without a -wal file no process has it open.
func (o *opener) exclude(ctx context.Context) (unlock func()) {
	if inUse, err := hasWAL(o.file); err == nil && !inUse {
		return func() {}
	}
	writer, err := pool(o.file, "immediate", "mode=rw", "busy_timeout(1000)")
	if err != nil {
		return func() {}
	}
	tx, err := writer.BeginTx(ctx, nil)
	return func() {
		if err == nil {
			_ = tx.Rollback() // nothing was written
		}
		_ = writer.Close() // of a file that is given up
	}
}

// writeMark writes the mark, which is whole when it has its name.
func (o *opener) writeMark(text string) error {
	temporary := o.file + markSuffix
	if err := os.WriteFile(temporary, []byte(text), 0o600); err != nil {
		return err
	}
	if err := persist(temporary); err != nil {
		return err
	}
	failpoint.Hit(FailMarking)
	return os.Rename(temporary, o.file+asideSuffix)
}

func remove(name string) error {
	if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Names beside the file.
const (
	backupSuffix = ".before-migration"
	copySuffix   = ".before-migration.tmp" // not whole yet
)

// backUp copies the file to its own folder. The copy has its name only when it is whole and on the disk.
func (o *opener) backUp(ctx context.Context, writer *sql.DB) error {
	if err := o.removeBackUps(); err != nil { // the file was found whole: older copies are not needed
		return err
	}
	temporary := o.file + copySuffix
	if _, err := writer.ExecContext(ctx, "VACUUM INTO ?", temporary); err != nil {
		return errors.Join(err, o.removeBackUps())
	}
	if err := persist(temporary); err != nil {
		return errors.Join(err, o.removeBackUps())
	}
	failpoint.Hit(FailBackUp)
	if err := os.Rename(temporary, o.file+backupSuffix); err != nil {
		return err
	}
	failpoint.Hit(FailBackedUp)
	return syncFolder(filepath.Dir(o.file))
}

// removeBackUps removes copies that are needed no more.
func (o *opener) removeBackUps() error {
	var all []error
	for _, suffix := range []string{backupSuffix, copySuffix, copySuffix + "-journal"} {
		if err := os.Remove(o.file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			all = append(all, err)
		}
	}
	return errors.Join(all...)
}

// restore puts the copy of a migration that did not end in the file's place, which is empty. It reports whether there
// was one that is whole.
func (o *opener) restore(ctx context.Context) (bool, error) {
	backup := o.file + backupSuffix
	if _, err := os.Stat(backup); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err := o.examineFile(ctx, backup, true); err != nil {
		if isDamage(err) {
			return false, o.removeBackUps()
		}
		return false, err
	}
	failpoint.Hit(FailRestoring)
	if err := os.Rename(backup, o.file); err != nil {
		return false, err
	}
	o.note(fmt.Sprintf("%s was restored from the copy made before its tables were migrated.", o.file))
	return true, nil
}

// persist makes a new file last, and its owner's alone.
func persist(name string) (err error) {
	if err := os.Chmod(name, 0o600); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.Sync()
}
