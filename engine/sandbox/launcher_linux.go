package sandbox

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"

	"forge/engine/sandbox/kernel"
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
		err = kernel.Send(status, readyToExec, listener)
	}
	if err == nil {
		err = syscall.Exec(order.path, order.args, order.env)
	}
	fmt.Fprint(status, explain(err))
	return 1
}

// explain encodes an error for Forge: the number of a system error, or words.
func explain(err error) string {
	if errno, is := err.(syscall.Errno); is { //nolint:errorlint // the error of exec is not wrapped
		return strconv.Itoa(int(errno))
	}
	return err.Error()
}

// confine removes from this process, and all its children, what a command must not have. The order matters: each step takes away what
// those before it need. It returns the listener of the filter of system calls, or -1.
func confine(o order) (listener int, err error) {
	kernel.OfferToOOM()
	if err := kernel.Limit(o.setup.jailed, o.setup.mounted, o.setup.limit); err != nil {
		return -1, err
	}
	if err := kernel.CloseOnExec(orderFD); err != nil {
		return -1, err
	}
	if o.setup.mounted {
		if err := enter(o); err != nil {
			return -1, &unavailableError{err}
		}
	}
	if err := kernel.DropPrivileges(); err != nil {
		return -1, err
	}
	if o.setup.fenced {
		if err := fence(o); err != nil {
			return -1, err
		}
	}
	if o.setup.jailed && !o.setup.mounted { // it keeps its orphans, so that Forge finds them (killtree_linux.go)
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return -1, fmt.Errorf("keep orphans: %w", err)
		}
	}
	if o.setup.jailed && kernel.CanFilter() {
		return filter(o.setup)
	}
	return -1, nil
}

// filter filters system calls. A kernel may refuse to hand any to a supervisor, above all to a process that already has one.
func filter(s setup) (listener int, err error) {
	rules := kernel.Rules{NoSockets: s.offline && !s.mounted, Attributes: !s.mounted}
	if listener, err = kernel.Apply(rules); err != nil && rules.Attributes {
		rules.Attributes = false
		return kernel.Apply(rules)
	}
	return listener, err
}

// enter enters the root and the network of a command with namespaces.
func enter(o order) error {
	if o.setup.offline {
		if err := kernel.RaiseLoopback(); err != nil {
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
