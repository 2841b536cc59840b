package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// launcherName is the argv[0] by which this program knows that it is to be a launcher.
const launcherName = "forge-launcher"

// The descriptors of a launcher beside the three of the command.
const (
	orderFD   = 3 // it reads its order here
	statusFD  = 4 // it says here how far it is
	rulesetFD = 5 // what Landlock is to allow, if the order says that there is one
)

// The bytes that a launcher sends. Where it ends without readyToExec it has not executed anything; a text behind either says why.
const (
	launched    = 'l' // it is a process that can be looked at, and waits for its order
	readyToExec = 'x'
)

// init turns this process into a launcher where it was started as one: a process of its own for each command, that gives up what the command
// must not have and then becomes the command. It is done here so that every program with a Runner, test programs included, can be its own launcher,
// and so that little of the program has been initialised by then (docs/adr/0051). It never returns in a launcher.
func init() { //nolint:gochecknoinits // nothing is registered: another main of the program begins here
	if len(os.Args) == 1 && os.Args[0] == launcherName {
		os.Exit(becomeCommand())
	}
}

// becomeCommand does what the order says, and returns only where that fails.
func becomeCommand() int {
	runtime.LockOSThread() // privileges are a thread's
	status := os.NewFile(statusFD, "status")
	if _, err := status.Write([]byte{launched}); err != nil {
		fmt.Fprintln(os.Stderr, launcherName+" is started by forge, not by hand")
		return 2
	}
	order, err := readOrder(os.NewFile(orderFD, "order"))
	if err == nil {
		err = confine(order)
	}
	if err == nil {
		_, err = status.Write([]byte{readyToExec})
	}
	if err == nil {
		err = syscall.Exec(order.path, order.args, order.env)
	}
	fmt.Fprint(status, explain(err))
	return 1
}

// explain puts an error so that Forge can read it: the number of a system error, or words.
func explain(err error) string {
	if errno, is := err.(syscall.Errno); is { //nolint:errorlint // what exec gives is not wrapped
		return strconv.Itoa(int(errno))
	}
	return err.Error()
}

// confine takes from this process, and from all that it will start, what a command does not get.
func confine(o order) error {
	offerToOOM()
	if err := limitResources(); err != nil {
		return err
	}
	if err := closeOnExec(); err != nil {
		return err
	}
	if err := dropPrivileges(); err != nil {
		return err
	}
	if !o.fenced {
		return nil
	}
	return ruleset{fd: rulesetFD}.restrict()
}

// closeOnExec closes, with exec, all descriptors but the command's three: also those that whoever started Forge left open.
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

// The bounds of each process.
const (
	maxOpenFiles = 1 << 16
	oomScore     = 500 // of -1000 to 1000; editors and shells have 0 to 300
)

// limitResources bounds what one process may have. What all of them have together is watched from Forge (bounds.go).
func limitResources() error {
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

// offerToOOM has a system that is out of memory end the command rather than the editor. Where it cannot be said, it is not.
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
