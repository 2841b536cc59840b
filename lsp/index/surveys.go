package index

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/lsp/editor"
	"forge/lsp/transport"
)

var errNoAtlas = errors.New("this server was started without an index, so it cannot search a folder")

// Surveys are what the server knows of the workspace folders. A folder is read when somebody first asks about it, never
// before: a session without a search costs nothing.
type Surveys struct {
	atlas   func(ctx context.Context, root string) (Atlas, error) // nil is a server that searches no folders
	docs    *editor.Documents
	session *editor.Session
	client  *transport.Client
	work    *transport.Tasks
	now     func() time.Time
	log     *slog.Logger

	mu       sync.Mutex         // guards what follows
	byRoot   map[string]*survey // by the path of the folder
	watching bool               // the client was asked to report changed files
}

// NewSurveys returns surveys of no folders yet. atlas opens what is known of a folder; nil is a server that searches none.
func NewSurveys(
	atlas func(ctx context.Context, root string) (Atlas, error), f *editor.Folders, c *transport.Client, work *transport.Tasks, now func() time.Time, log *slog.Logger,
) *Surveys {
	return &Surveys{
		atlas: atlas, docs: f.Docs, session: f.Session, client: c, work: work, now: now, log: log, byRoot: map[string]*survey{},
	}
}

// of returns what is known of a folder, up to date with what was typed and saved until now. The first call begins to
// read it; the atlas answers with what it has so far.
func (all *Surveys) of(ctx context.Context, folder editor.Folder) (Atlas, error) {
	if all.atlas == nil {
		return nil, errNoAtlas
	}
	s, fresh := all.reserve(folder)
	if fresh {
		all.watchFiles()
		all.work.Run("index of "+folder.Name, func(ctx context.Context) { all.open(ctx, s) })
	}
	select {
	case <-s.ready:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if s.err != nil {
		return nil, s.err
	}
	if !all.session.Features().Watch {
		s.suspect(all.now())
	}
	return s.atlas, s.handOver(ctx)
}

// reserve returns the survey of a folder; fresh is true for the caller that must open it.
func (all *Surveys) reserve(folder editor.Folder) (s *survey, fresh bool) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if s = all.byRoot[folder.Path]; s != nil {
		return s, false
	}
	s = newSurvey(folder, all.docs, all.now())
	all.byRoot[folder.Path] = s
	return s, true
}

// open opens an atlas, and then shows how far it is. One that cannot be opened is forgotten, so that the next question tries again.
func (all *Surveys) open(ctx context.Context, s *survey) {
	s.err = errNoAtlas // stays only if what follows panics
	defer s.settle()
	defer func() {
		if s.err != nil {
			all.forget(s)
		}
	}()
	s.atlas, s.err = all.atlas(ctx, s.folder.Path)
	if s.err == nil && all.session.Features().Progress {
		all.work.Run("progress of "+s.folder.Name, func(ctx context.Context) { s.showProgress(ctx, all.client) })
	}
}

func (all *Surveys) forget(s *survey) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.byRoot, s.folder.Path)
}

// Mark remembers that a document changed. It runs on the read loop at every key, and costs next to nothing: what is
// typed is handed over when somebody asks.
func (all *Surveys) Mark(u uri.URI, what editor.BufferEvent) {
	all.mu.Lock()
	defer all.mu.Unlock()
	for _, s := range all.byRoot {
		s.mark(u, what)
	}
}

// watchFiles asks the client once, if the client can, to report every file that changes. It does not wait.
func (all *Surveys) watchFiles() {
	all.mu.Lock()
	asked := all.watching
	all.watching = true
	all.mu.Unlock()
	if asked || !all.session.Features().Watch {
		return
	}
	all.work.Run("watch files", func(ctx context.Context) {
		options, err := protocol.Marshal(&protocol.DidChangeWatchedFilesRegistrationOptions{
			Watchers: []protocol.FileSystemWatcher{{GlobPattern: protocol.Pattern("**/*")}},
		})
		if err == nil {
			err = all.client.RegisterCapability(ctx, &protocol.RegistrationParams{Registrations: []protocol.Registration{{
				ID: "forge/files", Method: protocol.MethodWorkspaceDidChangeWatchedFiles, RegisterOptions: options,
			}}})
		}
		if err != nil {
			all.log.Info("the client does not report changed files; those saved here are read again", "why", err)
		}
	})
}

// DidChangeFiles handles workspace/didChangeWatchedFiles. Files are read again at once, so that the next answer need not
// wait for many of them.
func (all *Surveys) DidChangeFiles(_ context.Context, p *protocol.DidChangeWatchedFilesParams) {
	for _, s := range all.list() {
		for _, change := range p.Changes {
			s.mark(change.URI, editor.Saved)
		}
		all.work.Run("changed files", s.catchUp)
	}
}

func (all *Surveys) list() []*survey {
	all.mu.Lock()
	defer all.mu.Unlock()
	return slices.Collect(maps.Values(all.byRoot))
}
