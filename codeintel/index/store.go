package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"forge/codeintel"
)

// store keeps on disk what the keeper has found. It writes in the background, all pending changes in one transaction: a killed
// process loses the last ones, which are then read again. Processes that share a database write what they see of the same
// folder, and drop only segments they know. The methods of a store are the keeper's to call.
//
// A failure here is no error of the index: it is noted, and the index stays in memory.
type store struct {
	options  Options
	inbox    *inbox
	note     func(text string)
	lost     func()        // the database was set aside: everything has to be written again
	writing  *task[result] // what was pending
	pending  changes
	database *database // nil while there is none
	asides   int       // how many databases have been set aside
	retryAt  time.Time // after a failure
	cleaned  bool      // old outlines were deleted
}

// changes are what the database does not know yet.
type changes struct {
	records  map[string]record // by path; a record that is not kept deletes what there is
	segments map[*segment]bool // false: deleted
	outlines map[outlineKey][]byte
}

// outlineKey names an outline: the language is there because the same content can have names of other languages.
type outlineKey struct {
	hash     string
	language codeintel.Language
}

func newChanges() changes {
	return changes{map[string]record{}, map[*segment]bool{}, map[outlineKey][]byte{}}
}

func newStore(x *Index, o Options, note func(string), lost func()) *store {
	return &store{options: o, inbox: x.inbox, note: note, lost: lost, writing: newTask[result](x), pending: newChanges()}
}

// setRecord notes what is known of a path; the zero record is that of a path that is gone.
func (s *store) setRecord(path string, r record) { s.pending.records[path] = r }

func (s *store) add(in *segment) {
	if in.id == 0 {
		in.id = rand.Int64() // other processes add segments, too
	}
	s.pending.segments[in] = true
}

// drop deletes a segment, if it is kept on disk.
func (s *store) drop(in *segment) {
	if in.id != 0 {
		s.pending.segments[in] = false
	}
}

func (s *store) setOutline(key outlineKey, encoded []byte) {
	if encoded != nil {
		s.pending.outlines[key] = encoded
	}
}

// retryAfter is how long the database is left alone after it could not be written.
const retryAfter = 2 * time.Second

// maxAsides is how many databases a process sets aside, before it takes the disk for broken.
const maxAsides = 3

// result is what became of changes.
type result struct {
	changes
	database *database
	err      error
}

// step starts to write what is pending, unless something is being written.
func (s *store) step(ctx context.Context) {
	if r, ok := s.writing.take(); ok {
		s.end(r)
	}
	if s.writing.busy || !s.isDue() || time.Now().Before(s.retryAt) {
		return
	}
	write := s.begin(ctx)
	s.writing.start(write)
}

// isDue reports whether there is anything to write.
func (s *store) isDue() bool {
	if s.options.Dir == "" {
		s.pending = newChanges()
	}
	return len(s.pending.records)+len(s.pending.segments)+len(s.pending.outlines) > 0 || s.database != nil && !s.cleaned
}

// begin takes what is pending, and returns what writes it. A transaction that has begun is finished: an interrupted one would
// be lost for the next start.
func (s *store) begin(ctx context.Context) func() result {
	r, clean, broken := result{changes: s.pending, database: s.database}, !s.cleaned, s.asides >= maxAsides
	s.pending, s.cleaned = newChanges(), true
	ctx = context.WithoutCancel(ctx)
	return func() result {
		if broken {
			r.err = errors.New("it was damaged again and again")
			return r
		}
		if r.database == nil {
			if r.database, r.err = openDatabase(s.options.Dir, writeWait); r.err != nil {
				return r
			}
		}
		today := day(s.options.Now())
		r.err = r.database.write(ctx, &r.changes, s.options.OutlinerVersion, today)
		if r.err == nil && clean {
			r.database.clean(ctx, today)
		}
		return r
	}
}

// end notes what became of changes. Those that could not be written are pending again.
func (s *store) end(r result) {
	s.database = r.database
	switch {
	case r.err == nil:
		return
	case isDamage(r.err):
		s.setAside(r.err)
		s.lost()
		return
	}
	maps.Copy(r.records, s.pending.records)
	maps.Copy(r.segments, s.pending.segments)
	maps.Copy(r.outlines, s.pending.outlines)
	s.pending, s.cleaned = r.changes, false
	s.note(fmt.Sprintf("The index cannot be written to %s: it is kept in memory, and writing is tried again (%v).", s.options.Dir, r.err))
	s.retryAt = time.Now().Add(retryAfter)
	time.AfterFunc(retryAfter, s.inbox.ring)
}

// close writes what is left.
func (s *store) close(ctx context.Context) {
	if s.writing.busy {
		s.end(s.writing.wait())
	}
	if s.isDue() {
		s.end(s.begin(ctx)())
	}
	s.closeDatabase()
}

// load reads what is known of files, and their words. It is empty when nothing is kept on disk, or nothing that is
// of use.
func (s *store) load(ctx context.Context) (records map[string]record, segments []*segment) {
	if s.options.Dir == "" {
		return nil, nil
	}
	if _, err := os.Stat(filepath.Join(s.options.Dir, databaseName)); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var err error
	if s.database, err = openDatabase(s.options.Dir, loadWait); err == nil {
		records, segments, err = s.database.load(ctx)
	}
	switch {
	case err == nil:
		return records, segments
	case isDamage(err):
		s.setAside(err)
	default:
		s.closeDatabase()
		s.note(fmt.Sprintf("The index in %s cannot be read, all files are read again (%v).", s.options.Dir, err))
	}
	return nil, nil
}

// setAside moves away a database that is no longer usable.
func (s *store) setAside(reason error) {
	s.asides++
	old := s.database
	s.closeDatabase()
	if err := old.setAside(); err != nil {
		reason = errors.Join(reason, err)
	}
	s.note(fmt.Sprintf("The index in %s was of no use and is rebuilt (%v).", s.options.Dir, reason))
}

func (s *store) closeDatabase() {
	if s.database != nil {
		s.database.pool.Close() //nolint:errcheck // what was committed stays, even if this fails
	}
	s.database = nil
}
