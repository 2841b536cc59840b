//go:build !unix

package state

import "io/fs"

// fill has nothing to add where the system names no inode: the resolved path alone identifies a folder.
func (id *identity) fill(fs.FileInfo) {}
