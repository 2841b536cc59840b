package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"time"

	"forge/internal/failpoint"
)

// Options are the dependencies of a Runner.
type Options struct {
	// Environ is the source of allow-listed variables ("NAME=value"), os.Environ() in a program. Programs
	// are looked up on its PATH.
	Environ []string
}

// New returns a Runner for this machine. On Linux a process and all its children run in their own PID
// namespace if the kernel permits it (with a user namespace if Forge is not root): the kernel ends all
// of them with the first process, including children that called setsid, and even if Forge itself is
// killed. The first command finds out whether it is permitted. Otherwise, and on other systems, a tree
// is ended by process group; on Linux also by parentage and by a mark in the environment, which finds setsid children that kept it.
//
// In a PID namespace the process is number 1: a signal to itself without a handler is ignored, as in a container without an init.
func New(o Options) Runner { return &runner{environ: o.Environ} }

type runner struct {
	environ []string
	plain   atomic.Pointer[error] // why namespaces were refused; never tried again
}

// Run starts c and blocks until it, and all its children, have ended.
func (r *runner) Run(ctx context.Context, c Command) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	cmd, err := r.command(c)
	if err != nil {
		return Result{}, err
	}
	var p *policy
	if c.Jail != nil && failpoint.Armed(FailpointUnconfined) {
		return Result{}, notStarted(c, &UnconfinedError{Reason: "its sandbox was taken away for a test"})
	}
	if c.Jail != nil {
		if p, err = policyOf(c.Jail, cmd, r.environ); err != nil {
			return Result{}, &NotStartedError{Name: c.Argv[0], Reason: fmt.Sprintf("it could not be kept from your files (%v)", err), Err: err}
		}
		defer p.remove()
	}
	return ownThread(func() (Result, error) { return r.run(ctx, c, cmd, p) })
}

// ownThread runs a function in a dedicated thread: the kernel ends a process with the thread that started it.
func ownThread(do func() (Result, error)) (Result, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return do()
}

// run starts cmd in the calling thread, and waits for it.
func (r *runner) run(ctx context.Context, c Command, cmd *exec.Cmd, p *policy) (Result, error) {
	pipes, err := connect(c, cmp.Or(c.MaxOutput, DefaultMaxOutput))
	if err != nil {
		return Result{}, &NotStartedError{Name: c.Argv[0], Reason: fmt.Sprintf("no pipe could be made (%v)", err), Err: err}
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = pipes.theirs[0], pipes.theirs[1], pipes.theirs[2]

	start := time.Now()
	tree, layers, err := r.start(*cmd, cmp.Or(c.Timeout, DefaultTimeout), p)
	if err != nil {
		pipes.abandon()
		return Result{Layers: layers}, notStarted(c, err)
	}
	if c.Background {
		tree.giveWay()
	}
	pipes.out.heard = c.OnOutput
	pipes.serve()
	watched, unwatch := watch(ctx, looksAt(c, tree)...)
	killed := await(watched, cmp.Or(c.Timeout, DefaultTimeout), tree)
	var cause error
	if killed {
		cause = context.Cause(watched)
	}
	unwatch()
	pipes.finish()

	result := Result{
		ExitCode: tree.state.ExitCode(), Elapsed: time.Since(start), Layers: layers, Overflow: errors.Is(cause, errOverflow),
		Stdout: pipes.out.buf.Bytes(), Stderr: pipes.err.buf.Bytes(), Truncated: pipes.out.truncated || pipes.err.truncated,
	}
	tree.place.outside(&result)
	if past, ok := errors.AsType[*exceeded](cause); ok {
		result.Exceeded = past.text
	}
	result.TimedOut = killed && cause == nil
	if killed {
		return result, ctx.Err()
	}
	return result, nil
}

// Find reports, as a *NotStartedError, that a command's program or working directory is missing. It starts nothing.
func (r *runner) Find(c Command) error {
	_, err := r.command(c)
	return err
}

// looksAt returns the checks of a command.
func looksAt(c Command, t *tree) []look {
	looks := []look{boundsOf(c).look(t)}
	if c.MaxWrite > 0 {
		looks = append(looks, lookAtDisk(c.Dir, c.MaxWrite))
	}
	return looks
}

// command checks c and converts it for os/exec.
func (r *runner) command(c Command) (*exec.Cmd, error) {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return nil, &NotStartedError{Reason: "no program was named"}
	}
	name := c.Argv[0]
	if !filepath.IsAbs(c.Dir) {
		return nil, &NotStartedError{Name: name, Reason: fmt.Sprintf("the working directory %q is not an absolute path", c.Dir)}
	}
	if info, err := os.Stat(c.Dir); err != nil || !info.IsDir() {
		return nil, &NotStartedError{Name: name, Reason: fmt.Sprintf("the working directory %s is not a folder; was it removed?", c.Dir)}
	}
	path, err := find(name, c.Dir, lookup(r.environ, "PATH"))
	if err != nil {
		return nil, err
	}
	dir := c.Dir
	if c.Away {
		dir = filepath.VolumeName(dir) + string(filepath.Separator)
	}
	return &exec.Cmd{Path: path, Args: c.Argv, Dir: dir, Env: environment(r.environ, c.Env)}, nil
}

// await blocks until the tree has ended and is reaped. It reports whether it ended the tree, because ctx or the time was over.
func await(ctx context.Context, limit time.Duration, t *tree) (killed bool) {
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	ended := make(chan struct{})
	stop := context.AfterFunc(timed, func() {
		defer close(ended)
		t.kill()
	})
	t.wait()
	if !stop() {
		<-ended
		killed = true
	}
	// Remaining children end with the process; only then is its number released.
	t.kill()
	t.reap()
	return killed
}

func notStarted(c Command, err error) error {
	reason := fmt.Sprintf("the system refused (%v)", err)
	var cause interface{ Unwrap() error }
	if errors.As(err, &cause) && cause.Unwrap() != nil {
		reason = fmt.Sprintf("the system refused (%v)", cause.Unwrap())
	}
	return &NotStartedError{Name: c.Argv[0], Reason: reason, Err: err}
}
