//go:build !unix

package workspace

import "io/fs"

// keepOwner does nothing: a new file inherits its owner and rights from the folder on this system.
func keepOwner(folder, string, fs.FileInfo) {}
