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
	backupSuffix = ".before-migration"
	copySuffix   = ".before-migration.tmp" // not whole yet
)

// backUp copies the file beside itself. The copy has its name only when it is whole and on the disk.
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
