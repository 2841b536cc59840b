package index

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"forge/codeintel"
)

// Source lists the files that are to be indexed.
type Source interface {
	// Files returns paths relative to the root, slash-separated. What is there and no regular file, or not there at
	// all, is skipped. It is called by one goroutine at a time.
	Files(ctx context.Context) ([]string, error)
}

// Options are what to index, and how. Root and Source must be set.
type Options struct {
	Root   string // the folder that is indexed; nothing outside of it is read
	Source Source
	// Dir is where the index is kept on disk, for this root alone: it is created if it is missing. Several processes
	// may share it. If empty, the index is kept in memory only.
	Dir      string
	Outliner codeintel.Outliner // nil: no document has an outline
	// OutlinerVersion is another one whenever the outliner would give another outline of some text: outlines that
	// are kept on disk count for their own version only.
	OutlinerVersion string
	// Blank removes from a text what must not be stored, and leaves everything else where it is; it is a function of its
	// arguments. Nil leaves all of it.
	Blank func(path string, content []byte) []byte
	// Progress receives how many of all steps are done, from one goroutine at a time; both numbers can grow. It
	// may be nil, and must not call the index.
	Progress func(done, total int)
	Workers  int              // goroutines that read and parse; 0 means one for each processor
	Now      func() time.Time // nil means time.Now
}

func (o Options) blank(path string, content []byte) []byte {
	if o.Blank == nil {
		return content
	}
	return o.Blank(path, content)
}

// Index keeps a View up to date. All methods may be called by several goroutines at once.
//
// One goroutine, the keeper, owns all that is known, and publishes view after view. What happens outside is put into
// its inbox. Words come first, for all files: then the index is ready. Outlines follow, found by other goroutines, and
// another one writes to the disk what the keeper has found.
type Index struct {
	current atomic.Pointer[snapshot]
	inbox   *inbox
	stop    context.CancelFunc
	running sync.WaitGroup
	folder  *folder

	mu     sync.Mutex // guards what is below
	state  state
	moved  chan struct{} // closed when the state changes
	closed bool
}

// Status is the progress of the index.
type Status struct {
	Indexed  int // files in the view
	Total    int // files that are to be in it, as far as is known
	Outlined int // files in the view that have an outline
	Complete bool
	Skipped  []Skipped // by path
	Notes    []string  // for users: faults that were recovered from, such as a damaged index that was rebuilt
}

// state is what the keeper has reached.
type state struct {
	Status
	settled uint64 // the last request whose words are in the view, or that changed nothing
	idle    bool   // there is nothing to do
	err     error  // of the last listing of files
}

// ErrClosed is the error of waiting for an index that has been closed.
var ErrClosed = errors.New("the index is closed")

// Open starts to index a folder, or continues from a stored index, and returns at once: the view is empty at first. It fails
// if the folder cannot be opened; a fault of the stored index is only noted in Status. ctx is used for its values only. The
// caller must call Close.
func Open(ctx context.Context, o Options) (*Index, error) {
	in, err := openFolder(o.Root)
	if err != nil {
		return nil, err
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	x := &Index{inbox: newInbox(), stop: stop, folder: in, moved: make(chan struct{})}
	x.current.Store(newSnapshot(in, nil))
	x.inbox.put(func(r *requests) { r.refresh = true })
	k := newKeeper(x, o)
	x.running.Go(func() { k.run(ctx) })
	return x, nil
}

// Close ends all work, writes to the disk what is still to be written, and waits for that. Views can still be used,
// but not to read files.
func (x *Index) Close() error {
	x.mu.Lock()
	closed := x.closed
	if !closed {
		x.closed = true
		close(x.moved)
	}
	x.mu.Unlock()
	if closed {
		return nil
	}
	x.stop()
	x.running.Wait()
	if err := x.folder.close(); err != nil {
		return fmt.Errorf("close the folder: %w", err)
	}
	return nil
}

// View returns the index as it is now.
func (x *Index) View() View { return x.current.Load() }

// Cover replaces a file, or a missing one, by a text until Uncover: what the user has not saved yet.
func (x *Index) Cover(path, text string) {
	x.inbox.put(func(r *requests) { r.covers[path] = &text })
}

// Uncover ends what Cover began.
func (x *Index) Uncover(path string) {
	x.inbox.put(func(r *requests) { r.covers[path] = nil })
}

// Changed reports that files, or all that is in directories, have been made, changed or deleted on disk.
func (x *Index) Changed(paths ...string) {
	paths = slices.Clone(paths)
	x.inbox.put(func(r *requests) {
		for _, path := range paths {
			r.changed[path] = true
		}
	})
}

// Sooner has the files read next whose paths have words of a text: the user waits for what is in them. It has no effect when
// all files have been read.
func (x *Index) Sooner(text string) {
	words := slices.Compact(slices.Sorted(codeintel.Words(text)))
	if len(words) > 0 {
		x.inbox.put(func(r *requests) { r.sooner = words })
	}
}

// Refresh asks the source for all files again, looks which of them have changed, and waits until their words are
// in the view.
func (x *Index) Refresh(ctx context.Context) error {
	x.inbox.put(func(r *requests) { r.refresh = true })
	return x.Ready(ctx)
}

// Ready waits until the words of all files, and of all changes that the index received before the call, are in the
// view. The error is that of the source, of ctx, or ErrClosed.
func (x *Index) Ready(ctx context.Context) error {
	sequence := x.inbox.last()
	return x.wait(ctx, func(s *state) bool { return s.settled >= sequence })
}

// Wait waits until there is nothing left to do: all words and all outlines are in the view. It fails as Ready does.
func (x *Index) Wait(ctx context.Context) error {
	sequence := x.inbox.last()
	return x.wait(ctx, func(s *state) bool { return s.settled >= sequence && s.idle })
}

func (x *Index) wait(ctx context.Context, reached func(*state) bool) error {
	for {
		x.mu.Lock()
		done, closed, err, moved := reached(&x.state), x.closed, x.state.err, x.moved
		x.mu.Unlock()
		switch {
		case done:
			return err
		case closed:
			return ErrClosed
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return fmt.Errorf("wait for the index: %w", ctx.Err())
		}
	}
}

// Status returns how far the index has come.
func (x *Index) Status() Status {
	x.mu.Lock()
	defer x.mu.Unlock()
	s := x.state.Status
	s.Skipped, s.Notes = slices.Clone(s.Skipped), slices.Clone(s.Notes)
	return s
}

// move changes the state, and wakes its waiters.
func (x *Index) move(change func(*state)) {
	x.mu.Lock()
	defer x.mu.Unlock()
	change(&x.state)
	if !x.closed {
		close(x.moved)
		x.moved = make(chan struct{})
	}
}
