package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// CheckRoot says in the user's words why root cannot be worked in: it is gone, or it is no folder.
func CheckRoot(root string) error {
	info, err := os.Stat(root)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %s does not exist (any more): open it again: %w", root, err)
	case err != nil:
		return fmt.Errorf("the folder %s cannot be read: check its permissions: %w", root, err)
	case !info.IsDir():
		return fmt.Errorf("%s is a file, not a folder: open the folder it is in", root)
	}
	return nil
}
