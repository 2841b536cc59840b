// Package atlas is what Forge knows about one folder: its index, history and import graph, brought together for
// those who ask: the fronts, and the prompts of a run.
//
//	shadow.Repo ──files──► index ──View──► imports.Graph ─┐
//	     │                   ▲                            ├──► parts ──► Search, Symbols, Map, Context, Imports
//	     └──────history──────┼────────────────────────────┘
//	Cover, Uncover, Changed ─┘
//
// A question is answered from the newest view of the index at once. The graph and the history follow behind, in
// goroutines of the atlas: right after a change an answer may use those of a moment ago.
//
// Invariant: an atlas starts no program of the folder and writes nothing into it. git runs only as engine/shadow does
// it, with a private directory. So a folder that is not trusted yet may be searched.
package atlas

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"forge/codeintel"
	"forge/codeintel/index"
	"forge/codeintel/search"
	"forge/engine/shadow"
	"forge/engine/workspace"
)

// HistoryLimit is how many commits are read, the newest ones.
const HistoryLimit = 4000

// diskPause is how long, at least, the list of files and HEAD are left alone after they were looked at.
const diskPause = 300 * time.Millisecond

// DefaultPatience is Options.Patience where it is not set.
const DefaultPatience = 100 * time.Millisecond

const firstPatience = 3 // times as long

// ErrClosed says that an atlas was asked after Close.
var ErrClosed = errors.New("forge is shutting down: the index of the folder is closed")

// Options are what an atlas needs from the outside.
type Options struct {
	Root     string             // the folder
	StateDir string             // Forge's own folder; the index goes below atlas/<hash of the root> in it
	Repo     *shadow.Repo       // lists the files and reads the history; nil where there is no git: the folder is walked
	Outliner codeintel.Outliner // finds the symbols; nil: there are none
	// OutlinerVersion is another one whenever the outliner would find other symbols in some text.
	OutlinerVersion string
	// Blank takes secrets out of what is indexed; see index.Options. Nil leaves all.
	Blank func(path string, content []byte) []byte
	// Patience is how long a question waits for what was said just before it, and for what else changed; past that it is
	// answered from what was known a moment ago. While a folder is read for the first time it is three times as long. 0
	// means DefaultPatience.
	Patience time.Duration
	// Progress receives how many of all steps of the indexing are done; both numbers can grow. It may be nil, and
	// must not call the atlas.
	Progress func(done, total int)
}

// Atlas is what is known about one folder. It may be used by several goroutines.
type Atlas struct {
	outliner codeintel.Outliner
	repo     *shadow.Repo
	index    *index.Index

	life context.Context //nolint:containedctx // of the goroutines behind, ended by Close
	stop context.CancelFunc
	work sync.WaitGroup
	view follower // of the view of the index, with the graph
	disk follower // of HEAD, with the history, and of the list of files

	patience time.Duration

	names atomic.Pointer[search.NameTable] // the newest one, from which the next is made; nil before the first

	mu    sync.Mutex // guards state and shop; held for moments only
	state state
	shop  workshop
}

// Open begins to read a folder, or goes on where an atlas of it left off, and returns at once. The error says that the
// folder cannot be opened. Close must be called; until then the reading goes on, whatever becomes of ctx.
func Open(ctx context.Context, o Options) (*Atlas, error) {
	if err := workspace.CheckRoot(o.Root); err != nil {
		return nil, err
	}
	from, err := sourceOf(o)
	if err != nil {
		return nil, fmt.Errorf("open the index of %s: %w", o.Root, err)
	}
	x, err := index.Open(ctx, index.Options{
		Root: from.root, Source: from, Dir: from.indexDir(), Outliner: o.Outliner, OutlinerVersion: o.OutlinerVersion, Progress: o.Progress,
		Blank: o.Blank,
	})
	if err != nil {
		return nil, fmt.Errorf("open the index of %s: %w", o.Root, err)
	}
	a := &Atlas{outliner: o.Outliner, repo: o.Repo, index: x, patience: cmp.Or(o.Patience, DefaultPatience)}
	a.view, a.disk = newFollower(a.followView, 0), newFollower(a.followDisk, diskPause)
	a.life, a.stop = context.WithCancel(context.WithoutCancel(ctx))
	a.work.Go(func() { a.disk.run(a.life) })
	a.work.Go(func() { a.view.run(a.life) })
	return a, nil
}

// Close ends what goes on behind, keeps what was read for the next time, and waits for that. A second call does nothing.
func (a *Atlas) Close() error {
	a.mu.Lock()
	closed := a.state.closed
	a.state.closed = true
	a.mu.Unlock()
	if closed {
		return nil
	}
	a.stop()
	a.work.Wait()
	if err := a.index.Close(); err != nil {
		return fmt.Errorf("close the index: %w", err)
	}
	return nil
}
