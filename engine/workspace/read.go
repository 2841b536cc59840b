package workspace

import (
	"bytes"
	"fmt"
	"os"

	"forge/patch"
)

// ReadFile gives the text of path as the person sees it: the unsaved buffer, or else the file. The
// error matches fs.ErrNotExist for a path that is not there, and is a *patch.PathError for one that leaves
// the folder, is in a .git or is no regular file.
func (s Snapshot) ReadFile(path string) ([]byte, error) {
	if err := patch.CheckPath(path); err != nil {
		return nil, err
	}
	if document, ok := s.Unsaved[path]; ok {
		return []byte(document.Text), nil
	}
	root, err := openRoot(s.Root)
	if err != nil {
		return nil, err
	}
	defer root.Close() //nolint:errcheck // nothing was written
	return readRegular(osFolder{root}, path)
}

func openRoot(path string) (*os.Root, error) {
	if err := CheckRoot(path); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, fmt.Errorf("the folder %s cannot be opened: check its permissions: %w", path, err)
	}
	return root, nil
}

// maxGuess bounds, in bytes, how much room is made for a file before it is read.
const maxGuess = 64 << 20

// readRegular reads a file, never a device or a pipe, which could block for ever.
func readRegular(in folder, path string) ([]byte, error) {
	info, err := in.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, &patch.PathError{Path: path, Cause: "it is not a regular file"}
	}
	f, err := in.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	defer f.Close() //nolint:errcheck // nothing was written
	var content bytes.Buffer
	content.Grow(int(min(info.Size(), maxGuess)) + bytes.MinRead) // all of it at once; it may have grown meanwhile
	if _, err := content.ReadFrom(f); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return content.Bytes(), nil
}
