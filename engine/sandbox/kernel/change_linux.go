//go:build amd64 || arm64

package kernel

import (
	"encoding/binary"
	"maps"

	"golang.org/x/sys/unix"
)

// none marks a form without an argument.
const none = -1

// form is a system call that changes a file's attributes: which of its arguments name the file, and what it does.
type form struct {
	folder int  // the descriptor that path begins at, or the file itself; none for the working directory
	path   int  // none if the file is a descriptor
	flags  int  // none if it has none
	link   bool // a link at the end of path is not followed
	// change changes the file as the caller asked. It is called when the call is known to be still waiting, and the file to be in reach.
	change func(f file, a [6]uint64, m memory) error
}

// forms are the system calls that a supervisor carries out, by their numbers.
var forms = func() map[uint32]form {
	all := map[uint32]form{
		unix.SYS_FCHMOD:       {folder: 0, path: none, flags: none, change: changeMode(1)},
		unix.SYS_FCHMODAT:     {folder: 0, path: 1, flags: none, change: changeMode(2)},
		unix.SYS_FCHMODAT2:    {folder: 0, path: 1, flags: 3, change: changeMode(2)},
		unix.SYS_FCHOWN:       {folder: 0, path: none, flags: none, change: changeOwner(1)},
		unix.SYS_FCHOWNAT:     {folder: 0, path: 1, flags: 4, change: changeOwner(2)},
		unix.SYS_UTIMENSAT:    {folder: 0, path: 1, flags: 3, change: changeTimes},
		unix.SYS_SETXATTR:     {folder: none, path: 0, flags: none, change: setAttribute},
		unix.SYS_LSETXATTR:    {folder: none, path: 0, flags: none, link: true, change: setAttribute},
		unix.SYS_FSETXATTR:    {folder: 0, path: none, flags: none, change: setAttribute},
		unix.SYS_REMOVEXATTR:  {folder: none, path: 0, flags: none, change: removeAttribute},
		unix.SYS_LREMOVEXATTR: {folder: none, path: 0, flags: none, link: true, change: removeAttribute},
		unix.SYS_FREMOVEXATTR: {folder: 0, path: none, flags: none, change: removeAttribute},
	}
	maps.Copy(all, formsHere)
	return all
}()

func changeMode(mode int) func(file, [6]uint64, memory) error {
	return func(f file, a [6]uint64, _ memory) error {
		return unix.Chmod(f.path(), uint32(a[mode])) //nolint:gosec // the kernel takes as much of it
	}
}

func changeOwner(user int) func(file, [6]uint64, memory) error {
	return func(f file, a [6]uint64, _ memory) error {
		return unix.Fchownat(int(f), "", int(int32(a[user])), int(int32(a[user+1])), unix.AT_EMPTY_PATH) //nolint:gosec // the same
	}
}

// changeTimes is utimensat: two times of seconds and nanoseconds, or none for now.
func changeTimes(f file, a [6]uint64, m memory) error {
	now := unix.Timespec{Nsec: unix.UTIME_NOW}
	times := []unix.Timespec{now, now}
	if a[2] != 0 {
		text, err := m.read(a[2], 32)
		if err != nil {
			return err
		}
		for i := range times {
			times[i] = unix.Timespec{Sec: integer(text[16*i:]), Nsec: integer(text[16*i+8:])}
		}
	}
	return unix.UtimesNanoAt(int(f), "", times, unix.AT_EMPTY_PATH)
}

// changeMicroseconds is utimes: two times of seconds and microseconds, or none for now.
func changeMicroseconds(f file, a [6]uint64, m memory) error {
	if a[1] == 0 {
		return changeTimes(f, [6]uint64{}, m)
	}
	text, err := m.read(a[1], 32)
	if err != nil {
		return err
	}
	var times [2]unix.Timespec
	for i := range times {
		micro := integer(text[16*i+8:])
		if micro < 0 || micro >= 1e6 {
			return unix.EINVAL
		}
		times[i] = unix.Timespec{Sec: integer(text[16*i:]), Nsec: 1000 * micro}
	}
	return unix.UtimesNanoAt(int(f), "", times[:], unix.AT_EMPTY_PATH)
}

// changeSeconds is utime: two times in seconds, or none for now.
func changeSeconds(f file, a [6]uint64, m memory) error {
	if a[1] == 0 {
		return changeTimes(f, [6]uint64{}, m)
	}
	text, err := m.read(a[1], 16)
	if err != nil {
		return err
	}
	return unix.UtimesNanoAt(int(f), "", []unix.Timespec{{Sec: integer(text)}, {Sec: integer(text[8:])}}, unix.AT_EMPTY_PATH)
}

// integer reads a long of C. Both architectures store the lowest byte first.
func integer(text []byte) int64 { return int64(binary.LittleEndian.Uint64(text)) } //nolint:gosec // it is signed

// The longest name and the largest value of an attribute.
const (
	longestName  = 255
	largestValue = 64 << 10
)

func setAttribute(f file, a [6]uint64, m memory) error {
	name, err := m.text(a[1], longestName)
	if err != nil {
		return rangeError(err)
	}
	if a[3] > largestValue {
		return unix.E2BIG
	}
	value, err := m.read(a[2], int(a[3])) //nolint:gosec // bounded above
	if err != nil {
		return err
	}
	return unix.Setxattr(f.path(), name, value, int(a[4])) //nolint:gosec // the kernel judges flags
}

func removeAttribute(f file, a [6]uint64, m memory) error {
	name, err := m.text(a[1], longestName)
	if err != nil {
		return rangeError(err)
	}
	return unix.Removexattr(f.path(), name)
}

// rangeError returns what the kernel returns for a name that is too long.
func rangeError(err error) error {
	if err == unix.ENAMETOOLONG { //nolint:errorlint // it is not wrapped
		return unix.ERANGE
	}
	return err
}
