package lsp

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"forge/api"
	"forge/api/service"
	"forge/lsp/editor"
	"forge/lsp/index"
	"forge/lsp/transport"
)

// grace is how long Serve waits for work after the session has ended.
const grace = time.Second

// Options are what a server needs from the outside. Only Engine has no useful zero value, and even
// without it a server keeps documents and answers about their symbols.
type Options struct {
	// Engine has what commands need of forge/engine; what is nil of it is missing.
	Engine Engine
	// Atlas returns what is known of a folder, one for each; it must not wait until all of it has been read. Nil is a
	// server that searches no folders.
	Atlas func(ctx context.Context, root string) (index.Atlas, error)
	// Outliner reads the symbols of documents; nil knows those of Go.
	Outliner index.Outliner
	// Model names the model a run would use, empty when there is none; nil is none.
	Model func(ctx context.Context) string
	// Models lists the models there are, and which of them does what, in a folder by its path; nil is none.
	Models func(ctx context.Context, folder string, a api.ModelsArgs) api.ModelsResult
	// ModelChecks are doctor's checks of providers and settings; nil is none.
	ModelChecks service.ModelChecks
	// Configure takes what the client's settings say of models, whenever they change; nil drops it.
	Configure func(s api.ModelSettings)
	// Version is sent to the client.
	Version string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// Log takes what the user may want to read on stderr; nil is slog.Default.
	Log *slog.Logger
	// ProcessAlive reports whether the editor's process runs; nil asks the operating system.
	ProcessAlive func(pid int) bool
	// Report takes what must not happen, such as a panic in a handler; nil is that of transport.Tasks.
	Report func(format string, args ...any)
}

func (o Options) withDefaults() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Outliner == nil {
		o.Outliner = index.GoOutliner{}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.ProcessAlive == nil {
		o.ProcessAlive = processAlive
	}
	return o
}

// Server is one session with one client. Serve makes it, runs it and ends it.
type Server struct {
	options Options
	log     *slog.Logger

	client     *transport.Client // speaks to the editor; never from the read loop
	docs       *editor.Documents // the open documents
	session    editor.Session    // what the handshake settled
	dispatcher *transport.Dispatcher
	tasks      *transport.Tasks
	stop       chan struct{} // closed by end: after exit, or when the editor's process is gone
	endOnce    sync.Once

	announcers  []announcer       // add to the answer to initialize
	initialized []func()          // run on the read loop when the client said initialized
	observers   []editor.Observer // run on the read loop after a document changed
	ending      []func() error    // run when all clients are gone
}

// Serve speaks LSP on in and out until the session ends: the client sends exit, in ends, out breaks,
// the client's process dies, or ctx is cancelled. Then it cancels what still runs, waits for it one
// second at most, and returns the exit code the protocol asks for: 0 after shutdown, else 1. It
// closes in where it can. All it may leave behind is a read of in, or writes to out, that nothing can
// interrupt; the end of the process does.
func Serve(ctx context.Context, in io.Reader, out io.Writer, o Options) (exitCode int) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	return newServer(ctx, o).serve(ctx, cancel, in, out)
}

// serve runs the session; cancel ends ctx, which is that of the whole session.
func (s *Server) serve(ctx context.Context, cancel context.CancelFunc, in io.Reader, out io.Writer) (exitCode int) {
	stream := s.dispatcher.Connect(ctx, in, out, s.client)
	s.waitForEnd(ctx, stream)
	cancel()
	s.tasks.Wait(grace)
	stream.End()
	s.tidyUp()
	return s.session.ExitCode()
}

// tidyUp removes what the session has left outside of this process.
func (s *Server) tidyUp() {
	for _, f := range s.ending {
		if err := f(); err != nil {
			s.log.Warn("cleaning up the session failed", "why", err)
		}
	}
}

func (s *Server) waitForEnd(ctx context.Context, stream *transport.Stream) {
	select {
	case <-s.stop:
	case <-stream.Ended:
	case <-stream.Broken:
		s.log.Info("the client no longer reads output")
	case <-ctx.Done():
	}
}

func newServer(ctx context.Context, o Options) *Server {
	o = o.withDefaults()
	s := &Server{
		options: o,
		log:     o.Log,
		docs:    editor.NewDocuments(),
		client:  &transport.Client{},
		tasks:   transport.NewTasks(ctx, o.Report),
		stop:    make(chan struct{}),
	}
	s.dispatcher = transport.NewDispatcher(s.tasks, s.log, s.session.Admits, s.session.Hears)
	s.register()
	return s
}

// register fills the method table. A group of methods is one file with one register function; it
// calls onRequest and onNotification, and announce for what the client must know of it.
func (s *Server) register() {
	s.registerLifecycle()
	s.registerRestriction()
	s.registerFolders()
	s.registerDocuments()
	s.registerSymbols()
	s.registerFront()
}

// Go runs f in a goroutine of the server. Its context ends with the session, or at shutdown; f must
// return soon after. A panic in f is reported and costs nothing else.
func (s *Server) Go(name string, f func(ctx context.Context)) { s.tasks.Run(name, f) }

// onInitialized has f called, on the read loop, when the client has said initialized. What talks to
// the client goes through Go.
func (s *Server) onInitialized(f func()) { s.initialized = append(s.initialized, f) }

// onDocument has f called, on the read loop and in the order of happening, after an open document
// changed.
func (s *Server) onDocument(f editor.Observer) { s.observers = append(s.observers, f) }

// atEnd has f called when the session is over.
func (s *Server) atEnd(f func() error) { s.ending = append(s.ending, f) }

// announce has f add to the capabilities that initialize returns.
func (s *Server) announce(f announcer) { s.announcers = append(s.announcers, f) }
