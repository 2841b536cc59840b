package workspace

import (
	"errors"
	"os"
	"runtime"
)

// syncFolder makes the names in a folder last.
func syncFolder(in folder, name string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := in.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
