//go:build !unix

package workspace

import "errors"

// errNoLocks: without a lock that ends with its process, one process would take back what another is writing.
var errNoLocks = errors.New("Forge needs the locks of a Unix system (Linux, macOS) so far; on Windows run it inside WSL")

// TryLock fails: there are no such locks here.
func TryLock(Lockable) error { return errNoLocks }

// Unlock does nothing here.
func Unlock(Lockable) {}
