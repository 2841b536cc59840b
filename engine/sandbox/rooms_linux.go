package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// The attributes of mounts: what is shown of the system can be executed and read.
const (
	shown    = unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
	changing = unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV
)

// enterRoot gives this process, in its own mount namespace, a root that contains the entries of an order and nothing else.
func enterRoot(o order) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	root := filepath.Join(o.setup.own, "root")
	if err := unix.Mount("tmpfs", root, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=16m"); err != nil {
		return fmt.Errorf("mount a root: %w", err)
	}
	for _, e := range o.entries {
		if err := e.mount(root); err != nil {
			return fmt.Errorf("show %s: %w", e.path, err)
		}
	}
	if err := mountDevices(root); err != nil {
		return err
	}
	if err := mountProcesses(root); err != nil {
		return err
	}
	if err := pivot(root); err != nil {
		return fmt.Errorf("enter the root: %w", err)
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("protect the root: %w", err)
	}
	return nil
}

// mount shows an entry in a root.
func (e entry) mount(root string) error {
	at := root + e.path
	switch e.kind {
	case linked:
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { //nolint:gosec // as in every system
			return err
		}
		if err := os.Symlink(e.target, at); !errors.Is(err, os.ErrExist) {
			return err
		}
		return nil
	case masked:
		return e.mask(root)
	case private:
		return bind(e.target, at, changing)
	case rewritten:
		if _, err := os.Lstat(at); err != nil {
			return nil //nolint:nilerr // deleted meanwhile, or not shown at all
		}
		return bind(e.target, at, shown)
	case writable:
		return bind(e.path, at, changing)
	case overlaid: // without overlays, the folder only has what has been added, and is changed itself
		if err := e.overlay(at); !errors.Is(err, errNoOverlay) {
			return err
		}
		added, err := os.Readlink(filepath.Join(e.target, buildsLink))
		if err != nil {
			return err
		}
		return bind(added, at, changing)
	case installed:
		if err := e.overlay(at); !errors.Is(err, errNoOverlay) {
			return err
		}
	}
	return bind(e.path, at, shown)
}

// errNoOverlay means that the system has no overlays for this user, or on that file system.
var errNoOverlay = errors.New("the system makes no overlay")

// overlay shows a folder whose changes are kept in target.
func (e entry) overlay(at string) error {
	if err := makePoint(at, true); err != nil {
		return err
	}
	lower, err := os.Readlink(filepath.Join(e.target, lowerLink))
	if err != nil {
		return err
	}
	inert := strings.NewReplacer(`\`, `\\`, ":", `\:`)
	read := inert.Replace(lower)
	if added, err := os.Readlink(filepath.Join(e.target, buildsLink)); err == nil {
		read = inert.Replace(added) + ":" + read
	}
	mount, err := newOverlay([][2]string{
		{"lowerdir", read},
		{"upperdir", filepath.Join(e.target, upperFolder)}, {"workdir", filepath.Join(e.target, workFolder)},
	})
	if err != nil {
		return errNoOverlay
	}
	defer func() { _ = unix.Close(mount) }()
	return unix.MoveMount(mount, "", unix.AT_FDCWD, at, unix.MOVE_MOUNT_F_EMPTY_PATH)
}

// newOverlay returns an overlay that is not at any place yet.
func newOverlay(options [][2]string) (mount int, err error) {
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

// mask covers a file or a folder of the root.
func (e entry) mask(root string) error {
	at := root + e.path
	info, err := os.Stat(at)
	if err != nil {
		return nil //nolint:nilerr // nothing to hide
	}
	if info.IsDir() {
		return unix.Mount("tmpfs", at, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=4k")
	}
	return unix.Mount("/dev/null", at, "", unix.MS_BIND, "")
}

// bind shows a file or a folder, with what is mounted in it, at a path that is created if it is missing. A source that was deleted
// meanwhile is omitted.
func bind(from, at string, attributes uint64) error {
	info, err := os.Stat(from)
	if err != nil {
		return nil //nolint:nilerr // deleted
	}
	if err := makePoint(at, info.IsDir()); err != nil {
		return err
	}
	if err := unix.Mount(from, at, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return err
	}
	return unix.MountSetattr(unix.AT_FDCWD, at, unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes})
}

// makePoint creates a place to mount at.
func makePoint(at string, isFolder bool) error {
	if _, err := os.Lstat(at); err == nil {
		return nil
	}
	if isFolder {
		return os.MkdirAll(at, 0o755) //nolint:gosec // as in every system
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil { //nolint:gosec // the same
		return err
	}
	return os.WriteFile(at, nil, 0o644) //nolint:gosec // the same
}

// devices are the devices that every command has.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"}

// mountDevices makes a /dev with the devices that do no harm, and terminals and shared memory of its own.
func mountDevices(root string) error {
	dev := root + "/dev"
	if err := os.MkdirAll(dev, 0o755); err != nil { //nolint:gosec // as in every system
		return err
	}
	if err := unix.Mount("tmpfs", dev, "tmpfs", unix.MS_NOSUID, "mode=755,size=64k"); err != nil {
		return fmt.Errorf("mount /dev: %w", err)
	}
	for _, device := range devices {
		if err := bind(device, root+device, unix.MOUNT_ATTR_NOSUID); err != nil {
			return fmt.Errorf("show %s: %w", device, err)
		}
	}
	for name, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "fd/0", "stdout": "fd/1", "stderr": "fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(to, dev+"/"+name); err != nil {
			return err
		}
	}
	for name, options := range map[string]string{"pts": "newinstance,ptmxmode=0666,mode=620", "shm": "mode=1777,size=50%"} {
		kind := map[string]string{"pts": "devpts", "shm": "tmpfs"}[name]
		if err := os.Mkdir(dev+"/"+name, 0o755); err != nil { //nolint:gosec // as in every system
			return err
		}
		if err := unix.Mount(kind, dev+"/"+name, kind, unix.MS_NOSUID|unix.MS_NOEXEC, options); err != nil {
			return fmt.Errorf("mount /dev/%s: %w", name, err)
		}
	}
	return nil
}

// mountProcesses shows only the processes of this PID namespace. A container may forbid that: then /proc is that of the system, and
// Landlock keeps the command from the memory of others. Nothing in it can be written: root could change the kernel's settings.
func mountProcesses(root string) error {
	proc := root + "/proc"
	if err := os.MkdirAll(proc, 0o755); err != nil { //nolint:gosec // as in every system
		return err
	}
	if unix.Mount("proc", proc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC|unix.MS_RDONLY, "") == nil {
		return nil
	}
	if err := bind("/proc", proc, shown); err != nil {
		return fmt.Errorf("show /proc: %w", err)
	}
	return nil
}

// pivot makes a folder the root, and unmounts the old one.
func pivot(root string) error {
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
