package index

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
	"time"

	"forge/codeintel"
)

// store keeps on disk what the keeper has found. What is written is written behind, by one goroutine, in one
// transaction for all that has come up meanwhile: a process that is killed loses the last of it, which is then read
// again. Processes that share a database write what they see of the same folder, and drop only segments they know.
//
// A failure here is no error of the index: it is noted, and the index lives in memory.
type store struct {
	options Options
	note    func(text string)
	lost    func() // the database was set aside: everything has to be written again
	wake    chan struct{}

	database *database // nil while there is none; used by load, and then by the goroutine of run alone
	asides   int       // how many databases have been set aside

	mu      sync.Mutex // guards what is below
	pending changes
	ids     map[*segment]int64 // of segments in the database
	writing bool
	gone    map[*segment]bool // segments that were dropped while something was being written
	reading *sql.DB           // the database, as far as others may read outlines from it; or nil
}

// changes are what the database does not know yet.
type changes struct {
	records  map[string]*record // nil: the path is deleted
	added    map[*segment]bool
	dropped  map[int64]bool
	outlines map[outlineKey][]byte
}

// outlineKey names an outline: the language is there because the same content can have names that say otherwise.
type outlineKey struct {
	hash     string
	language codeintel.Language
}

func newChanges() changes {
	return changes{
		records: map[string]*record{}, added: map[*segment]bool{}, dropped: map[int64]bool{}, outlines: map[outlineKey][]byte{},
	}
}

func (c *changes) empty() bool {
	return len(c.records) == 0 && len(c.added) == 0 && len(c.dropped) == 0 && len(c.outlines) == 0
}

func newStore(o Options, note func(string), lost func()) *store {
	return &store{
		options: o, note: note, lost: lost, wake: make(chan struct{}, 1),
		pending: newChanges(), ids: map[*segment]int64{}, gone: map[*segment]bool{},
	}
}

// change adds to what is to be written.
func (s *store) change(add func(*changes)) {
	if s.options.Dir == "" {
		return
	}
	s.mu.Lock()
	add(&s.pending)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *store) setRecord(path string, r record) {
	s.change(func(c *changes) {
		if r.isKept() {
			c.records[path] = &r
		} else {
			c.records[path] = nil
		}
	})
}

func (s *store) deleteRecord(path string) {
	s.change(func(c *changes) { c.records[path] = nil })
}

func (s *store) add(in *segment) {
	s.change(func(c *changes) {
		if _, ok := s.ids[in]; !ok {
			c.added[in] = true
		}
	})
}

// drop deletes a segment, or does not write it if that has not happened yet.
func (s *store) drop(in *segment) {
	if in.cover || in.firstPart != PartPath {
		return // it is not kept on disk
	}
	s.change(func(c *changes) {
		delete(c.added, in)
		if id, ok := s.ids[in]; ok {
			c.dropped[id] = true
			delete(s.ids, in)
		} else if s.writing {
			s.gone[in] = true
		}
	})
}

func (s *store) setOutline(hash string, language codeintel.Language, encoded []byte) {
	if encoded == nil {
		return
	}
	s.change(func(c *changes) { c.outlines[outlineKey{hash, language}] = encoded })
}

// retryAfter is how long the database is left alone after it could not be written.
const retryAfter = 2 * time.Second

// run writes changes until ctx ends, and then what is left.
func (s *store) run(ctx context.Context) {
	if s.options.Dir == "" {
		return
	}
	retry := time.NewTimer(0)
	defer retry.Stop()
	defer s.close()
	collected := false
	for ctx.Err() == nil {
		select {
		case <-s.wake:
		case <-retry.C:
		case <-ctx.Done():
		}
		// A transaction that has begun is finished: an interrupted one would be lost for the next start.
		if !s.write(context.WithoutCancel(ctx)) {
			retry.Reset(retryAfter)
		} else if s.database != nil && !collected {
			collected = true
			s.collect(context.WithoutCancel(ctx))
		}
	}
	s.write(context.WithoutCancel(ctx))
}

// write writes all changes, and reports whether none is left.
func (s *store) write(ctx context.Context) bool {
	s.mu.Lock()
	taken := s.pending
	s.pending, s.writing = newChanges(), true
	s.mu.Unlock()
	var added map[*segment]int64
	var err error
	if !taken.empty() {
		added, err = s.writeChanges(ctx, &taken)
	}
	s.end(taken, added, err)
	if isDamage(err) {
		s.setAside(err)
		s.lost()
		return true
	}
	if err != nil {
		s.note(fmt.Sprintf("The index cannot be written to %s: it is kept in memory, and writing is tried again (%v).", s.options.Dir, err))
	}
	return err == nil
}

// end records what has happened while changes were being written. Changes that could not be written are queued again.
func (s *store) end(taken changes, added map[*segment]int64, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !isDamage(err) {
		taken.update(s.pending)
		s.pending = taken
	}
	for in, id := range added {
		s.ids[in] = id
	}
	for in := range s.gone {
		delete(s.pending.added, in)
		if id, ok := s.ids[in]; ok {
			s.pending.dropped[id] = true
			delete(s.ids, in)
		}
	}
	clear(s.gone)
	s.writing = false
	if s.database != nil {
		s.reading = s.database.pool
	}
}

// update adds changes that were made later.
func (c *changes) update(later changes) {
	for path, r := range later.records {
		c.records[path] = r
	}
	for in := range later.added {
		c.added[in] = true
	}
	for id := range later.dropped {
		c.dropped[id] = true
	}
	for key, encoded := range later.outlines {
		c.outlines[key] = encoded
	}
}
