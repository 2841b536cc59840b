package atlas

import (
	"context"
	"sync"
	"time"

	"forge/codeintel/imports"
	"forge/codeintel/index"
	"forge/codeintel/repomap"
	"forge/codeintel/search"
)

// parts are what answers questions about one view. They never change.
type parts struct {
	view     index.View
	graph    *imports.Graph // nil until the first one is made
	past     int            // state.past when they were made
	searcher *search.Searcher
	mapper   func() *repomap.Mapper
}

// parts gives those of the newest view. They are made when a query finds that something changed.
func (a *Atlas) parts(ctx context.Context) (*parts, error) {
	if err := a.settle(ctx); err != nil {
		return nil, err
	}
	a.making.Lock()
	defer a.making.Unlock()
	s := a.now()
	if s.closed {
		return nil, ErrClosed
	}
	// What a query does not see itself is found out behind it.
	a.disk.raise()
	view := a.index.View()
	if p := a.made; p == nil || p.view != view || p.graph != s.graph || p.past != s.past {
		a.made = makeParts(view, s)
	}
	return a.made, nil
}

// How long a query waits for the words of what was said before it, and for those of the whole folder when it is read for
// the first time.
const (
	patience      = 100 * time.Millisecond
	firstPatience = time.Second
)

// settle waits a moment for the words of all that was said before, then the query does without.
func (a *Atlas) settle(ctx context.Context) error {
	limit := patience
	if !a.now().read() {
		limit = firstPatience
	}
	until, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	_ = a.index.Ready(until)
	return ctx.Err()
}

func makeParts(view index.View, s state) *parts {
	return &parts{
		view: view, graph: s.graph, past: s.past,
		searcher: search.New(view, s.commits, s.graph),
		mapper: sync.OnceValue(func() *repomap.Mapper {
			if s.graph == nil {
				return repomap.NewMapper(view, nil)
			}
			return repomap.NewMapper(view, s.graph)
		}),
	}
}
