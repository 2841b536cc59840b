package kernel

import (
	"golang.org/x/sys/unix"
)

// Detach returns a mount of a file or folder that is at no place yet, with attributes (MOUNT_ATTR_*). No part of path may be a link: who can write on the
// way to it could make it lead elsewhere. The caller closes the mount.
func Detach(path string, attributes uint64) (mount int, isFolder bool, err error) {
	at, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if err != nil {
		return -1, false, err
	}
	defer func() { _ = unix.Close(at) }()
	var is unix.Stat_t
	if err := unix.Fstat(at, &is); err != nil {
		return -1, false, err
	}
	mount, err = unix.OpenTree(at, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_EMPTY_PATH|unix.AT_RECURSIVE)
	if err != nil {
		return -1, false, err
	}
	err = unix.MountSetattr(mount, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes})
	if err != nil {
		_ = unix.Close(mount)
		return -1, false, err
	}
	return mount, is.Mode&unix.S_IFMT == unix.S_IFDIR, nil
}

// Overlay returns an overlay that is at no place yet. The caller closes the mount.
func Overlay(options [][2]string) (mount int, err error) {
	config, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(config) }()
	if err := unix.FsconfigSetFlag(config, "userxattr"); err != nil {
		return -1, err
	}
	for _, option := range options {
		if err := unix.FsconfigSetString(config, option[0], option[1]); err != nil {
			return -1, err
		}
	}
	if err := unix.FsconfigCreate(config); err != nil {
		return -1, err
	}
	return unix.Fsmount(config, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// Pivot makes a folder the root, and unmounts the old one.
func Pivot(root string) error {
	if err := unix.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil {
		return err
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return err
	}
	return unix.Chdir("/")
}
