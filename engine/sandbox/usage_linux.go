package sandbox

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

// usage counts the processes of a tree and their memory. Shared memory counts for each: memory is exact.
func (t *tree) usage() usage {
	all := members(t.process.Pid, t.mark)
	u := usage{processes: len(all)}
	for _, pid := range all {
		u.memory += resident(pid)
	}
	return u
}

// memory returns the memory and swap of a tree; shared pages, mainly of forks, count once. It is slow, because the kernel walks all
// pages.
func (t *tree) memory() (sum int64) {
	for _, pid := range members(t.process.Pid, t.mark) {
		share, known := proportional(pid)
		if !known {
			share = resident(pid)
		}
		sum += share
	}
	return sum
}

// resident parses proc_pid_statm(5): the second field is the resident memory, in pages.
func resident(pid int) int64 {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 {
		return 0 // it has ended
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}

// proportional sums Pss and SwapPss of proc_pid_smaps(5), in which n processes share a page as an nth each.
func proportional(pid int) (sum int64, known bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/smaps_rollup")
	if err != nil {
		return 0, false
	}
	for line := range bytes.Lines(text) {
		fields := strings.Fields(string(line))
		if len(fields) == 3 && (fields[0] == "Pss:" || fields[0] == "SwapPss:") {
			kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
			sum += kilobytes << 10
		}
	}
	return sum, true
}

// machineMemory returns the bytes of memory for Forge and its children: of the machine, or the limit of its control group.
func machineMemory() int64 {
	least := int64(math.MaxInt64)
	text, _ := os.ReadFile("/proc/meminfo")
	for line := range bytes.Lines(text) {
		if fields := strings.Fields(string(line)); len(fields) >= 2 && fields[0] == "MemTotal:" {
			if kilobytes, err := strconv.ParseInt(fields[1], 10, 64); err == nil {
				least = kilobytes << 10
			}
		}
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} { // inside a container
		text, _ := os.ReadFile(file) //nolint:gosec // one of two
		if limit, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && limit > 0 {
			least = min(least, limit)
		}
	}
	if least == math.MaxInt64 {
		return 0
	}
	return least
}
