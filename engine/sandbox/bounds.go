package sandbox

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"time"
)

// exceeded ends a command that exceeds a limit; its text names the limit, and how to raise it.
type exceeded struct{ text string }

func (e *exceeded) Error() string { return e.text }

// look checks a running command, and returns the error that ends it.
type look func(ctx context.Context) error

// The interval of checks; a check may take a twentieth of the time.
const (
	lookEvery = 100 * time.Millisecond
	lookShare = 20
)

// watch returns a context that ends with the first error of a check. A command that ends before the first check costs nothing. stop
// ends the watch, and waits for it.
func watch(ctx context.Context, looks ...look) (watched context.Context, stop func()) {
	watched, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	for _, l := range looks {
		go func() {
			defer func() { done <- struct{}{} }()
			if err := l.again(watched); err != nil {
				cancel(err)
			}
		}()
	}
	return watched, func() {
		cancel(nil)
		for range looks {
			<-done
		}
	}
}

// again repeats the check until there is an error, or ctx ends.
func (l look) again(ctx context.Context) error {
	last := lookEvery / lookShare // the time that the previous check took
	for pause := lookEvery; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pause):
		}
		began := time.Now()
		if err := l(ctx); err != nil {
			return err
		}
		took := time.Since(began)
		pause = max(lookEvery, lookShare*min(took, last)) // one that was only interrupted does not put off the next
		last = took
	}
}

// The default limit of processes for a command: test runners start some for each processor, and those start their own.
const (
	leastProcesses = 512
	perProcessor   = 64
)

// DefaultProcesses returns the default limit of concurrent processes of a command with its children.
func DefaultProcesses() int { return max(leastProcesses, perProcessor*runtime.NumCPU()) }

// DefaultMemory returns the default limit of their memory in bytes: three quarters of that of this machine, or of the container
// that Forge runs in; 0 if unknown.
func DefaultMemory() int64 { return machineMemory() / 4 * 3 }

// usage is the resource usage of a process tree.
type usage struct {
	processes int
	memory    int64 // bytes
}

// boundsOf returns the most that the process tree of a command may use; 0 bytes is unlimited.
func boundsOf(c Command) usage {
	return usage{cmp.Or(c.MaxProcesses, DefaultProcesses()), cmp.Or(c.MaxMemory, DefaultMemory())}
}

// look checks that a tree uses no more.
func (b usage) look(t *tree) look {
	return func(context.Context) error {
		now := t.usage()
		switch {
		case now.processes > b.processes:
			return &exceeded{fmt.Sprintf("it had %d processes at once and may have %d; sandbox.processes in your settings raises that", now.processes, b.processes)}
		case b.memory > 0 && now.memory > b.memory && t.memory() > b.memory:
			return &exceeded{fmt.Sprintf("it took more than %d MiB of memory; sandbox.memory in your settings raises that", b.memory>>20)}
		}
		return nil
	}
}
