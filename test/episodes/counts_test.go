package episodes

import (
	"flag"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

// played counts all episodes of this package.
var played = &counts{byName: map[string]map[string]int{}}

// leastEpisodes is how many episodes there are where all cases are played; it only grows.
const leastEpisodes = 397

// counted runs the tests. Where all of them ran, and all of their cases, it prints how many episodes were played, and fails
// if these are fewer than there were: each test judges its own.
type counted struct{ *testing.M }

func (c counted) Run() int {
	code := c.M.Run()
	chosen := flag.Lookup("test.run").Value.String() + flag.Lookup("test.list").Value.String()
	if skipped := flag.Lookup("test.skip").Value.String(); skipped != "" && skipped != "^$" {
		return code
	}
	if testing.Short() || chosen != "" || !installed("cargo", "node", "python3") {
		return code
	}
	fmt.Printf("%d episodes\n", played.episodes)
	if played.episodes < leastEpisodes {
		fmt.Printf("these are fewer than %d: cases were lost\n", leastEpisodes)
		return max(code, 1)
	}
	return code
}

// installed reports whether there are all programs that episodes need.
func installed(programs ...string) bool {
	return !slices.ContainsFunc(programs, func(name string) bool {
		_, err := exec.LookPath(name)
		return err != nil
	})
}

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
