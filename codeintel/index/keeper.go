package index

import (
	"context"
	"maps"
	"runtime/debug"
	"slices"
)

// keeper owns what the index knows. All of its methods are called by one goroutine.
type keeper struct {
	index    *Index
	options  Options
	store    *store
	outlines *task[[]outlined] // finding them
	catalog  *catalog
	unread   unread
	reader   *reader

	listed map[string]bool // the last report of the source
	err    error           // of the last refresh

	segments []*segment       // that were kept on disk, until the first refresh
	loaded   map[string]place // by path: where a file is in them

	files   []*file  // of the last view, by path
	fresh   []string // paths whose outline has come since the last view
	garbage int      // bytes of the files that have been read since memory was given back
	partial bool     // the last view was made while paths were pending
}

func newKeeper(x *Index, o Options) *keeper {
	k := &keeper{index: x, options: o, partial: true, listed: map[string]bool{}, loaded: map[string]place{}}
	k.store = newStore(x, o, k.note, k.saveAll)
	k.outlines = newTask[[]outlined](x)
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
	for ctx.Err() == nil {
		if k.step(ctx) {
			continue
		}
		select {
		case <-k.index.inbox.wake:
		case <-ctx.Done():
		}
	}
	k.store.close(context.WithoutCancel(ctx))
}

// step does what is most urgent, and reports whether there is more to do at once.
func (k *keeper) step(ctx context.Context) (more bool) {
	asked, sequence := k.index.inbox.take()
	k.apply(ctx, asked)
	k.readPending(ctx)
	k.addOutlines()
	if ctx.Err() != nil {
		return false // what was read may be cut short: it must not be seen
	}
	k.store.step(ctx)
	reading := len(k.unread.pending) > 0
	if !reading {
		k.askOutlines(ctx)
	}
	left := k.outlines.busy || len(k.catalog.wanting) > 0
	if k.isDue(left) {
		k.publish()
	}
	if reading || !left && k.compact(ctx) {
		return true
	}
	if !left && k.garbage > manyBytes {
		k.garbage = 0
		debug.FreeOSMemory() // what building took is not needed any more
	}
	k.settle(sequence, !left)
	return false
}

// manyBytes is how much is read and parsed before it is worth to give memory back to the system, which takes a
// collection of garbage.
const manyBytes = 32 << 20

// settle reports that all requests up to one are done, and whether nothing at all is left to do.
func (k *keeper) settle(sequence uint64, idle bool) {
	k.index.move(func(s *state) { s.settled, s.idle, s.err = sequence, idle, k.err })
}

// load reads the index that is on disk. The first refresh finds out which parts still hold.
func (k *keeper) load(ctx context.Context) {
	records, segments := k.store.load(ctx)
	maps.Copy(k.catalog.known, records)
	k.segments = segments
	for _, in := range segments {
		for at, d := range in.documents {
			if records[d.path].hash == d.hash {
				k.loaded[d.path] = place{in, uint32(at)}
			}
		}
	}
}

// dropLoaded forgets what was loaded and no file has any more.
func (k *keeper) dropLoaded() {
	for _, in := range k.segments {
		if k.catalog.live[in] == 0 {
			k.store.drop(in)
		}
	}
	k.loaded, k.segments = nil, nil
}

// saveAll hands all that is known to the store again.
func (k *keeper) saveAll() {
	maps.Copy(k.store.pending.records, k.catalog.known)
	for _, f := range k.catalog.disk {
		k.store.add(f.words.in)
		if f.Outline != nil {
			k.store.setOutline(outlineKey{f.Hash, f.Language}, encodeOutline(*f.Outline))
		}
	}
}
