package index

import (
	"context"
	"sync"
	"time"

	"go.lsp.dev/uri"

	"forge/lsp/editor"
)

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
