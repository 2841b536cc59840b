package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"forge/api/service"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
	"forge/engine/atlas"
	"forge/internal/inert"
	"forge/lsp/editor"
	"forge/lsp/transport"
)

var errNoAtlas = errors.New("this server was started without an index, so it cannot search a folder")

// Surveys are what the server knows of the workspace folders. A folder is read when the client first asks about it, never
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
// typed is handed over when the client asks.
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

// survey is the atlas of one folder, and the changes that it has not received yet.
type survey struct {
	folder editor.Folder
	docs   *editor.Documents
	ready  chan struct{} // closed when atlas and err are settled
	atlas  Atlas
	err    error
	turn   chan struct{} // holds a token while something is handed over: an older text must not come after a newer one

	mu     sync.Mutex       // guards what follows
	typed  map[uri.URI]bool // documents that were opened, changed or closed
	disk   map[uri.URI]bool // files that changed on disk
	looked time.Time        // when all files were looked at last
}

// newSurvey returns a survey that has received nothing yet, including the documents that are open now.
func newSurvey(folder editor.Folder, docs *editor.Documents, now time.Time) *survey {
	s := &survey{
		folder: folder, docs: docs, ready: make(chan struct{}), turn: make(chan struct{}, 1),
		typed: map[uri.URI]bool{}, disk: map[uri.URI]bool{}, looked: now,
	}
	for _, d := range docs.Snapshot() {
		s.typed[d.URI] = true
	}
	return s
}

func (s *survey) settle() { close(s.ready) }

// mark remembers what is new of a document or file, until it is handed over.
func (s *survey) mark(u uri.URI, what editor.BufferEvent) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if what != editor.Saved {
		s.typed[u] = true
	}
	if what == editor.Saved || what == editor.Closed {
		s.disk[u] = true
	}
}

// catchUp hands over what is new, as soon as there is an atlas to take it.
func (s *survey) catchUp(ctx context.Context) {
	select {
	case <-s.ready:
	case <-ctx.Done():
		return
	}
	if s.err == nil {
		_ = s.handOver(ctx) // fails only when the session ends
	}
}

// lookAgainAfter is the age at which an answer is checked again if no client reports changed files.
const lookAgainAfter = 5 * time.Second

// suspect has the atlas look at all files again if it has not done so for long: for clients that do not report changed
// files.
func (s *survey) suspect(now time.Time) {
	s.mu.Lock()
	due := now.Sub(s.looked) >= lookAgainAfter
	if due {
		s.looked = now
	}
	s.mu.Unlock()
	if due {
		s.atlas.Changed()
	}
}

// handOver sends the atlas what has changed since the last call. When it returns without an error, the atlas knows
// every change made before the call. The error is that of ctx.
func (s *survey) handOver(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		defer func() { <-s.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	typed, disk := s.take()
	if paths := s.inside(disk); len(paths) > 0 {
		s.atlas.Changed(paths...)
	}
	for u := range typed {
		s.cover(u)
	}
	return nil
}

func (s *survey) take() (typed, disk map[uri.URI]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	typed, disk = s.typed, s.disk
	s.typed, s.disk = map[uri.URI]bool{}, map[uri.URI]bool{}
	return typed, disk
}

func (s *survey) inside(uris map[uri.URI]bool) []string {
	var paths []string
	for u := range uris {
		if path, inside := s.path(u); inside {
			paths = append(paths, path)
		}
	}
	return paths
}

// path is a file's path in the folder, and false for what is not inside.
func (s *survey) path(u uri.URI) (string, bool) {
	return editor.PathIn(s.folder, string(u))
}

// cover sends the atlas the current text of a document.
func (s *survey) cover(u uri.URI) {
	path, inside := s.path(u)
	if !inside {
		return
	}
	if d, open := s.docs.Document(u); open {
		s.atlas.Cover(path, d.Text)
		return
	}
	s.atlas.Uncover(path)
}

// showProgress shows how much of the folder has been read, until all of it has been or the session ends: one begin,
// reports, exactly one end; and nothing at all for a folder that is read before there would be a report.
func (s *survey) showProgress(ctx context.Context, c editor.ProgressClient) {
	tick := time.NewTicker(editor.ReportEvery)
	defer tick.Stop()
	if now, ended := s.look(ctx, tick); ended || now.Complete {
		return
	}
	token := "forge/index/" + s.folder.Path
	create, cancel := context.WithTimeout(ctx, editor.CreateWithin)
	defer cancel()
	if c.WorkDoneProgressCreate(create, token) != nil {
		return
	}
	deliver := context.WithoutCancel(ctx)                             // the end is sent also when the session is ending
	send := func(value any) { _ = c.Progress(deliver, token, value) } // a client that is gone needs no progress
	zero := uint32(0)
	send(&protocol.WorkDoneProgressBegin{Kind: "begin", Title: "Forge: reading " + inert.OneLine(s.folder.Name, 60), Percentage: &zero})
	last := s.report(ctx, tick, send)
	send(&protocol.WorkDoneProgressEnd{Kind: "end", Message: &last})
}

// report reports what has changed, at most once in reportEvery, and returns the last message.
func (s *survey) report(ctx context.Context, tick *time.Ticker, send func(any)) string {
	sent, percentage := "", uint32(0)
	for {
		now, ended := s.look(ctx, tick)
		switch {
		case ended:
			return "the session ends"
		case now.Complete:
			return fmt.Sprintf("%d files", now.Total)
		}
		message := fmt.Sprintf("%d of %d files", now.Indexed, now.Total)
		percentage = max(percentage, uint32(99*now.Indexed/max(now.Total, 1))) // which never falls
		if message != sent {
			sent = message
			send(&protocol.WorkDoneProgressReport{Kind: "report", Message: &message, Percentage: &percentage})
		}
	}
}

// look returns the state of the atlas at the next tick, or that the session ends.
func (s *survey) look(ctx context.Context, tick *time.Ticker) (now atlas.Status, ended bool) {
	select {
	case <-tick.C:
		return s.atlas.Status(), false
	case <-ctx.Done():
		return atlas.Status{}, true
	}
}

// Atlas is what the server needs of forge/engine/atlas: what is known of one folder. It may be used by several
// goroutines.
type Atlas interface {
	service.Index
	// Context and Imports answer at once with what is known so far.
	Context(ctx context.Context, q search.Query, budget int) (repomap.Pack, error)
	Imports(ctx context.Context, path string, depth int) (atlas.Imports, error)
	// Cover lets a text replace what is on disk, until Uncover.
	Cover(path, text string)
	Uncover(path string)
	// Changed reports that files on disk, or folders, were made, changed or removed; without paths, that any may have been.
	Changed(paths ...string)
}
