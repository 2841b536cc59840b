package lsp

import (
	"context"
	"errors"
	"os"
	"runtime"
	"syscall"
	"time"
)

// processPoll is how often the editor's process is looked for; a dead one is noticed in this time.
const processPoll = 500 * time.Millisecond

// watchProcess ends the session once the editor's process is gone: editors that crash leave pipes
// open. A pid of nil or below 1 is no process to watch.
func (s *Server) watchProcess(pid *int32) {
	if pid == nil || *pid < 1 {
		return
	}
	s.Go("watch the editor's process", func(ctx context.Context) {
		if s.waitForDeath(ctx, int(*pid)) {
			s.log.Info("the editor's process is gone", "pid", *pid)
			s.end()
		}
	})
}

// waitForDeath returns true once the process is gone, and false when ctx ends.
func (s *Server) waitForDeath(ctx context.Context, pid int) bool {
	tick := time.NewTicker(processPoll)
	defer tick.Stop()
	for s.options.ProcessAlive(pid) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

// processAlive asks the operating system. A process we may not signal is alive.
func processAlive(pid int) bool {
	process, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	defer func() { _ = process.Release() }()
	if runtime.GOOS == "windows" {
		return true // there, finding it is the test
	}
	err = process.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}
