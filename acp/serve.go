package acp

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	sdk "github.com/coder/acp-go-sdk"

	"forge/engine"
)

// Options are what the front needs from the outside.
type Options struct {
	Engine *engine.Engine
	// Usual returns the mode and the domain of the user's settings for a folder; nil means none.
	Usual func(ctx context.Context, folder string) (mode, domain string)
	// Version is that of the program.
	Version string
	// Patience is how long the client may take to read or write a file; 0 means 20 seconds.
	Patience time.Duration
	// Log receives what the user may want to read on stderr; nil is slog.Default.
	Log *slog.Logger
}

// grace is how long Serve waits for turns after the session has ended. The engine interrupts what still works then.
const grace = 2 * time.Second

// ServeStdio is Serve on the streams of the process. It is called once, by main.
//
// Invariant: stdout carries messages and nothing else. Other output to it goes to stderr.
func ServeStdio(ctx context.Context, o Options) {
	out := os.Stdout
	os.Stdout = os.Stderr
	// A client that closes our stdout must be an error of a write: the signal would end the process before its work is wound up.
	pipe := make(chan os.Signal, 1)
	signal.Notify(pipe, syscall.SIGPIPE)
	defer signal.Stop(pipe)
	Serve(ctx, os.Stdin, out, o)
}

// Serve answers one client until it disconnects, its output breaks, or ctx ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a := &agent{
		options: o, log: cmp.Or(o.Log, slog.Default()), patience: cmp.Or(o.Patience, 20*time.Second), ending: ctx,
		out: &outlet{w: out, broken: make(chan struct{}), after: map[string]func(){}}, sessions: map[sdk.SessionId]*session{},
	}
	ready := make(chan struct{})
	a.conn = sdk.NewAgentSideConnection(a, a.out, &inlet{ready, in})
	a.conn.SetLogger(quiet(a.log))
	close(ready)
	select {
	case <-a.conn.Done():
	case <-a.out.broken:
	case <-ctx.Done():
	}
	cancel()
	ended := make(chan struct{})
	go func() {
		a.close()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(grace): // a client that does not read blocks what is written to it
	}
}

// quiet returns a logger for the connection. It omits the messages themselves, which may contain secrets.
func quiet(log *slog.Logger) *slog.Logger { return slog.New(withoutText{log.Handler()}) }

// withoutText is a handler of records that drops the attribute "raw".
type withoutText struct{ slog.Handler }

// Handle passes on warnings and errors without the text of messages.
func (h withoutText) Handle(ctx context.Context, r slog.Record) error {
	if r.Level < slog.LevelWarn {
		return nil
	}
	clean := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "raw" {
			clean.AddAttrs(a)
		}
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

// inlet is the input of the connection, which waits until the agent is complete.
type inlet struct {
	ready <-chan struct{}
	io.Reader
}

// Read reads once the agent is complete.
func (i *inlet) Read(p []byte) (int, error) {
	<-i.ready
	return i.Reader.Read(p)
}

// outlet is the output of the connection. It reports that the client has stopped reading, and that it was sent a message: a new
// session can only be told more once its id was sent.
type outlet struct {
	w      io.Writer
	broken chan struct{} // closed by the first write that fails
	once   sync.Once

	mu    sync.Mutex
	after map[string]func() // by a text that the awaited message contains; guarded by mu
}

// Write writes one message. The connection calls it for one message at a time.
func (o *outlet) Write(message []byte) (int, error) {
	n, err := o.w.Write(message)
	if err != nil {
		o.once.Do(func() { close(o.broken) })
		return n, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for text, do := range o.after {
		if bytes.Contains(message, []byte(text)) {
			delete(o.after, text)
			do()
		}
	}
	return n, nil
}

// afterMessage has do called after the first message that contains a text. It must not wait for the connection.
func (o *outlet) afterMessage(text string, do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.after[text] = do
}
