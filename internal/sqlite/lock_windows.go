package sqlite

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// Of CreateFile; package syscall does not name them.
const (
	deleteOnClose    = 0x04000000
	sharingViolation = syscall.Errno(32)
)

// lockFolder waits until no other process opens a file in a folder: the lock is a file that one process can have, and
// that the system deletes with the process.
func lockFolder(ctx context.Context, folder string) (unlock func() error, err error) {
	path := filepath.Join(folder, ".opening")
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	retry, patient := time.NewTicker(lockRetry), time.NewTimer(patience)
	defer retry.Stop()
	defer patient.Stop()
	for {
		h, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, 0, nil, syscall.OPEN_ALWAYS, deleteOnClose, 0)
		if err == nil {
			return func() error { return syscall.CloseHandle(h) }, nil
		}
		// While the last one's file is being deleted, access to it is denied.
		if !errors.Is(err, sharingViolation) && !errors.Is(err, syscall.ERROR_ACCESS_DENIED) {
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-patient.C: // it is not for the last one's file that access is denied
			return nil, &os.PathError{Op: "lock", Path: path, Err: err}
		}
	}
}

// lockRetry is how often it is looked whether a lock is free.
const lockRetry = 5 * time.Millisecond

// syncFolder does nothing: folders cannot be synced here, and need not be.
func syncFolder(string) error { return nil }
