//go:build unix

package workspace

import (
	"errors"
	"syscall"
)

// TryLock takes the lock of an open file or folder at once; the error is ErrLocked if another process has it.
func TryLock(f Lockable) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // a descriptor is small
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return ErrLocked
		default:
			return err
		}
	}
}

// Unlock returns the lock back. Closing alone would not do it at once: a child that was forked and has not
// executed its program yet shares the descriptor.
func Unlock(f Lockable) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) //nolint:gosec // a descriptor is small
}
