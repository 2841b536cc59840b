//go:build unix

package sqlite

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// lockFolder waits until no other process opens a file in a folder. The lock ends with the process, and leaves no file.
func lockFolder(ctx context.Context, folder string) (unlock func() error, err error) {
	f, err := os.Open(folder)
	if err != nil {
		return nil, err
	}
	retry := time.NewTicker(lockRetry)
	defer retry.Stop()
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if err == nil {
			return f.Close, nil
		}
		if !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR) {
			return nil, errors.Join(&os.PathError{Op: "lock", Path: folder, Err: err}, f.Close())
		}
		select {
		case <-retry.C:
		case <-ctx.Done():
			return nil, errors.Join(ctx.Err(), f.Close())
		}
	}
}

// lockRetry is how often it is looked whether a lock is free.
const lockRetry = 5 * time.Millisecond

// syncFolder makes new names in a folder last.
func syncFolder(folder string) (err error) {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return f.Sync()
}
