package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// ErrLocked means that another process, or another part of this one, has the lock.
var ErrLocked = errors.New("locked by another process")

// Lockable is an open file or folder, such as *os.File.
type Lockable interface{ Fd() uintptr }

// lockPause is how long to wait before a lock that another process has is tried again.
const lockPause = 5 * time.Millisecond

// WaitForLock takes the lock of an open file or folder as soon as no other process has it. The end of the process, however it comes,
// gives it back.
func WaitForLock(ctx context.Context, f Lockable) error {
	pause := time.NewTicker(lockPause)
	defer pause.Stop()
	for {
		if err := TryLock(f); !errors.Is(err, ErrLocked) {
			return err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// lockFolder waits for the lock of a folder itself, so that no lock file has to be there.
func lockFolder(ctx context.Context, in folder) (release func(), err error) {
	f, err := in.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	if err := WaitForLock(ctx, f); err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock the journal: %w", err)
	}
	return func() { Unlock(f); _ = f.Close() }, nil
}
