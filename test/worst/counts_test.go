package worst

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// counts add the episodes up.
type counts struct {
	mu     sync.Mutex
	byKind map[string]map[string]int // guarded by mu
	total  int                       // guarded by mu
	bad    int                       // guarded by mu
}

func (c *counts) add(kind, state string, bad bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byKind == nil {
		c.byKind = map[string]map[string]int{}
	}
	if c.byKind[kind] == nil {
		c.byKind[kind] = map[string]int{}
	}
	c.total++
	c.byKind[kind][state]++
	if bad {
		c.bad++
		c.byKind[kind]["BAD"]++
	}
}

// table lists how the episodes of each kind ended.
func (c *counts) table(what string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	fmt.Fprintf(&b, "%d episodes of %d kinds, %d %s\n", c.total, len(c.byKind), c.bad, what)
	names := []string{}
	for name := range c.byKind {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "  %-55s %v\n", name, c.byKind[name])
	}
	return b.String()
}
