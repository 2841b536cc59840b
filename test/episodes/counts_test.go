package episodes

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// counts add the episodes up.
type counts struct {
	mu       sync.Mutex
	byName   map[string]map[string]int
	episodes int
}

func (c *counts) add(name string, e ended) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.episodes++
	if c.byName[name] == nil {
		c.byName[name] = map[string]int{}
	}
	c.byName[name][e.state]++
	if e.falseGreen != "" {
		c.byName[name]["FALSE GREEN"]++
	}
}

// table says how the episodes of each behaviour ended.
func (c *counts) table() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d episodes\n", c.episodes)
	var names []string
	for name := range c.byName {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		fmt.Fprintf(&b, "  %-45s %v\n", name, c.byName[name])
	}
	return b.String()
}
