package golang

import (
	"cmp"
	"context"
	"math/big"
	"math/bits"
	"slices"
	"time"

	"forge/engine/gate"
	"forge/engine/gate/tool"
	"forge/engine/sandbox"
)

// maxChunk limits how many packages that only import changed ones are checked at once. The first chunk is one package, and each is twice as large as
// the one before, so that some have ended when the time is up.
const maxChunk = 8

// split returns the packages to check in any case, the changed ones, and those to check while there is time: the wanted packages that import them,
// in chunks, the nearest first, and among equals those that need the least compilation. If only a deleted package has changed, first is the
// first chunk of its importers.
func (s selection) split(wanted func(listed) bool) (first []string, rest [][]string) {
	var further []listed
	for _, p := range s.packages {
		if s.far[p.path] == 0 {
			first = append(first, p.path)
		} else if wanted(p) {
			further = append(further, p)
		}
	}
	if len(s.far) == 0 || len(further) == 0 {
		return s.args, nil
	}
	slices.SortStableFunc(further, func(a, b listed) int {
		return cmp.Or(s.far[a.path]-s.far[b.path], s.weight[a.path]-s.weight[b.path])
	})
	var paths []string
	for _, p := range further {
		paths = append(paths, p.path)
	}
	rest = inChunks(paths)
	if len(first) == 0 {
		first, rest = rest[0], rest[1:]
	}
	return first, rest
}

// inChunks cuts a list of packages up, the nearest first.
func inChunks(paths []string) (chunks [][]string) {
	for size := 1; len(paths) > 0; size = min(2*size, maxChunk) {
		n := min(size, len(paths))
		chunks, paths = append(chunks, paths[:n]), paths[n:]
	}
	return chunks
}

// further limits the time for packages that only import changed ones.
type further struct {
	all   time.Duration // together
	first time.Duration // the first chunk of them
	each  time.Duration // a command, unless a setting changes that
}

// runFurther runs a command on chunks while there is time, and appends its output to result. ended counts the chunks that were finished; the output
// also has what an unfinished one printed.
func (t tools) runFurther(
	ctx context.Context, tree gate.Tree, report *gate.Report, limits further, command []string, chunks [][]string, result sandbox.Result,
) (all sandbox.Result, ended int) {
	left := limits.all
	for i, packages := range chunks {
		if left <= 0 || ctx.Err() != nil {
			break
		}
		within := min(left, tool.LimitOf(ctx, limits.each))
		if i == 0 {
			within = min(within, limits.first)
		}
		more, err := t.Runner.Run(ctx, sandbox.Command{
			InPlace: true, Argv: slices.Concat(command, packages), Dir: tree.Dir(), Env: t.Env, Timeout: within, MaxOutput: tool.MaxOutput, MaxWrite: tool.MaxWrite,
		})
		left -= max(more.Elapsed, 1)
		report.Elapsed += more.Elapsed
		result.Stdout = append(append(slices.Clip(result.Stdout), '\n'), more.Stdout...)
		result.Stderr = append(append(slices.Clip(result.Stderr), '\n'), more.Stderr...)
		if err != nil || more.TimedOut || more.Overflow || more.Exceeded != "" {
			break
		}
		ended++
		result.Truncated = result.Truncated || more.Truncated
		if more.ExitCode != 0 {
			result.ExitCode = more.ExitCode
		}
	}
	return result, ended
}

// forget takes packages out of a suite that were to be run as far as there was time, and have not ended; it counts them, and those that were not
// started.
func (s *suite) forget(chunks [][]string) (left int) {
	for _, path := range slices.Concat(chunks...) {
		p := s.byPath[path]
		if p != nil && p.state != "" {
			continue
		}
		left++
		s.packages = slices.DeleteFunc(s.packages, func(other *packageRun) bool { return other == p })
		delete(s.byPath, path)
		for key := range s.byName {
			if key[0] == path {
				delete(s.byName, key)
			}
		}
	}
	return left
}

// weights returns, for each package of a map, how many packages must be compiled for it and, with wantTests, for its tests: those that it imports,
// directly or not. Imports of packages outside of the tree are unknown.
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

// closures computes the packages that packages import, directly or not, as bit sets.
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

// compilation is what the build gate did with the packages of a tree that only import changed ones. Tests of packages that it could not compile in
// time are not started, and the tests have the time that compiling left.
type compilation struct {
	left  []string
	spent time.Duration
}

// compilable are the packages of chunks whose tests can be compiled from what is compiled.
func (c compilation) compilable(all []listed, chunks [][]string) [][]string {
	if len(c.left) == 0 {
		return chunks
	}
	missing := func(path string) bool { return slices.Contains(c.left, path) }
	paths := slices.DeleteFunc(slices.Concat(chunks...), func(path string) bool {
		at := slices.IndexFunc(all, func(p listed) bool { return p.path == path })
		return missing(path) || at >= 0 && slices.ContainsFunc(all[at].testsUse, missing)
	})
	return inChunks(paths)
}
