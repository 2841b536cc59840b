package sandbox

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// quietRounds is how many looks in a row must find nobody. One is not enough: a process in the middle of
// an exec has no environment to be known by.
const quietRounds = 5

// huntFor bounds the time kill waits for members to die: one stuck in the kernel must not hold Forge.
const huntFor = 900 * time.Millisecond

// process is one line of the process table.
type process struct {
	pid, parent, group, session int
}

// hunt kills every live process of a tree, until there is none. A member can fork between looking and killing, hence the rounds; its child is in
// its session, or still has the mark.
func hunt(pid int, mark string) {
	quiet := 0
	for end := time.Now().Add(huntFor); time.Now().Before(end); time.Sleep(2 * time.Millisecond) { //nolint:forbidigo // the kernel tells nobody but a parent of a death
		members := kindred(pid, mark)
		if quiet++; len(members) > 0 {
			quiet = 0
		}
		if quiet == quietRounds {
			return
		}
		for _, m := range members {
			if m.group > 1 { // its session is of the tree, and so all of the group is; no fork in it outruns that
				_ = syscall.Kill(-m.group, syscall.SIGKILL)
			}
			_ = syscall.Kill(m.pid, syscall.SIGKILL)
		}
	}
}

// members returns the live processes of a tree.
func members(pid int, mark string) []int {
	var pids []int
	for _, m := range kindred(pid, mark) {
		pids = append(pids, m.pid)
	}
	return pids
}

// kindred returns the live processes of a tree: its first one, what is in that one's session, what has mark in its environment, and all that these
// have started. In a PID namespace, where there is no mark, orphans are children of the first one.
func kindred(pid int, mark string) (live []process) {
	table := processes()
	found := map[int]bool{pid: true}
	for _, p := range table {
		if p.session == pid || mark != "" && marked(p.pid, mark) {
			found[p.pid] = true
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

// processes reads the table of processes that are not dead yet.
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

// processOf reads proc_pid_stat(5): "pid (name) state parent group session …", where name may hold anything. One that is dead is none.
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
