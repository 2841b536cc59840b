package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"forge/engine/sandbox/seccomp"
)

// launcherName is the argv[0] of a launcher.
const launcherName = "forge-launcher"

// The descriptors of a launcher, besides the three of the command.
const (
	orderFD  = 3 // it reads its order from here
	statusFD = 4 // it reports its progress here
)

// The bytes that a launcher sends. Without readyToExec it has executed nothing; a text after either is the reason.
const (
	launched    = 'l' // it is running, and waits for its order
	readyToExec = 'x'
)

// init turns this process into a launcher if it was started as one: a separate process for each command, which gives up the
// forbidden privileges and then becomes the command. It is an init function so that every program with a Runner, including test
// programs, can be its own launcher, and so that little of the program is initialised by then (docs/adr/0051). It never returns in
// a launcher.
func init() { //nolint:gochecknoinits // an alternative main function: nothing is registered
	if len(os.Args) == 1 && os.Args[0] == launcherName {
		os.Exit(becomeCommand())
	}
}

// becomeCommand carries out the order, and returns only on failure.
func becomeCommand() int {
	runtime.LockOSThread() // privileges belong to threads
	status := os.NewFile(statusFD, "status")
	if _, err := status.Write([]byte{launched}); err != nil {
		fmt.Fprintln(os.Stderr, launcherName+" is started by forge, not by hand")
		return 2
	}
	listener := -1
	order, err := readOrder(os.NewFile(orderFD, "order"))
	if err == nil {
		listener, err = confine(order)
	}
	if err == nil {
		err = seccomp.Send(status, readyToExec, listener)
	}
	if err == nil {
		err = syscall.Exec(order.path, order.args, order.env)
	}
	fmt.Fprint(status, explain(err))
	return 1
}

// explain encodes an error for Forge: the number of a system error, or words.
func explain(err error) string {
	if errno, is := err.(syscall.Errno); is { //nolint:errorlint // what exec gives is not wrapped
		return strconv.Itoa(int(errno))
	}
	return err.Error()
}

// confine removes from this process, and all its children, what a command must not have. The order matters: each step takes away what
// those before it need. It returns the listener of the filter of system calls, or -1.
func confine(o order) (listener int, err error) {
	offerToOOM()
	if err := limitResources(o.setup); err != nil {
		return -1, err
	}
	if err := closeOnExec(); err != nil {
		return -1, err
	}
	if o.setup.mounted {
		if err := enter(o); err != nil {
			return -1, &unavailableError{err}
		}
	}
	if err := seccomp.DropPrivileges(); err != nil {
		return -1, err
	}
	if o.setup.fenced {
		if err := fence(o); err != nil {
			return -1, err
		}
	}
	if o.setup.jailed && !o.setup.mounted { // it keeps its orphans, so that Forge finds them (hunt_linux.go)
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return -1, fmt.Errorf("keep orphans: %w", err)
		}
	}
	if o.setup.jailed && seccomp.Available() {
		return filter(o.setup)
	}
	return -1, nil
}

// filter filters system calls. A kernel may refuse to hand any to a supervisor, above all to a process that already has one.
func filter(s setup) (listener int, err error) {
	rules := seccomp.Rules{NoSockets: s.offline && !s.mounted, Attributes: !s.mounted}
	if listener, err = seccomp.Apply(rules); err != nil && rules.Attributes {
		rules.Attributes = false
		return seccomp.Apply(rules)
	}
	return listener, err
}

// enter enters the root and the network of a command with namespaces.
func enter(o order) error {
	if o.setup.offline {
		if err := raiseLoopback(); err != nil {
			return fmt.Errorf("make a loopback: %w", err)
		}
	}
	if err := enterRoot(o); err != nil {
		return err
	}
	return os.Chdir(o.dir)
}

// unavailableError means that the system refuses mounts: the command can be started without.
type unavailableError struct{ err error }

func (e *unavailableError) Error() string { return unavailable + e.err.Error() }

// unavailable begins the text of an unavailableError.
const unavailable = "unavailable: "

// closeOnExec closes, with exec, all descriptors but the command's three: also those that Forge's parent left open.
func closeOnExec() error {
	if unix.CloseRange(orderFD, 1<<31-1, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	entries, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		return fmt.Errorf("list the open descriptors: %w", err)
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= orderFD {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// The limits of each process.
const (
	maxOpenFiles = 1 << 16
	maxFile      = 16 << 30 // bytes
	maxTasks     = 1 << 13  // processes and threads of a command; Forge watches the processes (bounds.go)
	oomScore     = 500      // of -1000 to 1000; editors and shells have 0 to 300
)

// limitResources limits the resources of one process. Forge watches the sums (bounds.go). There is no limit on address space:
// sanitizers reserve terabytes.
func limitResources(s setup) error {
	if s.jailed {
		if err := limitJailed(s); err != nil {
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

// offerToOOM makes a system without memory end the command rather than the editor, if it can be set.
func offerToOOM() {
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
func limitJailed(s setup) error {
	seconds := uint64(s.limit/time.Second)*uint64(runtime.NumCPU()) + 60 //nolint:gosec // a time limit is positive
	limits := map[int]uint64{unix.RLIMIT_CPU: seconds, unix.RLIMIT_FSIZE: maxFile}
	if s.mounted && os.Getuid() != 0 {
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
