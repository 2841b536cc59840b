package flow

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// hostName names the machine since it was booted and, within it, the namespace of process numbers.
func hostName() string {
	name, _ := os.Hostname() // an unknown name is left out: then only the heartbeat shows a death
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	pids, _ := os.Readlink("/proc/self/ns/pid")
	return strings.Join([]string{name, strings.TrimSpace(string(boot)), pids}, " ")
}

// born returns the 22nd field of /proc/PID/stat: ticks since boot. The second field may contain anything, in parentheses.
func born(pid int) string {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return ""
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 20 || fields[0] == "Z" || fields[0] == "X" {
		return "" // a zombie: its parent has not waited for it yet
	}
	return fields[19]
}

func isProcess(pid int, since string) bool {
	if now := born(pid); now != "" || since != "" {
		return now == since
	}
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
