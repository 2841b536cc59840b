//go:build amd64 || arm64

package kernel

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supervisor carries out the changes of files' attributes that filtered processes ask for, on files within some folders. Other changes
// fail with EPERM.
//
// A process could exchange a path while it is looked at, and links on the way. The supervisor therefore reads each argument once, opens
// the file, asks the kernel where the opened file is, and changes that file. Invariant: it has no privileges, so that it changes nothing
// that the process could not have changed without a filter.
type Supervisor struct {
	listener *os.File
	roots    []string
	stop     *os.File // closed by Close
	done     chan struct{}
}

// Supervise starts a supervisor for a listener that Apply has returned, until Close is called or no filtered process is left. Roots are
// files and folders by their real paths.
func Supervise(listener *os.File, roots []string) (*Supervisor, error) {
	stopped, stop, err := os.Pipe()
	if err != nil {
		_ = listener.Close()
		return nil, err
	}
	s := &Supervisor{listener: listener, roots: roots, stop: stop, done: make(chan struct{})}
	go s.serve(stopped)
	return s, nil
}

// Close ends the supervisor. Calls that wait for it, and later ones, fail with ENOSYS.
func (s *Supervisor) Close() {
	_ = s.stop.Close()
	<-s.done
}

// serve answers calls in a thread of its own, which ends with it, because it gives up its privileges.
func (s *Supervisor) serve(stopped *os.File) {
	runtime.LockOSThread()
	defer close(s.done)
	defer func() { _, _ = s.listener.Close(), stopped.Close() }()
	if DropPrivileges() != nil {
		return
	}
	waits := []unix.PollFd{{Fd: int32(s.listener.Fd()), Events: unix.POLLIN}, {Fd: int32(stopped.Fd())}} //nolint:gosec // descriptors are small
	for {
		if _, err := unix.Poll(waits, -1); errors.Is(err, unix.EINTR) {
			continue
		}
		if waits[1].Revents != 0 || waits[0].Revents&unix.POLLIN == 0 {
			return
		}
		s.answer()
	}
}

// notification is struct seccomp_notif of <linux/seccomp.h>, and reply its response.
type (
	notification struct {
		id          uint64
		pid, _      uint32
		call        int32
		arch        uint32
		instruction uint64
		args        [6]uint64
	}
	reply struct {
		id     uint64
		result int64
		errno  int32
		_      uint32
	}
)

func (s *Supervisor) control(request uint, argument unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, s.listener.Fd(), uintptr(request), uintptr(argument)); errno != 0 {
		return errno
	}
	return nil
}

// answer carries out one call. A process that died meanwhile gets no answer.
func (s *Supervisor) answer() {
	var n notification
	if s.control(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&n)) != nil {
		return
	}
	r := reply{id: n.id}
	if err := s.carryOut(n); err != nil {
		errno := unix.EPERM
		_ = errors.As(err, &errno)
		r.errno = -int32(errno) //nolint:gosec // error numbers are small
	}
	_ = s.control(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&r))
}

func (s *Supervisor) carryOut(n notification) error {
	form, known := forms[uint32(n.call)] //nolint:gosec // as the filter compared it
	if !known {
		return unix.ENOSYS
	}
	caller := "/proc/" + strconv.Itoa(int(n.pid))
	mem, err := os.Open(caller + "/mem")
	if err != nil {
		return unix.EPERM
	}
	defer func() { _ = mem.Close() }()
	m := memory{mem}
	f, err := form.open(caller, n.args, m)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(int(f)) }()
	if err := s.control(unix.SECCOMP_IOCTL_NOTIF_ID_VALID, unsafe.Pointer(&n.id)); err != nil {
		return err // it has died: what was opened may belong to another process with its number
	}
	if !s.holds(f) {
		return unix.EPERM
	}
	return form.change(f, n.args, m)
}

// holds reports whether an opened file is within the roots. Nobody moves it there from outside: Landlock forbids that.
func (s *Supervisor) holds(f file) bool {
	at, err := os.Readlink(f.path())
	return err == nil && slices.ContainsFunc(s.roots, func(root string) bool {
		return at == root || strings.HasPrefix(at, root+"/")
	})
}

// file is an open descriptor (O_PATH) of a file.
type file int

// path is a path of the file that no other process can exchange.
func (f file) path() string { return "/proc/self/fd/" + strconv.Itoa(int(f)) }

// open opens the file that a call names, as its caller sees it.
func (f form) open(caller string, a [6]uint64, m memory) (file, error) {
	flags := uint64(0)
	if f.flags != none {
		flags = a[f.flags]
	}
	base := caller + "/cwd"
	if f.folder != none && int32(a[f.folder]) != unix.AT_FDCWD { //nolint:gosec // the kernel takes as much of it
		base = caller + "/fd/" + strconv.Itoa(int(int32(a[f.folder]))) //nolint:gosec // the same
	}
	if f.path == none || a[f.path] == 0 && strings.HasPrefix(base, caller+"/fd/") {
		return openBase(base)
	}
	path, err := m.text(a[f.path], unix.PathMax-1)
	switch {
	case err != nil:
		return none, err
	case path == "" && flags&unix.AT_EMPTY_PATH == 0:
		return none, unix.ENOENT
	case path == "":
		return openBase(base)
	}
	how := unix.O_PATH | unix.O_CLOEXEC
	if f.link || flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how |= unix.O_NOFOLLOW
	}
	return openAt(base, ofCaller(path, caller), how)
}

// ofCaller returns a path in which a process is called by its number: what /proc/self is depends on who looks.
func ofCaller(path, caller string) string {
	for _, own := range []string{"/proc/self", "/proc/thread-self"} {
		if rest, is := strings.CutPrefix(path, own+"/"); is {
			return caller + "/" + rest
		}
	}
	return path
}

// openAt opens a path that begins at a descriptor or working directory of a process, if it is relative.
func openAt(base, path string, how int) (file, error) {
	if strings.HasPrefix(path, "/") {
		return opened(unix.Open(path, how, 0))
	}
	folder, err := openBase(base)
	if err != nil {
		return none, err
	}
	defer func() { _ = unix.Close(int(folder)) }()
	return opened(unix.Openat(int(folder), path, how, 0))
}

func opened(fd int, err error) (file, error) { return file(fd), err }

// openBase opens a descriptor or the working directory of a process.
func openBase(at string) (file, error) {
	f, err := opened(unix.Open(at, unix.O_PATH|unix.O_CLOEXEC, 0))
	if err == unix.ENOENT { //nolint:errorlint // it is not wrapped
		err = unix.EBADF
	}
	return f, err
}

// memory is that of the calling process.
type memory struct{ *os.File }

// read reads a number of bytes.
func (m memory) read(at uint64, size int) ([]byte, error) {
	text := make([]byte, size)
	if _, err := m.ReadAt(text, int64(at)); err != nil { //nolint:gosec // a negative offset is an error
		return nil, unix.EFAULT
	}
	return text, nil
}

// text reads a text of at most a number of bytes that ends with NUL.
func (m memory) text(at uint64, most int) (string, error) {
	text := make([]byte, most+1)
	n, _ := m.ReadAt(text, int64(at)) //nolint:gosec // the same; where its memory ends, the text has ended
	end := bytes.IndexByte(text[:n], 0)
	switch {
	case end >= 0:
		return string(text[:end]), nil
	case n == len(text):
		return "", unix.ENAMETOOLONG
	}
	return "", unix.EFAULT
}
