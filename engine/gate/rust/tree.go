package rust

import (
	"errors"
	"io"
	"os"

	"forge/engine/gate"
)

// maxSource is how much of a file is read, in bytes.
const maxSource = 1 << 20

// readIn gives the beginning of a file of the tree; nothing where it is missing, or a link leads out of the tree.
func readIn(tree gate.Tree, path string) []byte {
	root, err := os.OpenRoot(tree.Dir())
	if err != nil {
		return nil
	}
	defer root.Close() //nolint:errcheck // nothing was written
	file, err := root.Open(path)
	if err != nil {
		return nil
	}
	defer file.Close() //nolint:errcheck // nothing was written
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(file, maxSource))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil
	}
	return text
}

// inTree reports whether the tree has a file.
func inTree(tree gate.Tree, path string) bool { return readIn(tree, path) != nil }
