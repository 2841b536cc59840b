package gitdir

import (
	"context"
	"errors"
	"os"

	"forge/engine/workspace"
)

// FileLock is a file that this process has locked. The end of the process releases it.
type FileLock struct{ *os.File }

// Close releases the lock.
func (l FileLock) Close() error {
	workspace.Unlock(l.File)
	return l.File.Close()
}

// TryLock locks a file, which it creates if needed, or fails at once with workspace.ErrLocked.
func TryLock(name string) (*FileLock, error) {
	return lockFile(name, func(f *os.File) error { return workspace.TryLock(f) })
}

// waitForLock waits for the lock of a file, which it creates if needed.
func waitForLock(ctx context.Context, name string) (*FileLock, error) {
	return lockFile(name, func(f *os.File) error { return workspace.WaitForLock(ctx, f) })
}

func lockFile(name string, take func(*os.File) error) (*FileLock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // our own name
	if err != nil {
		return nil, err
	}
	if err := take(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &FileLock{f}, nil
}
