package workspace

import (
	"io/fs"
	"os"
	"path"
	"slices"
)

// gits are the folders and files that the folder's own git takes for its directory, by identity and not by name: .git
// itself, and what it leads to where it is a symbolic link.
type gits []fs.FileInfo

func gitsOf(in looker) gits {
	var found gits
	own, err := in.Lstat(".git")
	if err != nil {
		return nil
	}
	found = append(found, own)
	if own.Mode()&fs.ModeSymlink != 0 {
		if led, err := in.Stat(".git"); err == nil {
			found = append(found, led)
		}
	}
	return found
}

func (g gits) has(info fs.FileInfo) bool {
	return slices.ContainsFunc(g, func(git fs.FileInfo) bool { return os.SameFile(git, info) })
}

// isGit reports whether something in the folder dir is its .git by another name: on file systems that fold case or have
// short names, several names are one file.
func isGit(in looker, dir string, info fs.FileInfo) bool {
	git, err := in.Lstat(path.Join(dir, ".git"))
	return err == nil && os.SameFile(git, info)
}
