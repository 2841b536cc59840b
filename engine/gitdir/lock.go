package gitdir

import (
	"context"
	"errors"
	"os"

	"forge/engine/workspace"
)

// FileLock is a file whose lock this process has. The end of the process, however it comes, gives it back.
type FileLock struct{ *os.File }

// Close returns the lock back.
func (l FileLock) Close() error {
	workspace.Unlock(l.File)
	return l.File.Close()
}

// TryLock takes the lock of a file, which it makes, at once, or fails with workspace.ErrLocked.
func TryLock(name string) (*FileLock, error) {
	return lockFile(name, func(f *os.File) error { return workspace.TryLock(f) })
}

// waitForLock waits for the lock of a file, which it makes.
func waitForLock(ctx context.Context, name string) (*FileLock, error) {
	return lockFile(name, func(f *os.File) error { return workspace.WaitForLock(ctx, f) })
}

func lockFile(name string, take func(*os.File) error) (*FileLock, error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600) //nolint:gosec // a name of ours
	if err != nil {
		return nil, err
	}
	if err := take(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return &FileLock{f}, nil
}
