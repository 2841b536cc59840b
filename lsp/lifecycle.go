package lsp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"go.lsp.dev/protocol"

	"forge/lsp/editor"
	"forge/lsp/transport"
)

// announcer adds to the capabilities of the server.
type announcer func(c *protocol.ServerCapabilities)

func (s *Server) registerLifecycle() {
	s.dispatcher.Inline(protocol.MethodInitialize, s.initialize)
	s.dispatcher.Inline(protocol.MethodShutdown, s.shutdown)
	transport.OnNotification(s.dispatcher, protocol.MethodInitialized, s.clientIsReady)
	transport.OnNotification(s.dispatcher, protocol.MethodExit, func(context.Context, *transport.NoParams) { s.end() })
}

// initialize settles the session. It does no work: editors wait for it before they show a file.
func (s *Server) initialize(params []byte) (any, error) {
	p, err := transport.Decode[protocol.InitializeParams](params)
	if err != nil {
		return nil, err
	}
	s.session.Begin(p)
	s.restrictFrom(p)
	s.docs.Unit = chooseEncoding(p)
	s.watchProcess(p.ProcessID)
	s.session.Enter(editor.Running)

	result := &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "forge", Version: protocol.NewOptional(s.options.Version)},
	}
	result.Capabilities.PositionEncoding = s.docs.Unit
	for _, add := range s.announcers {
		add(&result.Capabilities)
	}
	return result, nil
}

// clientIsReady handles initialized.
func (s *Server) clientIsReady(context.Context, *transport.NoParams) {
	for _, f := range s.initialized {
		f()
	}
}

// shutdown cancels the work of the session. Requests that are being answered are answered; new ones
// are not.
func (s *Server) shutdown([]byte) (any, error) {
	s.session.Enter(editor.Shutdown)
	s.tasks.Cancel()
	return nil, nil
}

// chooseEncoding returns the first of the client's encodings that Forge knows, which is all of LSP's.
func chooseEncoding(p *protocol.InitializeParams) editor.Encoding {
	if general := p.Capabilities.General; general != nil {
		for _, offered := range general.PositionEncodings {
			switch offered {
			case protocol.PositionEncodingKindUTF8, protocol.PositionEncodingKindUTF16, protocol.PositionEncodingKindUTF32:
				return offered
			}
		}
	}
	return protocol.PositionEncodingKindUTF16
}

// end lets Serve return.
func (s *Server) end() { s.endOnce.Do(func() { close(s.stop) }) }

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

// processAlive asks the operating system. A process we may not signal is alive, and one that has ended is not, although its parent has not waited
// for it yet.
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
	return (err == nil || errors.Is(err, os.ErrPermission)) && !isZombie(pid)
}

// isZombie reports whether a process of Linux has ended. Its state follows its name, which is in parentheses and may contain anything.
func isZombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	state := bytes.TrimSpace(text[bytes.LastIndexByte(text, ')')+1:])
	return bytes.HasPrefix(state, []byte("Z")) || bytes.HasPrefix(state, []byte("X"))
}

// ServeStdio is Serve on the process's own standard streams, which is how editors start a server, and
// with the process's signals: SIGTERM and SIGINT end the session in order. It is called once, by main.
//
// Invariant: stdout carries frames and nothing else. What any package prints there by mistake goes to
// stderr from here on.
func ServeStdio(ctx context.Context, o Options) (exitCode int) {
	out := os.Stdout
	os.Stdout = os.Stderr

	// A client that closes our stdout must be an error of a write. The signal that comes with it would
	// end the process before its work is wound up. Notified, unlike ignored, is not inherited by children.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)

	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as under nohup
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(ctx, ends...)
	defer stop()
	return Serve(ctx, os.Stdin, out, o)
}
