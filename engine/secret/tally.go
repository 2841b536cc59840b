package secret

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"sync"
)

// Found is a replaced secret, without its value.
type Found struct {
	Name string // of the variable, the file or the rule
	id   [sha256.Size]byte
}

// Tally counts secrets, each once regardless of how often it is replaced. The zero value is empty. It is safe for concurrent use.
type Tally struct {
	mu   sync.Mutex // guards seen
	seen map[Found]bool
}

// Count is the number of secrets with a name.
type Count struct {
	Name  string
	Count int
}

// Add counts secrets, and reports whether one of them is new.
func (t *Tally) Add(found []Found) (grown bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range found {
		if t.seen == nil {
			t.seen = map[Found]bool{}
		}
		grown = grown || !t.seen[f]
		t.seen[f] = true
	}
	return grown
}

// Counts returns the secrets so far, by name.
func (t *Tally) Counts() (all []Count) {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := map[string]int{}
	for f := range t.seen {
		counts[f.Name]++
	}
	for name, n := range counts {
		all = append(all, Count{name, n})
	}
	slices.SortFunc(all, func(a, b Count) int { return cmp.Compare(a.Name, b.Name) })
	return all
}
