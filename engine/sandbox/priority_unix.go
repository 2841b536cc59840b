//go:build unix

package sandbox

import (
	"os"
	"runtime"
	"strconv"
	"syscall"
)

// below is by how much the nice value of what runs in the background is above that of Forge: where others want all of the machine it has a third of what
// each of them has.
const below = 5

// giveWay lowers the priority of the process, of its threads and of all that they start from now on. A system that refuses leaves it as it is.
func (t *tree) giveWay() {
	pid := t.process.Pid
	own, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		return
	}
	if runtime.GOOS == "linux" {
		own = 20 - own // so its system call gives it
	}
	nice := min(own+below, 19)
	_ = syscall.Setpriority(syscall.PRIO_PGRP, pid, nice) // it is the first of a group of its own
	// Linux may weigh sessions against each other, and nice values only within one.
	if file, err := os.OpenFile("/proc/"+strconv.Itoa(pid)+"/autogroup", os.O_WRONLY, 0); err == nil {
		_, _ = file.WriteString(strconv.Itoa(nice))
		_ = file.Close()
	}
}
