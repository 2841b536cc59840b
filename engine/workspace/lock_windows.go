package workspace

import (
	"errors"

	"golang.org/x/sys/windows"
)

// errNoFolderLocks: without a lock that ends with its process, one process would roll back what another is writing.
var errNoFolderLocks = errors.New("Forge needs the locks of folders of a Unix system (Linux, macOS) so far; on Windows run it inside WSL")

// place is the byte whose lock counts for a whole file. It is far beyond every text, because a locked byte cannot be read or written by others.
var place = windows.Overlapped{OffsetHigh: 1 << 30}

// TryLock takes the lock of an open file at once; the error is ErrLocked if another process has it. Folders cannot be locked.
func TryLock(f Lockable) error {
	var about windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(windows.Handle(f.Fd()), &about); err != nil {
		return err
	}
	if about.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0 {
		return errNoFolderLocks
	}
	at := place
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	return err
}

// Unlock returns the lock. The end of the process, however it comes, returns it too.
func Unlock(f Lockable) {
	at := place
	_ = windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &at)
}
