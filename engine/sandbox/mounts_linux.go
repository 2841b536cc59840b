package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// make makes this process see only the view. It has mount, PID, network and IPC namespaces of its own, and all capabilities in them. The
// ruleset, if any, is extended by what can be written.
func (v view) make(rules *ruleset) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return mountError("make mounts private", err)
	}
	trees, err := v.detach()
	if err != nil {
		return err
	}
	readOnly := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NOSUID}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &readOnly); err != nil {
		return mountError("make files read-only", err)
	}
	for _, hidden := range v.Hidden {
		if err := cover(hidden); err != nil {
			return err
		}
	}
	for i, s := range v.Shown {
		if trees[i] < 0 {
			continue
		}
		if err := s.place(trees[i]); err != nil {
			return err
		}
	}
	for _, hidden := range v.Hidden {
		if slices.ContainsFunc(v.Shown, func(s shown) bool { return s.At == hidden }) {
			continue // it has been replaced as a whole
		}
		if err := unix.MountSetattr(unix.AT_FDCWD, hidden, 0, &readOnly); err != nil {
			return mountError("close "+hidden, err)
		}
	}
	if err := v.mask(); err != nil {
		return err
	}
	if err := devices(); err != nil {
		return err
	}
	_ = unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "") // a container may refuse; then it shows outside numbers
	if err := os.Chdir(v.Dir); err != nil {
		return fmt.Errorf("enter %s: %w", v.Dir, err)
	}
	return v.allow(rules)
}

// detach clones what will be shown, before it is hidden; -1 is for what is gone.
func (v view) detach() (trees []int, err error) {
	for _, s := range v.Shown {
		tree, err := s.detach()
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) && !s.Write {
			tree, err = -1, nil
		}
		if err != nil && s.Upper != "" {
			return nil, mountError(overlaying+s.At, err)
		}
		if err != nil {
			return nil, mountError("show "+s.At, err)
		}
		trees = append(trees, tree)
	}
	return trees, nil
}

// overlaying begins the step of an overlay.
const overlaying = "overlay "

// detach returns a mount of the source that is not at any place yet.
func (s shown) detach() (int, error) {
	if s.Upper != "" {
		return s.overlay()
	}
	tree, err := unix.OpenTree(unix.AT_FDCWD, s.From, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE)
	if err != nil {
		return -1, err
	}
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV}
	if !s.Write {
		attr.Attr_set |= unix.MOUNT_ATTR_RDONLY
	}
	return tree, unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &attr)
}

