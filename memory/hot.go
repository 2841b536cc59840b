package memory

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// HotBudget is how many tokens the short tier holds for one agent.
const HotBudget = 6000

// hot is the short tier: for each agent (one node run) a few entries within a budget.
type hot struct {
	mu     sync.Mutex // guards what is below
	agents map[string]*hotAgent
	clock  int // counts writes: the age of an entry
}

type hotAgent struct {
	entries map[string]hotEntry
	tokens  int
}

type hotEntry struct {
	Entry
	age int
}

func newHot() *hot { return &hot{agents: map[string]*hotAgent{}} }

// write keeps an entry. While there is too much, the entry of the lowest priority leaves, and of those the
// oldest; that may be the one that was written.
func (h *hot) write(e Entry, now time.Time) error {
	if e.tokens() > HotBudget {
		return fmt.Errorf("%w: %q is %d tokens, and the hot memory holds %d: keep it in the mid tier", ErrOverBudget, e.Key, e.tokens(), HotBudget)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	a := h.agents[e.Agent]
	if a == nil {
		a = &hotAgent{entries: map[string]hotEntry{}}
		h.agents[e.Agent] = a
	}
	h.clock++
	e.Created, e.Updated = now, now
	if old, ok := a.entries[e.Key]; ok {
		e.Created = old.Created
		a.remove(e.Key)
	}
	e.Value = slices.Clone(e.Value)
	a.entries[e.Key] = hotEntry{e, h.clock}
	a.tokens += e.tokens()
	for a.tokens > HotBudget {
		a.remove(a.weakest())
	}
	return nil
}

func (a *hotAgent) remove(key string) {
	a.tokens -= a.entries[key].tokens()
	delete(a.entries, key)
}

// weakest is the key of the entry that leaves first.
func (a *hotAgent) weakest() string {
	return slices.MinFunc(slices.Collect(maps.Values(a.entries)), func(x, y hotEntry) int {
		return cmp.Or(cmp.Compare(x.Priority, y.Priority), cmp.Compare(x.age, y.age))
	}).Key
}

func (h *hot) read(agent, key string, now time.Time) (Entry, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := h.agents[agent]
	if a == nil {
		return Entry{}, false
	}
	e, ok := a.entries[key]
	return e.Entry, ok && !e.expired(now)
}

// list gives the entries of an agent, or of all, in the order of agents and keys.
func (h *hot) list(match func(agent, key string) bool, now time.Time) []Entry {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []Entry
	for _, agent := range slices.Sorted(maps.Keys(h.agents)) {
		entries := h.agents[agent].entries
		for _, key := range slices.Sorted(maps.Keys(entries)) {
			if e := entries[key]; match(agent, key) && !e.expired(now) {
				found = append(found, e.Entry)
			}
		}
	}
	return found
}

func (h *hot) delete(agent, key string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	a := h.agents[agent]
	if a == nil {
		return false
	}
	_, ok := a.entries[key]
	if ok {
		a.remove(key)
	}
	return ok
}

// clear forgets everything of an agent: its node run has ended.
func (h *hot) clear(agent string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.agents, agent)
}
