package atlas

import (
	"context"
	"sync"

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
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	a.making.Lock()
	defer a.making.Unlock()
	s := a.now()
	if s.closed {
		return nil, ErrClosed
	}
	// What a query does not see itself is found out behind it.
	a.view.raise()
	a.head.raise()
	view := a.index.View()
	if p := a.made; p == nil || p.view != view || p.graph != s.graph || p.past != s.past {
		a.made = makeParts(view, s)
	}
	return a.made, nil
}

func makeParts(view index.View, s state) *parts {
	return &parts{
		view: view, graph: s.graph, past: s.past,
		searcher: search.New(view, s.graph, s.commits),
		mapper: sync.OnceValue(func() *repomap.Mapper {
			if s.graph == nil {
				return repomap.NewMapper(view, nil)
			}
			return repomap.NewMapper(view, s.graph)
		}),
	}
}
