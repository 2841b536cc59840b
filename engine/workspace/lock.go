package workspace

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// errLocked says that another process, or another part of this one, has the lock.
var errLocked = errors.New("locked by another process")

// lockPause is how long to wait before a lock that somebody has is tried again.
const lockPause = 5 * time.Millisecond

// lockFolder waits for the lock of a folder itself, so that no lock file has to be there.
func lockFolder(ctx context.Context, in folder) (release func(), err error) {
	f, err := in.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	pause := time.NewTicker(lockPause)
	defer pause.Stop()
	for {
		if err = tryLock(f); err == nil {
			return func() { unlock(f); _ = f.Close() }, nil
		}
		if !errors.Is(err, errLocked) {
			_ = f.Close()
			return nil, fmt.Errorf("lock the journal: %w", err)
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		}
	}
}
