package golang

import "math/bits"

// weights are how many packages have to be compiled for each of some, and for their tests where these count: those that they import, also through
// others of the tree. What packages of other modules import is not known.
func weights(all []listed, of map[string]int, w want) map[string]int {
	c := closures{packages: map[string]listed{}, numbers: map[string]int{}, known: map[string][]uint64{}}
	for _, p := range all {
		c.packages[p.path] = p
	}
	found := map[string]int{}
	for path := range of {
		set := c.of(path)
		if w == wantTests {
			set = append([]uint64{}, set...)
			for _, used := range c.packages[path].testsUse {
				set = union(set, c.of(used))
			}
		}
		for _, word := range set {
			found[path] += bits.OnesCount64(word)
		}
	}
	return found
}

// closures are what packages import, also through others, as sets of numbers.
type closures struct {
	packages map[string]listed
	numbers  map[string]int
	known    map[string][]uint64
}

// of is a package with all that it imports. Of packages that import each other, which do not compile, some may be missing.
func (c closures) of(path string) []uint64 {
	if set, is := c.known[path]; is {
		return set
	}
	n, is := c.numbers[path]
	if !is {
		n = len(c.numbers)
		c.numbers[path] = n
	}
	set := make([]uint64, n/64+1)
	set[n/64] = 1 << (n % 64)
	c.known[path] = set
	for _, used := range c.packages[path].imports {
		set = union(set, c.of(used))
	}
	c.known[path] = set
	return set
}

// union adds a set to another one.
func union(to, from []uint64) []uint64 {
	for len(to) < len(from) {
		to = append(to, 0)
	}
	for i, word := range from {
		to[i] |= word
	}
	return to
}
