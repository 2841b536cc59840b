package workspace

import (
	"errors"
	"fmt"
	"io/fs"

	"forge/patch"
)

// ModeOf returns the permissions of a file of the folder root; 0 if there is none of the name, or none that an edit may name, or if it is a link.
// The error is the system's, if it does not show them.
func ModeOf(root, name string) (mode fs.FileMode, err error) {
	err = within(root, name, func(in folder, at string) error {
		info, err := in.Lstat(at)
		if err == nil && info.Mode().IsRegular() {
			mode = info.Mode().Perm()
		}
		return err
	})
	if err != nil && !missing(err) {
		return 0, fmt.Errorf("the permissions of %s cannot be read: %w", name, err)
	}
	return mode, nil
}

// SetMode gives a file of the folder root other permissions. It goes through no link out of the folder or into a git directory.
func SetMode(root, name string, mode fs.FileMode) error {
	return within(root, name, func(in folder, at string) error {
		info, err := in.Lstat(at)
		if err == nil {
			err = checkRegular(info, name)
		}
		if err != nil || info.Mode().Perm() == mode.Perm() {
			return err
		}
		f, err := in.OpenFile(at, PlainFlags, 0)
		if err != nil {
			return err
		}
		return errors.Join(f.Chmod(mode.Perm()), f.Close())
	})
}

// within calls do for a path of the folder root, with the place that the links of its folders lead to.
func within(root, name string, do func(in folder, at string) error) error {
	if err := patch.CheckPath(name); err != nil {
		return err
	}
	opened, err := openRoot(root)
	if err != nil {
		return err
	}
	defer opened.Close() //nolint:errcheck // nothing is written through it
	in := newInside(opened)
	defer in.close()
	at, err := resolveEntry(in, name)
	if err != nil {
		return err
	}
	return do(in, at)
}
