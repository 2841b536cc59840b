// Package sandbox is the only place that starts processes: an argument list, never a shell line; an
// environment built from an allow-list; a working directory; folders that it writes nothing in; no terminal; limits on time,
// output, processes and memory; and an end of the whole process tree when the caller's context ends.
//
// On Linux, Forge executes itself as a launcher for each command. The launcher gives up what the command must not have, and becomes the command:
//
//	Forge ── fork, exec /proc/self/exe ──► launcher ── order, ids ◄── Forge
//	                                       │ descriptors, limits, capabilities, Landlock
//	                                       └─ exec ──► command
//
// Invariant: no thread of Forge's own process is ever confined with a command, and Forge's environment is in no process that is (docs/adr/0051).
package sandbox

import (
	"context"
	"io"
	"time"
)

// Command is a process to start.
type Command struct {
	Argv []string // Argv[0] is looked up on the caller's PATH unless it is a path
	Dir  string   // absolute working directory; empty is refused
	// Env is added to the allow-listed environment ("NAME=value"), and wins over it.
	Env []string
	// Stdin is fed to the process; nil is an empty input. It must come to its end by itself: Run waits
	// for a Read that is under way.
	Stdin io.Reader
	// Merged sends what the process writes to stderr where its stdout goes, in the order in which it was written.
	Merged bool
	// Offline leaves the process without any network, loopback included, where the system can: on Linux, in a namespace. Elsewhere
	// it has the network as others do.
	Offline bool
	// Guarded are folders in which the process, and everything it starts, can write nothing, by whatever path, except beneath Spared and
	// where tools keep what they download or make, if their variables say that this is there. Everything can be read, and what lies
	// elsewhere can be written; but in the folders that lead to a guarded one nothing can be made or removed. Where one of
	// these is for temporary files, the process has another TMPDIR, which is removed with it. Confines says what the system can do.
	Guarded []string
	Spared  []string // folders in guarded ones
	// Timeout ends the whole process tree; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxOutput caps what is kept of stdout and of stderr each, in bytes; 0 means DefaultMaxOutput. What
	// comes after is read and dropped, so that the process never blocks on a full pipe.
	MaxOutput int
	// MaxWrite ends the whole process tree when Dir has grown by so many bytes on the disk, or the disk is all but full; 0
	// lets it grow. What a program writes elsewhere is not counted.
	MaxWrite int64
	// MaxProcesses and MaxMemory end the whole process tree when it has more processes at once, or more bytes of memory, which are looked at now
	// and then; 0 means DefaultProcesses and DefaultMemory. Only Linux is asked.
	MaxProcesses int
	MaxMemory    int64
	// Background lets everything else on the machine go first, where the system can: on Unix, by a lower priority.
	Background bool
	// Heard is given what the process writes to stdout as it comes, also past MaxOutput; nil hears nothing. It must not block, and does not
	// keep what it is given.
	Heard func(part []byte)
}

// The limits of a command that names none.
const (
	DefaultTimeout   = 2 * time.Minute
	DefaultMaxOutput = 5 << 20
)

// Result is how a started process ended. An exit code other than 0 is a result, not an error.
type Result struct {
	ExitCode  int // -1 when the process was ended by a signal
	Stdout    []byte
	Stderr    []byte
	Truncated bool // output went past the cap
	TimedOut  bool
	Overflow  bool // it was ended because it wrote more than MaxWrite
	// Exceeded says which of MaxProcesses and MaxMemory it was ended for, and which setting raises that; it is put behind the name of the
	// program. Empty where it kept within.
	Exceeded string
	Elapsed  time.Duration
}

// Confinement is how well a system keeps processes from writing into guarded folders.
type Confinement int

// The degrees of confinement.
const (
	None    Confinement = iota // they write whatever the user can
	Partial                    // they can empty files, and change nothing else
	Full
)

// Confines returns what this system can do about Command.Guarded. Modes, owners and times of files are never kept: Landlock, which does this on
// Linux, knows no rule about them.
func Confines() Confinement { return confinement() }

// Runner starts commands. Run blocks until the process and everything it started have ended. The
// error is *NotStartedError when there was no process, ctx.Err() when the caller gave up, else nil.
type Runner interface {
	Run(ctx context.Context, c Command) (Result, error)
}

// Finder is a Runner that can look for a program without starting it. The error is a *NotStartedError, as that of Run.
type Finder interface {
	Find(c Command) error
}
