package mmx

import (
	"os"
	"path/filepath"
	"time"
)

// deskName is what the folders of calls are called.
const deskName = "forge-mmx-"

// stale is after how long the folder of a call is one that nobody came back to.
const stale = time.Hour

// folder makes the folder of a call, for this user only. What processes that were killed left behind is taken away
// first: there may be keys in it.
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
		if dir, err = os.MkdirTemp(parent, deskName); err == nil {
			return dir, nil
		}
	}
	return "", err
}

// sweep removes the folders of calls that must have ended long ago. Those of other users stay: it may not remove them.
func (c *Client) sweep(parent string) {
	left, err := filepath.Glob(filepath.Join(parent, deskName+"*"))
	if err != nil {
		return
	}
	before := c.o.Now().Add(-stale - 2*c.o.Timeout)
	for _, path := range left {
		if info, err := os.Lstat(path); err == nil && info.IsDir() && info.ModTime().Before(before) {
			_ = os.RemoveAll(path) // the next call tries again
		}
	}
}
