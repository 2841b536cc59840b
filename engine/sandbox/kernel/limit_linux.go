package kernel

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// The limits of each process.
const (
	maxOpenFiles = 1 << 16
	maxFile      = 16 << 30 // bytes
	maxTasks     = 1 << 13  // processes and threads of a command; Forge watches the processes
	oomScore     = 500      // of -1000 to 1000; editors and shells have 0 to 300
)

// Limit limits the resources of this process and its children, each by itself. Forge watches the sums. A jailed command has a time
// limit; mounted means that it has a user namespace. There is no limit on address space: sanitizers reserve terabytes.
func Limit(jailed, mounted bool, limit time.Duration) error {
	if jailed {
		if err := limitJailed(mounted, limit); err != nil {
			return err
		}
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("forbid core files: %w", err)
	}
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	if files.Max <= maxOpenFiles {
		return nil // exec restores the soft limit, which Go has raised for this process
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: maxOpenFiles, Max: maxOpenFiles}); err != nil {
		return fmt.Errorf("bound the number of open files: %w", err)
	}
	return nil
}

// OfferToOOM makes a system without memory end the command rather than the editor, if it can be set.
func OfferToOOM() {
	const file = "/proc/self/oom_score_adj"
	now, err := os.ReadFile(file)
	if err != nil {
		return
	}
	if score, err := strconv.Atoi(strings.TrimSpace(string(now))); err == nil && score < oomScore {
		_ = os.WriteFile(file, []byte(strconv.Itoa(oomScore)), 0o600)
	}
}

// limitJailed limits the processor time and the files of each process of a jailed command and, in a user namespace, its tasks:
// elsewhere the kernel would count the user's other processes.
func limitJailed(mounted bool, limit time.Duration) error {
	seconds := uint64(limit/time.Second)*uint64(runtime.NumCPU()) + 60 //nolint:gosec // a time limit is positive
	limits := map[int]uint64{unix.RLIMIT_CPU: seconds, unix.RLIMIT_FSIZE: maxFile}
	if mounted && os.Getuid() != 0 {
		limits[unix.RLIMIT_NPROC] = maxTasks
	}
	for resource, most := range limits {
		var now syscall.Rlimit
		if err := syscall.Getrlimit(resource, &now); err != nil {
			return fmt.Errorf("read a limit: %w", err)
		}
		most = min(most, now.Max)
		if err := syscall.Setrlimit(resource, &syscall.Rlimit{Cur: most, Max: most}); err != nil {
			return fmt.Errorf("set a limit: %w", err)
		}
	}
	return nil
}

// CloseOnExec closes, with exec, all descriptors from one on: also those that Forge's parent left open.
func CloseOnExec(from int) error {
	if unix.CloseRange(uint(from), 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	entries, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		return fmt.Errorf("list the open descriptors: %w", err)
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= from {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// RaiseLoopback makes 127.0.0.1 and ::1 work in this process's own network namespace.
func RaiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = unix.Close(socket) }()
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}
