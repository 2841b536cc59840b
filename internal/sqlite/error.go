package sqlite

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"modernc.org/sqlite"
)

// Faults of a file. They are wrapped: errors.Is finds them.
var (
	// ErrNewer is the error of a file that is not for this program to write: a newer Forge made it, or it is not
	// Forge's. Nothing was written.
	ErrNewer = errors.New("it was made by a newer Forge, or by another program: update Forge, or move the file away")
	// ErrDamaged is the error of a statement that met damage. The file is set aside, and rebuilt, when it is opened
	// next.
	ErrDamaged = errors.New("the database is damaged: Forge sets it aside and creates a new one at its next start")
	// ErrReplaced is the error of a Write to a file that another process has put aside.
	ErrReplaced = errors.New("the database was moved away or deleted meanwhile: start Forge again")
	// ErrFull is the error of a disk or quota that is full. Nothing was written.
	ErrFull = errors.New("the disk is full: make room and try again")
	// ErrDisk is the error of a disk that could not be read or written. A file that may not grow is one, too.
	ErrDisk = errors.New("the disk could not be read or written: see whether it is full or failing")
	// ErrReadOnly is the error of a file or folder that may not be written.
	ErrReadOnly = errors.New("it cannot be written: check the permissions of the file and its folder")
)

// The codes of SQLite's errors, https://sqlite.org/rescode.html. Extended codes have them in their low byte.
const (
	codePerm     = 3
	codeBusy     = 5
	codeReadOnly = 8
	codeIO       = 10
	codeCorrupt  = 11
	codeFull     = 13
	codeCantOpen = 14
	codeNotADB   = 26
)

// errDamage is what Open finds itself.
var errDamage = errors.New("it is damaged")

// code is the primary code of SQLite's error, or 0.
func code(err error) int {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return 0
	}
	return e.Code() & 0xff
}

func isDamage(err error) bool {
	c := code(err)
	return c == codeCorrupt || c == codeNotADB || errors.Is(err, errDamage)
}

// Explain returns what an error of a statement means for the file, and remembers damage, so that the next Open checks
// the file. Other errors stay as they are; nil stays nil.
func (db *DB) Explain(err error) error {
	if isDamage(err) && !errors.Is(err, ErrDamaged) {
		if db.isStillThere() == nil {
			_ = os.WriteFile(db.file+suspectSuffix, nil, 0o600) // if it cannot be written, the next statement tries again
		}
		return fmt.Errorf("%w (%w)", ErrDamaged, err)
	}
	return explained(err)
}

// explained adds what the user can do about an error.
func explained(err error) error {
	if err == nil || errors.Is(err, ErrFull) || errors.Is(err, ErrReadOnly) || errors.Is(err, ErrDisk) {
		return err
	}
	switch code(err) {
	case codeFull:
		return fmt.Errorf("%w (%w)", ErrFull, err)
	case codeIO:
		return fmt.Errorf("%w (%w)", ErrDisk, err)
	case codeReadOnly, codePerm, codeCantOpen:
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	}
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%w (%w)", ErrFull, err)
	case errors.Is(err, os.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%w (%w)", ErrReadOnly, err)
	}
	return err
}
