package shadow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"forge/engine/gitdir"
	"forge/engine/workspace"
)

// Sweep removes the scratch trees of dead owners, and returns their number. It never touches a tree in use,
// here or in another process, and one in the pool only if the pool is over its limits. Call it at start-up.
func (ts *Trees) Sweep(ctx context.Context) (removed int, err error) {
	unlock, err := ts.dir.Lock(ctx)
	if err != nil {
		return 0, fmt.Errorf("sweep scratch trees: %w", err)
	}
	defer unlock()
	trees, err := os.ReadDir(ts.inUse())
	if err != nil {
		return 0, fmt.Errorf("sweep scratch trees: %w", err)
	}
	var errs []error
	for _, entry := range trees {
		gone, err := sweepTree(filepath.Join(ts.inUse(), entry.Name()))
		if err != nil {
			errs = append(errs, fmt.Errorf("sweep scratch trees: %w", err))
		}
		if gone {
			removed++
		}
	}
	if err := ts.shrink(maxIdle, maxIdleBytes); err != nil {
		errs = append(errs, fmt.Errorf("sweep scratch trees: %w", err))
	}
	return removed, errors.Join(errs...)
}

// sweepTree removes one tree if its lock is free. One without a lock file is incomplete: a tree gets
// its owner under the repository's lock, which the caller has.
func sweepTree(home string) (bool, error) {
	owner, err := gitdir.TryLock(filepath.Join(home, ownerFile))
	switch {
	case errors.Is(err, workspace.ErrLocked):
		return false, nil
	case errors.Is(err, os.ErrNotExist):
		return false, nil // closed by its owner since
	case err != nil:
		return false, err
	}
	err = (&lease{home, owner}).remove()
	return err == nil, err
}

// needed returns the commits of trees with an owner.
func (ts *Trees) needed() (map[string]bool, error) {
	lists, err := filepath.Glob(filepath.Join(ts.inUse(), "*", "needs"))
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, list := range lists {
		text, err := os.ReadFile(list) //nolint:gosec // our own file
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
		for id := range strings.FieldsSeq(string(text)) {
			ids[id] = true
		}
	}
	return ids, nil
}

// TreeAt returns the root of the scratch tree, of any workspace with its shadow below stateDir, that contains a folder; empty if
// none does.
func TreeAt(stateDir, folder string) string {
	state, err := workspace.RealRoot(stateDir)
	if err != nil {
		return ""
	}
	shadows := filepath.Join(state, "shadow")
	inside, err := filepath.Rel(shadows, folder)
	if err != nil {
		return ""
	}
	parts := strings.Split(filepath.ToSlash(inside), "/") // <hash>/trees/<id>/work
	if len(parts) < 4 || parts[0] == ".." || parts[1] != "trees" || parts[3] != workFolder {
		return ""
	}
	return filepath.Join(append([]string{shadows}, parts[:4]...)...)
}
