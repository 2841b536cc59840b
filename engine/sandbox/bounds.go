package sandbox

import (
	"context"
	"fmt"
	"runtime"
	"time"
)

// exceeded ends a command that goes past a bound; its text says which one, and what changes it.
type exceeded struct{ text string }

func (e *exceeded) Error() string { return e.text }

// look takes a look at a command while it runs, and gives the error that ends it.
type look func(ctx context.Context) error

// How often is looked; a look may take a twentieth of the time.
const (
	lookEvery = 100 * time.Millisecond
	lookShare = 20
)

// watch returns a context that ends with the first error of a look. What ends before the first look costs nothing. stop ends the watch, and
// waits for it.
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

// again looks until there is an error, or ctx ends.
func (l look) again(ctx context.Context) error {
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
		pause = max(lookEvery, lookShare*time.Since(began))
	}
}

// The processes that a command may have at once where nothing else is said: test runners start some for each processor, and those start theirs.
const (
	leastProcesses = 512
	perProcessor   = 64
)

// DefaultProcesses is how many processes a command and all that it starts may have at once, where nothing else is said.
func DefaultProcesses() int { return max(leastProcesses, perProcessor*runtime.NumCPU()) }

// DefaultMemory is how many bytes of memory they may take together: three quarters of what this machine, or the container that Forge runs in, has;
// 0 where that is not known.
func DefaultMemory() int64 { return machineMemory() / 4 * 3 }

// usage is what a process tree takes.
type usage struct {
	processes int
	memory    int64 // bytes
}

// bounds are what a process tree may take; 0 is without a bound.
type bounds struct {
	processes int
	memory    int64
}

// boundsOf are those of a command.
func boundsOf(c Command) bounds {
	b := bounds{c.MaxProcesses, c.MaxMemory}
	if b.processes <= 0 {
		b.processes = DefaultProcesses()
	}
	if b.memory <= 0 {
		b.memory = DefaultMemory()
	}
	return b
}

// look looks at what a tree takes.
func (b bounds) look(t *tree) look {
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
