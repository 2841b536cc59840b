package index

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"forge/codeintel"
)

// outlining parses files for the keeper: it is a queue of jobs, and of results, with goroutines between them. The
// job that came last is done first: that is what the user works on.
type outlining struct {
	options Options
	folder  *folder
	store   *store
	inbox   *inbox // is rung when there are results

	mu      sync.Mutex // guards what is below
	more    sync.Cond  // something was added to jobs, or closed was set
	jobs    []*job
	running int
	results []outlined
	closed  bool
}

// job asks for the outline of a file.
type job struct {
	file  *file
	stale atomic.Bool // the file has changed since: no one waits for the result
}

// outlined is the result of a job.
type outlined struct {
	job     *job
	outline *codeintel.Outline // nil if the file is not any more what was indexed
	encoded []byte             // to be kept on disk; nil if it need not be
}

func newOutlining(o Options, in *folder, s *store, b *inbox) *outlining {
	p := &outlining{options: o, folder: in, store: s, inbox: b}
	p.more.L = &p.mu
	return p
}

// run does jobs until close. Several goroutines may call it.
func (p *outlining) run(ctx context.Context) {
	for {
		j := p.next()
		if j == nil {
			return
		}
		result := outlined{job: j}
		if !j.stale.Load() {
			result.outline, result.encoded = p.outline(ctx, j.file)
		}
		p.end(result)
	}
}

func (p *outlining) next() *job {
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.jobs) == 0 && !p.closed {
		p.more.Wait()
	}
	if p.closed {
		return nil
	}
	j := p.jobs[len(p.jobs)-1]
	p.jobs = p.jobs[:len(p.jobs)-1]
	p.running++
	return j
}

func (p *outlining) end(result outlined) {
	p.mu.Lock()
	p.running--
	p.results = append(p.results, result)
	p.mu.Unlock()
	p.inbox.ring()
}

func (p *outlining) add(jobs ...*job) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs = append(p.jobs, jobs...)
	p.more.Broadcast()
}

// take returns the results so far, and how many jobs are left without one.
func (p *outlining) take() (results []outlined, left int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	results, p.results = p.results, nil
	return results, len(p.jobs) + p.running
}

func (p *outlining) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	p.more.Broadcast()
}

// parse asks the outliner. One that panics at a text does not end the program.
func (p *outlining) parse(ctx context.Context, language codeintel.Language, text string) (_ codeintel.Outline, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("outline: panic: %v", fault)
		}
	}()
	return p.options.Outliner.Outline(ctx, language, text)
}

func (p *outlining) outline(ctx context.Context, f *file) (*codeintel.Outline, []byte) {
	if kept, ok := p.store.outline(ctx, f.Hash, f.Language); ok {
		return &kept, nil
	}
	text, ok := p.text(f)
	if !ok {
		return nil, nil
	}
	full, err := p.parse(ctx, f.Language, text)
	if err != nil {
		return &codeintel.Outline{Language: f.Language, Broken: true}, nil // another time it may be fast enough
	}
	encoded := encodeOutline(withoutHidden(full, text, string(p.options.blank(f.Path, []byte(text)))))
	compact, err := decodeOutline(encoded)
	if err != nil {
		return &codeintel.Outline{Language: f.Language, Broken: true}, nil // its spans make no sense
	}
	if f.cover != nil {
		encoded = nil // it may never be saved
	}
	return &compact, encoded
}

func (p *outlining) text(f *file) (string, bool) {
	if f.cover != nil {
		return *f.cover, true
	}
	content, err := p.folder.read(f.Path)
	if err != nil || hashOf(content) != f.Hash {
		return "", false
	}
	return string(content), true
}
