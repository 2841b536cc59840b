//go:build unix

package shadow

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// errLocked says that another process, or another part of this one, has the lock.
var errLocked = errors.New("locked by another process")

// lockFile waits for the lock on a file, which it makes. Closing the file gives the lock back, and so
// does the end of the process, however it comes.
func lockFile(ctx context.Context, name string) (*os.File, error) {
	for pause := time.NewTicker(5 * time.Millisecond); ; {
		held, err := tryLockFile(name)
		if !errors.Is(err, errLocked) {
			pause.Stop()
			return held, err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			pause.Stop()
			return nil, ctx.Err()
		}
	}
}

// tryLockFile takes the lock at once, or fails with errLocked.
func tryLockFile(name string) (*os.File, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // a name of ours
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // a descriptor is small
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errLocked
	}
	return nil, err
}
