package index

import (
	"context"
	"runtime/debug"
	"slices"
)

// keeper owns what the index knows. All of its methods are called by one goroutine.
type keeper struct {
	*Index
	options   Options
	store     *store
	outlining *outlining

	listed map[string]bool   // what the source said last
	known  map[string]record // by path: what was found on disk
	err    error             // of the last refresh

	segments []*segment       // that were kept on disk, until the first refresh
	loaded   map[string]place // by path: where a file stands in them
	disk     map[string]*file // by path: the files on disk that are indexed
	covers   map[string]cover // by path
	live     map[*segment]int // how many documents of a segment count; one without any is not in here

	pending   map[string]bool // paths whose words are to be read
	queue     []string        // pending, in the order of reading, when it has as many paths
	awaited   int             // how many at the beginning of the queue somebody waits for
	inverters []*inverter     // one for each worker, as long as anything is pending

	wanting map[*file]bool // files whose outline is not asked for yet
	jobs    map[*file]*job // outlines that are asked for
	fresh   []string       // paths whose outline has come since the last view

	files    []*file         // of the last view, by path
	dirty    map[string]bool // paths that have changed since the last view
	came     bool            // what somebody waits for was read
	urgent   bool            // not only outlines have changed since the last view
	reasons  bool            // what is skipped has changed since the last view
	garbage  int             // bytes of the files that have been read since memory was given back
	partial  bool            // the last view was made while paths were pending
	restored bool            // outlines that are kept on disk have been loaded
}

// record is what was found at a path on disk.
type record struct {
	stamp
	seen   int64  // when it was looked at, in nanoseconds of Unix time
	hash   string // empty if the file is skipped
	reason Reason // why it is skipped
}

// cover is a text that stands for a file.
type cover struct {
	file   *file // nil if the text is skipped
	reason Reason
}

func newKeeper(x *Index, o Options) *keeper {
	k := &keeper{
		Index: x, options: o, partial: true,
		listed: map[string]bool{}, known: map[string]record{}, loaded: map[string]place{},
		disk: map[string]*file{}, covers: map[string]cover{}, live: map[*segment]int{},
		pending: map[string]bool{}, wanting: map[*file]bool{}, jobs: map[*file]*job{}, dirty: map[string]bool{},
	}
	k.store = newStore(o, k.note, func() { x.inbox.put(func(r *requests) { r.save = true }) })
	k.outlining = newOutlining(o, x.folder, k.store, x.inbox)
	return k
}

// note tells people of something that went wrong and was got over.
func (k *keeper) note(text string) {
	k.move(func(s *state) {
		if !slices.Contains(s.Notes, text) {
			s.Notes = append(s.Notes, text)
		}
	})
}

func (k *keeper) run(ctx context.Context) {
	k.load(ctx)
	k.running.Go(func() { k.store.run(ctx) })
	if k.options.Outliner != nil {
		for range k.options.Workers {
			k.running.Go(func() { k.outlining.run(ctx) })
		}
	}
	defer k.outlining.close()
	for ctx.Err() == nil {
		if k.step(ctx) {
			continue
		}
		select {
		case <-k.inbox.wake:
		case <-ctx.Done():
		}
	}
}

// step does what is most urgent, and reports whether there is more to do at once.
func (k *keeper) step(ctx context.Context) (more bool) {
	asked, sequence := k.inbox.take()
	k.apply(ctx, asked)
	k.readPending(ctx)
	results, left := k.outlining.take()
	k.addOutlines(results)
	if ctx.Err() != nil {
		return false // what was read may be cut short: it must not be seen
	}
	if k.isDue(left) {
		k.publish()
	}
	if len(k.pending) > 0 {
		return true
	}
	if len(k.wanting) > 0 {
		k.settle(sequence, false)
		k.askOutlines(ctx)
		return true
	}
	if left == 0 && k.compact() {
		k.publish()
	}
	if left == 0 && k.garbage > manyBytes {
		k.garbage = 0
		debug.FreeOSMemory() // what building took is not needed any more
	}
	k.settle(sequence, left == 0)
	return false
}

// manyBytes is how much is read and parsed before it is worth to give memory back to the system, which takes a
// collection of garbage.
const manyBytes = 32 << 20

// settle says that all requests up to one are done, and whether nothing at all is left to do.
func (k *keeper) settle(sequence uint64, idle bool) {
	k.move(func(s *state) { s.settled, s.idle, s.err = sequence, idle, k.err })
}

// replace puts a file in the place of another one of the same path and layer. Either may be nil.
func (k *keeper) replace(old, by *file) {
	if by != nil {
		k.hold(by.words)
		k.hold(by.names)
		k.dirty[by.Path] = true
	}
	if old == nil {
		return
	}
	k.dirty[old.Path] = true
	k.release(old.words)
	k.release(old.names)
	if j, ok := k.jobs[old]; ok {
		j.stale.Store(true)
		delete(k.jobs, old)
	}
}

func (k *keeper) hold(p place) {
	if p.in != nil {
		k.live[p.in]++
	}
}

func (k *keeper) release(p place) {
	if p.in == nil {
		return
	}
	k.live[p.in]--
	if k.live[p.in] == 0 {
		delete(k.live, p.in)
		k.store.drop(p.in)
	}
}

// setDisk notes what is indexed of a path on disk; nil means nothing.
func (k *keeper) setDisk(path string, f *file) {
	old := k.disk[path]
	if f == nil && old == nil {
		return
	}
	k.urgent = true
	k.replace(old, f)
	if f == nil {
		delete(k.disk, path)
		return
	}
	k.disk[path] = f
	k.want(f)
}

// setCover notes what covers a path.
func (k *keeper) setCover(path string, c cover) {
	old, was := k.covers[path]
	k.urgent = true
	k.reasons = k.reasons || old.reason != c.reason || !was && k.known[path].reason != ""
	k.dirty[path] = true
	k.replace(old.file, c.file)
	k.covers[path] = c
	if c.file != nil {
		k.want(c.file)
	}
}

func (k *keeper) uncover(path string) {
	old := k.covers[path]
	k.urgent = true
	k.reasons = k.reasons || old.reason != "" || k.known[path].reason != ""
	k.dirty[path] = true
	k.replace(old.file, nil)
	delete(k.covers, path)
}

func (k *keeper) setRecord(path string, r record) {
	old := k.known[path]
	if old == r {
		return
	}
	k.reasons = k.reasons || old.reason != r.reason
	k.known[path] = r
	k.store.setRecord(path, r)
}

// forget drops all that is known of a path on disk.
func (k *keeper) forget(path string) {
	k.reasons = k.reasons || k.known[path].reason != ""
	k.setDisk(path, nil)
	delete(k.known, path)
	delete(k.listed, path)
	delete(k.pending, path)
	k.store.deleteRecord(path)
}

// shown returns the file that stands for a path in the view, or nil.
func (k *keeper) shown(path string) *file {
	if c, ok := k.covers[path]; ok {
		return c.file
	}
	return k.disk[path]
}
