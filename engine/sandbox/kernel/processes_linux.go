package kernel

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"forge/internal/lazyregexp"
)

// Process is one line of the process table.
type Process struct {
	PID, Parent, Group, Session int
}

// Processes lists the processes that are not dead.
func Processes() []Process {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var table []Process
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil {
			continue
		}
		if p, ok := ProcessOf(pid); ok {
			table = append(table, p)
		}
	}
	return table
}

// ProcessOf parses proc_pid_stat(5): "pid (name) state parent group session …", where name may contain anything. A dead process is
// not ok.
func ProcessOf(pid int) (Process, bool) {
	stat, ok := statOf(pid)
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if !ok || len(fields) < 4 || fields[0] == "Z" || fields[0] == "X" {
		return Process{}, false
	}
	p := Process{PID: pid}
	for i, value := range []*int{&p.Parent, &p.Group, &p.Session} {
		var err error
		if *value, err = strconv.Atoi(fields[i+1]); err != nil {
			return Process{}, false
		}
	}
	return p, true
}

// statOf reads the beginning of the stat of a process, to its session or further. The table is read ten times a second while a command runs: package
// os makes eleven system calls to read a file, and this makes three.
func statOf(pid int) ([]byte, bool) {
	file, err := unix.Open("/proc/"+strconv.Itoa(pid)+"/stat", unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	text := make([]byte, 512) // the name has at most 64 bytes
	n, err := unix.Read(file, text)
	_ = unix.Close(file)
	return text[:max(n, 0)], err == nil
}

// Marked reports whether a process has an entry in its environment.
func Marked(pid int, mark string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(entry []byte) bool {
		return string(entry) == mark
	})
}

var filterCount = lazyregexp.New(`(?m)^Seccomp_filters:\s*(\d+)`)

// Filters returns how many filters of system calls a process has; 0 before Linux 5.10.
func Filters(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if m := filterCount.FindSubmatch(status); err == nil && m != nil {
		n, _ := strconv.Atoi(string(m[1])) // digits
		return n
	}
	return 0
}
