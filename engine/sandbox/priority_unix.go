//go:build unix

package sandbox

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// below is how much higher the nice value of background commands is than Forge's: competing with other work they get about a third
// of its share.
const below = 5

// giveWay lowers the priority of the process, of its threads and of their future children. On failure it stays as it is.
func (t *tree) giveWay() {
	pid := t.process.Pid
	own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		return
	}
	if runtime.GOOS == "linux" {
		own = 20 - own // the form of the system call
	}
	nice := min(own+below, 19)
	_ = syscall.Setpriority(syscall.PRIO_PGRP, pid, nice) // it leads its own group
	// Linux may weight sessions against each other, and apply nice values only within one.
	if file, err := os.OpenFile("/proc/"+strconv.Itoa(pid)+"/autogroup", os.O_WRONLY, 0); err == nil {
		_, _ = file.WriteString(strconv.Itoa(nice))
		_ = file.Close()
	}
}
