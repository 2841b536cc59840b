package index

import (
	"context"
	"runtime/debug"
	"slices"
)

// keeper owns what the index knows. All of its methods are called by one goroutine.
type keeper struct {
	index     *Index
	options   Options
	store     *store
	outlining *outlining
	catalog   *catalog
	unread    unread
	reader    *reader

	listed map[string]bool // what the source said last
	err    error           // of the last refresh

	segments []*segment       // that were kept on disk, until the first refresh
	loaded   map[string]place // by path: where a file stands in them

	files    []*file  // of the last view, by path
	fresh    []string // paths whose outline has come since the last view
	garbage  int      // bytes of the files that have been read since memory was given back
	partial  bool     // the last view was made while paths were pending
	restored bool     // outlines that are kept on disk have been loaded
}

func newKeeper(x *Index, o Options) *keeper {
	k := &keeper{index: x, options: o, partial: true, listed: map[string]bool{}, loaded: map[string]place{}}
	k.store = newStore(o, k.note, func() { x.inbox.put(func(r *requests) { r.save = true }) })
	k.outlining = newOutlining(o, x.folder, k.store, x.inbox)
	k.catalog = newCatalog(k.store, o.Outliner != nil)
	k.unread = unread{pending: map[string]bool{}}
	k.reader = &reader{options: o, folder: x.folder, disk: k.catalog.disk}
	return k
}

// note reports a fault that was recovered from.
func (k *keeper) note(text string) {
	k.index.move(func(s *state) {
		if !slices.Contains(s.Notes, text) {
			s.Notes = append(s.Notes, text)
		}
	})
}

func (k *keeper) run(ctx context.Context) {
	k.load(ctx)
	k.index.running.Go(func() { k.store.run(ctx) })
	if k.options.Outliner != nil {
		for range k.options.Workers {
			k.index.running.Go(func() { k.outlining.run(ctx) })
		}
	}
	defer k.outlining.close()
	for ctx.Err() == nil {
		if k.step(ctx) {
			continue
		}
		select {
		case <-k.index.inbox.wake:
		case <-ctx.Done():
		}
	}
}

// step does what is most urgent, and reports whether there is more to do at once.
func (k *keeper) step(ctx context.Context) (more bool) {
	asked, sequence := k.index.inbox.take()
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
	if len(k.unread.pending) > 0 {
		return true
	}
	if len(k.catalog.wanting) > 0 {
		k.settle(sequence, false)
		k.askOutlines(ctx)
		return true
	}
	if left == 0 && k.catalog.compact() {
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
	k.index.move(func(s *state) { s.settled, s.idle, s.err = sequence, idle, k.err })
}
