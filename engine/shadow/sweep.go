package shadow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"forge/internal/failpoint"
)

// Sweep removes the scratch trees whose owners are dead, and gives their number. A tree in use, here or
// in another process, is never touched, and one in the pool only if the pool is over its bounds. Call it at
// start-up.
func (r *Repo) Sweep(ctx context.Context) (removed int, err error) {
	unlock, err := r.lock(ctx)
	if err != nil {
		return 0, fmt.Errorf("sweep scratch trees: %w", err)
	}
	defer unlock()
	trees, err := os.ReadDir(filepath.Join(r.home, "trees"))
	if err != nil {
		return 0, fmt.Errorf("sweep scratch trees: %w", err)
	}
	var errs []error
	for _, entry := range trees {
		gone, err := sweepTree(filepath.Join(r.home, "trees", entry.Name()))
		if err != nil {
			errs = append(errs, fmt.Errorf("sweep scratch trees: %w", err))
		}
		if gone {
			removed++
		}
	}
	if err := r.shrink(maxIdle, maxIdleBytes); err != nil {
		errs = append(errs, fmt.Errorf("sweep scratch trees: %w", err))
	}
	return removed, errors.Join(errs...)
}

// sweepTree removes one tree if nobody holds its lock. One without a lock file was half made: the
// repository's lock, which we have, is held while a tree gets its owner.
func sweepTree(home string) (bool, error) {
	owner, err := tryLockFile(filepath.Join(home, "owner"))
	switch {
	case errors.Is(err, errLocked):
		return false, nil
	case errors.Is(err, os.ErrNotExist):
		return false, nil // closed by its owner meanwhile
	case err != nil:
		return false, err
	}
	failpoint.Hit(failTreeRemove)
	err = removeTree(home)
	failpoint.Hit(failTreeRemoved)
	return err == nil, errors.Join(err, owner.Close())
}
