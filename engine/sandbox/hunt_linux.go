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
	pid, parent int
}

// hunt kills every live process below pid or with mark in its environment, until there is none. A
// member can fork between looking and killing, hence the rounds; its child still has the mark.
func hunt(pid int, mark string) {
	quiet := 0
	for end := time.Now().Add(huntFor); time.Now().Before(end); time.Sleep(2 * time.Millisecond) { //nolint:forbidigo // the kernel tells nobody but a parent of a death
		members := members(pid, mark)
		if quiet++; len(members) > 0 {
			quiet = 0
		}
		if quiet == quietRounds {
			return
		}
		for _, m := range members {
			_ = syscall.Kill(m, syscall.SIGKILL)
		}
	}
}

// members gives the live processes of a tree.
func members(pid int, mark string) []int {
	table := processes()
	found := map[int]bool{pid: true}
	for _, p := range table {
		if marked(p.pid, mark) {
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
	var live []int
	for _, p := range table {
		if found[p.pid] {
			live = append(live, p.pid)
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
		if parent, ok := parentOf(pid); ok {
			table = append(table, process{pid, parent})
		}
	}
	return table
}

// parentOf reads proc_pid_stat(5): "pid (name) state parent …", where name may hold anything.
func parentOf(pid int) (int, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, false
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	if len(fields) < 2 || fields[0] == "Z" || fields[0] == "X" {
		return 0, false
	}
	parent, err := strconv.Atoi(fields[1])
	return parent, err == nil
}

func marked(pid int, mark string) bool {
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil && slices.ContainsFunc(bytes.Split(environ, []byte{0}), func(entry []byte) bool {
		return string(entry) == mark
	})
}
