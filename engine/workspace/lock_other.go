//go:build !unix

package workspace

import "errors"

// errNoLocks: without a lock that ends with its process, one process would take back what another is writing.
var errNoLocks = errors.New("writing files needs a Unix system (Linux, macOS) so far; on Windows run Forge inside WSL")

func tryLock(file) error { return errNoLocks }

func unlock(file) {}
