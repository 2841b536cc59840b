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

// fileLock is a file whose lock this process has. The end of the process, however it comes, gives it back.
type fileLock struct{ *os.File }

// Close gives the lock back. Closing alone would not do it at once: a child that was forked and has not
// executed its program yet shares the descriptor.
func (l fileLock) Close() error {
	err := syscall.Flock(int(l.Fd()), syscall.LOCK_UN) //nolint:gosec // a descriptor is small
	return errors.Join(err, l.File.Close())
}

// lockFile waits for the lock on a file, which it makes.
func lockFile(ctx context.Context, name string) (*fileLock, error) {
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
func tryLockFile(name string) (*fileLock, error) {
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
		return &fileLock{f}, nil
	}
	_ = f.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, errLocked
	}
	return nil, err
}
