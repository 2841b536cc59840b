package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// This file is a program's attempts at what is not its own. It stands alone: test/cli lets tests of a project do the same.

// escapes tries to get at all processes with a name, and at the terminal, and gives what it got. An empty name is that of no process.
func escapes(name string) (open []string) {
	note := func(what string) {
		if what = "OPEN " + what; !slices.Contains(open, what) {
			open = append(open, what)
		}
	}
	found := name == ""
	files, _ := filepath.Glob("/proc/[0-9]*/comm")
	for _, file := range files {
		if comm, _ := os.ReadFile(file); name == "" || strings.TrimSpace(string(comm)) != name {
			continue
		}
		found = true
		threads, _ := filepath.Glob(filepath.Dir(file) + "/task/*")
		for _, place := range append(threads, filepath.Dir(file)) {
			lookInto(place, note)
		}
	}
	if !found {
		note("nothing: there is no process " + name)
	}
	typeAt("/dev/tty", "the terminal", note)
	for fd := range 3 {
		if typed(fd) {
			note(fmt.Sprintf("typing at descriptor %d", fd))
		}
	}
	return open
}

// lookInto tries to open what /proc shows of a process or a thread.
func lookInto(place string, note func(string)) {
	for _, name := range []string{"environ", "maps", "auxv"} {
		if text, err := os.ReadFile(filepath.Join(place, name)); err == nil && len(text) > 0 {
			note("reading " + name)
		}
	}
	for access, what := range map[int]string{os.O_RDONLY: "reading memory", os.O_WRONLY: "writing memory"} {
		if f, err := os.OpenFile(filepath.Join(place, "mem"), access, 0); err == nil {
			note(what)
			_ = f.Close()
		}
	}
	for fd := range 64 {
		path := filepath.Join(place, "fd", strconv.Itoa(fd))
		if _, err := os.Readlink(path); err == nil {
			note("seeing descriptors")
		}
		if f, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
			note("opening descriptors")
			_ = syscall.Close(f)
		}
	}
}

// typeAt tries to open a terminal, and to type there.
func typeAt(path, what string, note func(string)) {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0)
	if err != nil {
		return
	}
	defer func() { _ = syscall.Close(fd) }()
	note("opening " + what)
	if typed(fd) {
		note("typing at " + what)
	}
}

// typed types a letter, as if its user had.
func typed(fd int) bool {
	letter := byte('y')
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCSTI, uintptr(unsafe.Pointer(&letter)))
	return errno == 0
}
