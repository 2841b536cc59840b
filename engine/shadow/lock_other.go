//go:build !unix

package shadow

import (
	"context"
	"errors"
	"os"
)

type fileLock struct{ *os.File }

var errLocked = errors.New("locked by another process")

// errNoLocks: without a lock that ends with its process, two servers would damage each other's state.
var errNoLocks = errors.New("shadow repositories need a Unix system (Linux, macOS) so far; on Windows run Forge inside WSL")

func lockFile(context.Context, string) (*fileLock, error) { return nil, errNoLocks }

func tryLockFile(string) (*fileLock, error) { return nil, errNoLocks }