// overlay returns a mount of a cache whose changes are kept in Upper.
func (s shown) overlay() (int, error) {
	config, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, err
	}
	defer func() { _ = unix.Close(config) }()
	for _, option := range [][2]string{{"lowerdir", escapeColons(s.From)}, {"upperdir", s.Upper}, {"workdir", s.Work}, {"userxattr", ""}} {
		if option[1] == "" {
			err = unix.FsconfigSetFlag(config, option[0])
		} else {
			err = unix.FsconfigSetString(config, option[0], option[1])
		}
		if err != nil {
			return -1, err
		}
	}
	if err := unix.FsconfigCreate(config); err != nil {
		return -1, err
	}
	return unix.Fsmount(config, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// escapeColons escapes what separates lower folders of an overlay.
func escapeColons(path string) string {
	return strings.NewReplacer(`\`, `\\`, ":", `\:`).Replace(path)
}

// cover makes a folder appear empty. Places in it can be created until it is closed.
func cover(folder string) error {
	err := unix.Mount("tmpfs", folder, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=0755,size=1m")
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	return mountError("hide "+folder, err)
}

// place attaches a mount at its place, which is created if it is hidden.
func (s shown) place(tree int) error {
	defer func() { _ = unix.Close(tree) }()
	if !exists(s.At) {
		if err := makePlace(s.At, tree); err != nil {
			return fmt.Errorf("make a place for %s: %w", s.At, err)
		}
	}
	return mountError("show "+s.At, unix.MoveMount(tree, "", unix.AT_FDCWD, s.At, unix.MOVE_MOUNT_F_EMPTY_PATH))
}

// makePlace creates a folder or an empty file where something is shown.
func makePlace(path string, tree int) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // in an empty file system of this process
		return err
	}
	var stat unix.Stat_t
	if err := unix.Fstat(tree, &stat); err != nil {
		return err
	}
	if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
		return os.Mkdir(path, 0o755) //nolint:gosec // as above
	}
	return os.WriteFile(path, nil, 0o600)
}

// mask makes files and folders appear empty.
func (v view) mask() error {
	for _, path := range v.Masked {
		var stat unix.Stat_t
		if slices.ContainsFunc(v.Shown, func(s shown) bool { return s.At == path && s.From != path }) || unix.Stat(path, &stat) != nil {
			continue
		}
		var err error
		if stat.Mode&unix.S_IFMT == unix.S_IFDIR {
			err = unix.Mount("tmpfs", path, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "mode=0555,size=4k")
		} else {
			err = unix.Mount("/dev/null", path, "", unix.MS_BIND, "")
		}
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return mountError("hide "+path, err)
		}
	}
	return nil
}

// harmless are the devices that a command has.
var harmless = []string{"null", "zero", "full", "random", "urandom"}

// devices replaces /dev by a few devices, private terminals and private shared memory.
func devices() error {
	var kept []int
	for _, name := range harmless {
		tree, err := unix.OpenTree(unix.AT_FDCWD, "/dev/"+name, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC)
		if err != nil {
			return mountError("keep /dev/"+name, err)
		}
		write := unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
		_ = unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH, &write) // a device is written on a read-only file system as well
		kept = append(kept, tree)
	}
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=0755,size=1m"); err != nil {
		return mountError("hide /dev", err)
	}
	for i, name := range harmless {
		if err := (shown{At: "/dev/" + name}).place(kept[i]); err != nil {
			return err
		}
	}
	for link, to := range map[string]string{"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx"} {
		if err := os.Symlink(to, "/dev/"+link); err != nil {
			return err
		}
	}
	for name, mount := range map[string][2]string{"pts": {"devpts", "newinstance,ptmxmode=0666,mode=0620"}, "shm": {"tmpfs", "mode=1777"}} {
		path := "/dev/" + name
		if err := os.Mkdir(path, 0o755); err != nil { //nolint:gosec // in an empty file system of this process
			return err
		}
		if err := unix.Mount(mount[0], path, mount[0], unix.MS_NOSUID|unix.MS_NOEXEC, mount[1]); err != nil {
			return mountError("make "+path, err)
		}
	}
	return nil
}

// allow adds what can be written to the ruleset.
func (v view) allow(rules *ruleset) error {
	if rules == nil {
		return nil
	}
	paths := append(slices.Clone(v.Write), "/dev/pts", "/dev/shm", "/proc/self")
	for _, s := range v.Shown {
		if s.Write {
			paths = append(paths, s.At)
		}
	}
	for _, path := range paths {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue // it is not there
		}
		var stat unix.Stat_t
		err = unix.Fstat(fd, &stat)
		if err == nil {
			err = rules.allow(fd, stat.Mode&unix.S_IFMT == unix.S_IFDIR)
		}
		_ = unix.Close(fd)
		if err != nil {
			return fmt.Errorf("let %s be written: %w", path, err)
		}
	}
	return nil
}

// raiseLoopback switches the loopback interface of this network namespace on.
func raiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return mountError("open a socket", err)
	}
	defer func() { _ = unix.Close(socket) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return mountError("switch loopback on", unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request))
}

// boxError is a step of making a view that the system refused.
type boxError struct {
	step  string
	cause error
}

func (e *boxError) Error() string { return boxed + e.step + ": " + e.cause.Error() }
func (e *boxError) Unwrap() error { return e.cause }

// boxed begins the texts of these errors, by which Forge recognises them from a launcher.
const boxed = "sandbox: "

func mountError(step string, err error) error {
	if err == nil {
		return nil
	}
	return &boxError{step, err}
}
