package spend

import (
	"container/list"

	"forge/engine/llm"
)

// recent are the answers that were used last.
type recent struct {
	most  int
	order *list.List // of remembered, the last used first
	byKey map[string]*list.Element
}

type remembered struct {
	key    string
	answer llm.Response
}

func newRecent(most int) *recent {
	return &recent{most: most, order: list.New(), byKey: map[string]*list.Element{}}
}

func (r *recent) find(key string) (llm.Response, bool) {
	element := r.byKey[key]
	if element == nil {
		return llm.Response{}, false
	}
	r.order.MoveToFront(element)
	return element.Value.(remembered).answer, true //nolint:errcheck,forcetypeassert // nothing else is in the list
}

func (r *recent) keep(key string, answer llm.Response) {
	if element := r.byKey[key]; element != nil {
		element.Value = remembered{key, answer}
		r.order.MoveToFront(element)
		return
	}
	r.byKey[key] = r.order.PushFront(remembered{key, answer})
	if r.order.Len() > r.most {
		last := r.order.Back()
		delete(r.byKey, r.order.Remove(last).(remembered).key) //nolint:errcheck,forcetypeassert // as above
	}
}
