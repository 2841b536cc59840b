// Package sandbox is the only place that starts processes: with an argument list, never a shell line; an environment built
// from an allow-list; a working directory; a jail; no terminal; limits on time, output, processes and
// memory; and an end of the whole process tree when the caller's context ends.
//
// On Linux, Forge executes itself as a launcher for each command. The launcher gives up forbidden privileges, and becomes the
// command:
//
//	Forge ── fork, exec /proc/self/exe ──► launcher ── order, ids ◄── Forge
//	                                       │ limits, descriptors, mounts, loopback, capabilities, Landlock, system calls
//	                                       └─ exec ──► command
//
// Invariant: no thread of Forge's own process is ever confined, and no confined process has Forge's environment (docs/adr/0051).
package sandbox

import (
	"context"
	"io"
	"time"
)

// Command is a process to start.
type Command struct {
	Argv []string // Argv[0] is looked up on the caller's PATH unless it is a path
	Dir  string   // absolute working directory; an empty one is rejected
	// Away starts the process in the root of the file system instead of Dir, so that it finds no settings in Dir or above.
	Away bool
	// Env is added to the allow-listed environment ("NAME=value"), and takes precedence.
	Env []string
	// Stdin is the input of the process; nil is empty. When the process has ended, Run closes it if it is an io.Closer, and waits for a
	// pending Read.
	Stdin io.Reader
	// Merged redirects stderr to stdout, in order.
	Merged bool
	// Jail confines the command to what it names; nil confines only its privileges. A system that cannot confine it does not start it:
	// the error is an *UnconfinedError.
	Jail *Jail
	// InPlace asks the maker of the jail to show the tree of Dir at the path of the user's folder, or at one that all trees of the folder have (Place).
	InPlace bool
	// Timeout ends the whole process tree; 0 means DefaultTimeout.
	Timeout time.Duration
	// MaxOutput limits the kept bytes of stdout and of stderr each; 0 means DefaultMaxOutput. The rest is
	// read and dropped, so that the process never blocks on a full pipe.
	MaxOutput int
	// MaxWrite ends the whole process tree when Dir has grown by so many bytes, or the disk is almost full; 0 is
	// unlimited. Other folders do not count.
	MaxWrite int64
	// MaxProcesses and MaxMemory end the whole process tree when it has more concurrent processes, or more bytes of memory, at a
	// periodic check; 0 means DefaultProcesses and DefaultMemory. Only Linux supports them.
	MaxProcesses int
	MaxMemory    int64
	// Background gives the command a low priority, if the system can: on Unix, by its nice value.
	Background bool
	// OnOutput receives stdout as it is written, even beyond MaxOutput; nil receives nothing. It must not block, or keep its argument.
	OnOutput func(part []byte)
}

// The default limits of a command.
const (
	DefaultTimeout   = 2 * time.Minute
	DefaultMaxOutput = 5 << 20
)

// Result is the end of a started process. An exit code other than 0 is a result, not an error.
type Result struct {
	ExitCode  int // -1 if a signal ended the process
	Stdout    []byte
	Stderr    []byte
	Truncated bool // output exceeded the limit
	TimedOut  bool
	Overflow  bool // it was ended because it wrote more than MaxWrite
	// Exceeded reports which of MaxProcesses and MaxMemory ended it, and which setting raises the limit; it follows the name of the
	// program. Usually empty.
	Exceeded string
	Elapsed  time.Duration
	Layers   Layers // of the command's jail
}

// Runner starts commands. Run blocks until the process and all its children have ended. The error is
// *NotStartedError without a process, ctx.Err() if the caller cancelled, otherwise nil.
type Runner interface {
	Run(ctx context.Context, c Command) (Result, error)
}

// Finder is a Runner that can search for a program without starting it. The error is a *NotStartedError, as of Run.
type Finder interface {
	Find(c Command) error
}
