//go:build unix

package workspace

import (
	"errors"
	"syscall"
)

// tryLock takes the lock of an open file or folder; errLocked says that somebody else has it. The end of
// the process, however it comes, gives it back.
func tryLock(f file) error {
	for {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // a descriptor is small
		switch {
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return errLocked
		default:
			return err
		}
	}
}

// unlock gives the lock back. Closing alone would not do it at once: a child that was forked and has not
// executed its program yet shares the descriptor.
func unlock(f file) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) //nolint:gosec // a descriptor is small
}
