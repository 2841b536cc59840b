package golang

import (
	"math/big"
	"math/bits"
)

// weights are how many packages have to be compiled for each of some, and for their tests where these count: those that they import, also through
// others of the tree. What packages of other modules import is not known.
func weights(all []listed, of map[string]int, w want) map[string]int {
	c := closures{packages: map[string]listed{}, known: map[string]*big.Int{}}
	for _, p := range all {
		c.packages[p.path] = p
	}
	found := map[string]int{}
	for path := range of {
		set := c.of(path)
		if w == wantTests {
			set = new(big.Int).Set(set)
			for _, used := range c.packages[path].testsUse {
				set.Or(set, c.of(used))
			}
		}
		for _, word := range set.Bits() {
			found[path] += bits.OnesCount(uint(word))
		}
	}
	return found
}

// closures are what packages import, also through others, as sets of numbers.
type closures struct {
	packages map[string]listed
	known    map[string]*big.Int
}

// of is a package with all that it imports. Of packages that import each other, which do not compile, some may be missing.
func (c closures) of(path string) *big.Int {
	if set, is := c.known[path]; is {
		return set
	}
	set := new(big.Int)
	set.SetBit(set, len(c.known), 1)
	c.known[path] = set
	for _, used := range c.packages[path].imports {
		set.Or(set, c.of(used))
	}
	return set
}
