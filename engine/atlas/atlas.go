// Package atlas is what Forge knows about one folder: its index, history and import graph, joined for the
// fronts and the prompts of a run.
//
//	shadow.Repo ──files──► index ──View──► imports.Graph ─┐
//	     │                   ▲                            ├──► parts ──► Search, Symbols, Map, Context, Imports
//	     └──────history──────┼────────────────────────────┘
//	Cover, Uncover, Changed ─┘
//
// A question is answered at once from the newest view of the index. Goroutines of the atlas update the graph and the
// history behind it: right after a change an answer may use slightly older ones.
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

// HistoryLimit is the number of commits that are read, the newest ones.
const HistoryLimit = 4000

// diskPause is the minimum time between two checks of HEAD and the list of files.
const diskPause = 300 * time.Millisecond

// DefaultPatience is the value of Options.Patience if it is 0.
const DefaultPatience = 100 * time.Millisecond

const firstPatience = 3 // times as long

// ErrClosed means that the atlas was used after Close.
var ErrClosed = errors.New("forge is shutting down: the index of the folder is closed")

// Options are what an atlas needs from the outside.
type Options struct {
	Root     string             // the folder
	StateDir string             // Forge's own folder; the index is in atlas/<hash of the root> below it
	Repo     *shadow.Repo       // lists the files and reads the history; nil without git: then the folder is walked
	Outliner codeintel.Outliner // finds the symbols; nil finds none
	// OutlinerVersion changes whenever the outliner would find other symbols in some text.
	OutlinerVersion string
	// Blank removes secrets from what is indexed; see index.Options. Nil removes nothing.
	Blank func(path string, content []byte) []byte
	// Patience is how long a question waits for the changes just before it; after that it is answered from slightly
	// older data. During the first reading of a folder it is three times as long. 0 means DefaultPatience.
	Patience time.Duration
}

// Atlas is what Forge knows about one folder. It is safe for concurrent use.
type Atlas struct {
	outliner codeintel.Outliner
	repo     *shadow.Repo
	index    *index.Index

	life context.Context //nolint:containedctx // of the background goroutines, ended by Close
	stop context.CancelFunc
	work sync.WaitGroup
	view follower // follows the view of the index, with the graph
	disk follower // follows HEAD, with the history, and the list of files

	patience time.Duration

	names atomic.Pointer[search.NameTable] // the newest one, the base of the next; nil before the first

	mu    sync.Mutex // guards state and shop; held only briefly
	state state
	shop  workshop
}

// Open starts to read a folder, or continues where an earlier atlas of it stopped, and returns at once. The error
// means that the folder cannot be opened. Close must be called; the reading continues until then, even if ctx ends.
func Open(ctx context.Context, o Options) (*Atlas, error) {
	if err := workspace.CheckRoot(o.Root); err != nil {
		return nil, err
	}
	from, err := sourceOf(o)
	if err != nil {
		return nil, fmt.Errorf("open the index of %s: %w", o.Root, err)
	}
	x, err := index.Open(ctx, index.Options{
		Root: from.root, Source: from, Dir: from.indexDir(), Outliner: o.Outliner, OutlinerVersion: o.OutlinerVersion,
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

// Close stops the background work, keeps what was read for the next time, and waits. A second call does nothing.
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
