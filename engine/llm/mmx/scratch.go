package mmx

import (
	"os"
	"path/filepath"
	"time"
)

// folderName is the prefix of the folders of calls.
const folderName = "forge-mmx-"

// stale is the age of an abandoned folder of a call.
const stale = time.Hour

// folder creates the folder of a call, for this user only. It first removes those of killed processes, which may contain keys.
func (c *Client) folder() (string, error) {
	parents := []string{c.o.Scratch}
	if c.o.Scratch == "" {
		parents = []string{os.TempDir()}
		if memory := value(c.o.Environ, "XDG_RUNTIME_DIR"); filepath.IsAbs(memory) {
			parents = []string{memory, os.TempDir()}
		}
	}
	var dir string
	var err error
	for _, parent := range parents {
		c.sweep(parent)
		if dir, err = os.MkdirTemp(parent, folderName); err == nil {
			return dir, nil
		}
	}
	return "", err
}

// sweep removes abandoned folders of calls. It cannot remove those of other users.
func (c *Client) sweep(parent string) {
	left, err := filepath.Glob(filepath.Join(parent, folderName+"*"))
	if err != nil {
		return
	}
	before := c.o.Now().Add(-stale - 2*c.o.Timeout)
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && info.IsDir() && info.ModTime().Before(before) {
			_ = os.RemoveAll(path) // the next call retries
		}
	}
}
