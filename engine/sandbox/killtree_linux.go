package sandbox

import (
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"forge/engine/sandbox/kernel"
)

// quietRounds is how many consecutive checks must find no process. One is not enough: a process in the
// middle of an exec has no environment to recognize.
const quietRounds = 5

// killLimit limits the time that killTree waits for members to die: one stuck in the kernel must not block Forge.
const killLimit = 900 * time.Millisecond

// killTree kills every living process of a tree, until there is none. A member can fork between check and kill, hence the rounds; its
// child is in its session, or still has the mark.
func killTree(pid int, mark string) {
	quiet := 0
	for end := time.Now().Add(killLimit); time.Now().Before(end); time.Sleep(2 * time.Millisecond) { //nolint:forbidigo // the kernel reports a death only to the parent
		members := append(processTree(pid, mark), adopted()...)
		if quiet++; len(members) > 0 {
			quiet = 0
		}
		if quiet == quietRounds {
			return
		}
		for _, m := range members {
			// The session belongs to the tree, and so does the group; no fork in it escapes. Forge's own group is never that of a member: where
			// numbers of processes are used again within a moment, as with a fork bomb, the table may have mixed two processes.
			if m.Group > 1 && m.Group != syscall.Getpgrp() {
				_ = syscall.Kill(-m.Group, syscall.SIGKILL)
			}
			_ = syscall.Kill(m.PID, syscall.SIGKILL)
			if m.Parent == os.Getpid() && m.PID != pid {
				_, _ = syscall.Wait4(m.PID, nil, 0, nil) // an adopted one: nothing else waits for it
			}
		}
	}
}

// members returns the living processes of a tree, as they were a moment ago.
func members(pid int, mark string) []int {
	var pids []int
	for _, m := range processTreeIn(lately.processes(), pid, mark) {
		pids = append(pids, m.PID)
	}
	return pids
}

// processTree returns the living processes of a tree: its first one, those in its session, those with mark in their environment, and
// all their descendants. In a PID namespace, where there is no mark, orphans are children of the first one.
func processTree(pid int, mark string) (live []kernel.Process) {
	return processTreeIn(kernel.Processes(), pid, mark)
}

// processTreeIn is processTree in a table of processes.
func processTreeIn(table []kernel.Process, pid int, mark string) (live []kernel.Process) {
	found, table := map[int]bool{pid: true}, slices.Clone(table)
	for i, p := range table {
		if p.Session == pid {
			found[p.PID] = true
		} else if mark != "" && kernel.Marked(p.PID, mark) {
			if now, lives := kernel.ProcessOf(p.PID); lives { // the number may be that of another process since the table was read
				table[i], found[p.PID] = now, true
			}
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range table {
			if found[p.Parent] && !found[p.PID] {
				found[p.PID], grown = true, true
			}
		}
	}
	for _, p := range table {
		if found[p.PID] {
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
	table []kernel.Process
}

func (r *recent) processes() []kernel.Process {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.at) > lookEvery/2 {
		r.table, r.at = kernel.Processes(), time.Now()
	}
	return r.table
}

// first are the numbers of the first processes of all trees, from start to reap.
var first sync.Map

// adopt makes this process the parent of orphans. A command is that of its own while it runs (launcher_linux.go), so that all orphans
// here are of commands that have ended.
func adopt() { _ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) } // on failure, they are found by their environment only

// adopted returns the living orphans of jailed commands: children of this process that nothing here has started, with a filter of
// system calls, which no process can remove.
func adopted() (orphans []kernel.Process) {
	own := kernel.Filters(os.Getpid())
	for _, p := range kernel.Processes() {
		if _, started := first.Load(p.PID); p.Parent == os.Getpid() && !started && kernel.Filters(p.PID) > own {
			orphans = append(orphans, p)
		}
	}
	return orphans
}
