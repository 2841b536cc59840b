package atlas

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"forge/codeintel/imports"
	"forge/codeintel/index"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
)

// parts answer questions about one view. They never change.
type parts struct {
	view     index.View
	graph    *imports.Graph // nil until the first one is made
	past     int            // state.past when they were made
	complete bool           // see Answer.Complete
	searcher *search.Searcher
	mapper   func() *repomap.Mapper
	names    func() *search.NameTable
}

// makeParts builds the parts of a view from the previous ones, which may be nil. It leaves to the questions what only
// some of them need. names holds the newest table of names.
func makeParts(view index.View, s state, before *parts, names *atomic.Pointer[search.NameTable]) *parts {
	return &parts{
		view: view, graph: s.graph, past: s.past, complete: view.Complete() && s.read(),
		searcher: searcherFor(view, s, before),
		mapper: sync.OnceValue(func() *repomap.Mapper {
			if s.graph == nil {
				return repomap.NewMapper(view, nil)
			}
			return repomap.NewMapper(view, s.graph)
		}),
		names: sync.OnceValue(func() *search.NameTable {
			table := search.NewNameTable(view.Documents(), names.Load())
			names.Store(table)
			return table
		}),
	}
}

// searcherFor reads the messages of all commits only if they have changed.
func searcherFor(view index.View, s state, before *parts) *search.Searcher {
	if before != nil && before.past == s.past {
		return before.searcher.With(view, s.graph)
	}
	return search.New(view, s.commits, s.graph)
}

// fresh reports whether nothing has changed since the parts were made.
func (p *parts) fresh(view index.View, s state) bool {
	return p != nil && p.view == view && p.graph == s.graph && p.past == s.past
}

// ofAMomentAgo returns the same parts, marked as possibly outdated.
func (p *parts) ofAMomentAgo() *parts {
	old := *p
	old.complete = false
	return &old
}

// workshop makes parts, one at a time. It is guarded by Atlas.mu.
type workshop struct {
	made *parts        // the newest ones; nil before the first
	busy chan struct{} // closed when the next ones are made; nil while none are
}

// partsFor returns the parts that answer a question. It waits briefly for those of the newest view, which has all earlier
// changes; after that it returns older ones, which are not complete.
func (a *Atlas) partsFor(ctx context.Context) (*parts, error) {
	limit := a.patience
	if !a.now().read() {
		limit *= firstPatience
	}
	until, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	late := errors.Is(a.index.Ready(until), context.DeadlineExceeded) // other errors do not prevent an answer
	a.disk.raise()                                                    // HEAD may have moved, which nothing else reports
	made, newest, err := a.remade(ctx, until)
	if err == nil && (late || !newest) {
		made = made.ofAMomentAgo()
	}
	return made, err
}

// remade returns the newest parts, or the existing ones when the time is up.
func (a *Atlas) remade(ctx, until context.Context) (made *parts, newest bool, err error) {
	for {
		made, busy, err := a.order()
		if err != nil || busy == nil || made != nil && until.Err() != nil {
			return made, busy == nil, err
		}
		if made == nil {
			until = ctx
		}
		select {
		case <-busy:
		case <-until.Done():
		}
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
	}
}

// order returns the newest parts. If they are not fresh, it starts to build others, and returns the channel that
// closes when they are done.
func (a *Atlas) order() (made *parts, busy chan struct{}, err error) {
	view := a.index.View()
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.state.closed:
		return nil, nil, ErrClosed
	case a.shop.made.fresh(view, a.state):
		return a.shop.made, nil, nil
	case a.shop.busy == nil:
		a.shop.busy = make(chan struct{})
		s, before := a.state, a.shop.made
		a.work.Go(func() { a.deliver(makeParts(view, s, before, &a.names)) })
	}
	return a.shop.made, a.shop.busy, nil
}

func (a *Atlas) deliver(made *parts) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.shop.made = made
	close(a.shop.busy)
	a.shop.busy = nil
}
