package sandbox

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"forge/internal/lazyregexp"

	"golang.org/x/sys/unix"
)

// quietRounds is how many consecutive checks must find no process. One is not enough: a process in the
// middle of an exec has no environment to recognize.
const quietRounds = 5

// huntFor limits the time that kill waits for members to die: one stuck in the kernel must not block Forge.
const huntFor = 900 * time.Millisecond

// process is one line of the process table.
type process struct {
	pid, parent, group, session int
}

// hunt kills every living process of a tree, until there is none. A member can fork between check and kill, hence the rounds; its
// child is in its session, or still has the mark.
func hunt(pid int, mark string) {
	quiet := 0
	for end := time.Now().Add(huntFor); time.Now().Before(end); time.Sleep(2 * time.Millisecond) { //nolint:forbidigo // the kernel reports a death only to the parent
		members := append(kindred(pid, mark), adopted()...)
		if quiet++; len(members) > 0 {
			quiet = 0
		}
		if quiet == quietRounds {
			return
		}
		for _, m := range members {
			// The session belongs to the tree, and so does the group; no fork in it escapes. Forge's own group is never that of a member: where
			// numbers of processes are used again within a moment, as with a fork bomb, the table may have mixed two processes.
			if m.group > 1 && m.group != syscall.Getpgrp() {
				_ = syscall.Kill(-m.group, syscall.SIGKILL)
			}
			_ = syscall.Kill(m.pid, syscall.SIGKILL)
			if m.parent == os.Getpid() && m.pid != pid {
				_, _ = syscall.Wait4(m.pid, nil, 0, nil) // an adopted one: nothing else waits for it
			}
		}
	}
}

// members returns the living processes of a tree, as they were a moment ago.
func members(pid int, mark string) []int {
	var pids []int
	for _, m := range kindredIn(lately.processes(), pid, mark) {
		pids = append(pids, m.pid)
	}
	return pids
}

// kindred returns the living processes of a tree: its first one, those in its session, those with mark in their environment, and
// all their descendants. In a PID namespace, where there is no mark, orphans are children of the first one.
func kindred(pid int, mark string) (live []process) { return kindredIn(processes(), pid, mark) }

// kindredIn is kindred in a table of processes.
func kindredIn(table []process, pid int, mark string) (live []process) {
	found, table := map[int]bool{pid: true}, slices.Clone(table)
	for i, p := range table {
		if p.session == pid {
			found[p.pid] = true
		} else if mark != "" && marked(p.pid, mark) {
			if now, lives := processOf(p.pid); lives { // the number may be that of another process since the table was read
				table[i], found[p.pid] = now, true
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if found[p.parent] && !found[p.pid] {
				found[p.pid], grown = true, true
			}
		}
	}
	for _, p := range table {
		if found[p.pid] {
			live = append(live, p)
		}
	}
	return live
}

// lately is the table for the checks of all commands that run at the same time: to read it may take longer than all else that Forge does then.
var lately recent

// recent is a table of processes that is read again after half the interval of checks.
type recent struct {
	mu    sync.Mutex // held while the table is read
	at    time.Time
	table []process
}

func (r *recent) processes() []process {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) > lookEvery/2 {
		r.table, r.at = processes(), time.Now()
	}
	return r.table
}

// processes lists the processes that are not dead.
func processes() []process {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var table []process
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil {
			continue
		}
		if p, ok := processOf(pid); ok {
			table = append(table, p)
		}
	}
	return table
}

// processOf parses proc_pid_stat(5): "pid (name) state parent group session …", where name may contain anything. A dead process is
// not ok.
func processOf(pid int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 4 || fields[0] == "Z" || fields[0] == "X" {
		return process{}, false
	}
	p := process{pid: pid}
	for i, value := range []*int{&p.parent, &p.group, &p.session} {
		if *value, err = strconv.Atoi(fields[i+1]); err != nil {
			return process{}, false
		}
	}
	return p, true
}

func marked(pid int, mark string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(entry []byte) bool {
		return string(entry) == mark
	})
}

// first are the numbers of the first processes of all trees, from start to reap.
var first sync.Map

// adopt makes this process the parent of orphans. A command is that of its own while it runs (launcher_linux.go), so that all orphans
// here are of commands that have ended.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } // on failure, they are found by their environment only

// adopted returns the living orphans of jailed commands: children of this process that nothing here has started, with a filter of
// system calls, which no process can remove.
func adopted() (orphans []process) {
	own := filters(os.Getpid())
	for _, p := range processes() {
		if _, started := first.Load(p.pid); p.parent == os.Getpid() && !started && filters(p.pid) > own {
			orphans = append(orphans, p)
		}
	}
	return orphans
}

var filterCount = lazyregexp.New(`(?m)^Seccomp_filters:\s*(\d+)`)

// filters returns how many filters of system calls a process has; 0 before Linux 5.10.
func filters(pid int) int {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if m := filterCount.FindSubmatch(status); err == nil && m != nil {
		n, _ := strconv.Atoi(string(m[1])) // digits
		return n
	}
	return 0
}
