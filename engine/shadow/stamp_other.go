//go:build !linux && !darwin

package shadow

import "io/fs"

// stampOf proves nothing here, so that every file is compared and no tree is kept for later.
func stampOf(fs.FileInfo) stamp { return stamp{} }

func bootID() string { return "" }
