package sandbox

import (
	"os"

	"forge/internal/lazyregexp"

	"golang.org/x/sys/unix"
)

var traced = lazyregexp.New(`(?m)^TracerPid:\s*[1-9]`)

// Shield protects the memory, the environment and the descriptors of this process from other processes of its user: they cannot
// open them beneath /proc, no debugger attaches, and no core file is written. If a debugger or strace started the process it does
// nothing, because that one has access anyway, and would only see addresses otherwise.
func Shield() error {
	status, err := os.ReadFile("/proc/self/status")
	if err == nil && traced.Match(status) {
		return nil
	}
	return os.NewSyscallError("prctl", unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0))
}
